"""A page that begins with the choice of a Python process. Subclasses say what is done with it."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.actions.pyspy import find_tool
from perfconsole.clock import SystemClock
from perfconsole.errors import NotPermittedError
from perfconsole.sources.linux.pythons import Pythons, owned
from perfconsole.sources.linux.stackaccess import look_at, refusal
from perfconsole.stacks.indicators import owners_of
from perfconsole.tui.page import PageScreen
from perfconsole.view.canvas import Cursor
from perfconsole.view.flamechoice import Choice

if TYPE_CHECKING:
    from textual.timer import Timer

    from perfconsole.model.entity import Entity

_LOOK_S = 0.2
_APART_S = 0.5
"""Between two looks at the processes: CPU is what they used in between."""


class SuspectPage(PageScreen):
    """Owns the list and why the process under the cursor cannot be taken."""

    def __init__(self, pid: int | None = None, entity: Entity | None = None, why: str = "") -> None:
        super().__init__()
        self._asked = (pid, entity)
        """The process that a finding names, and what the finding speaks of."""
        self.choice = Choice(None, why=why)
        self.now = SystemClock().now
        self._pythons = Pythons(me=os.getpid())
        self._refused: tuple[int | None, str] = (None, "")
        self._timer: Timer | None = None
        if pid is not None:
            self.cursor = Cursor(("suspect", str(pid)))

    def on_mount(self) -> None:
        """Look twice at the processes, so that their CPU is known."""
        self.call_after_refresh(self._look_around)
        self.set_timer(_APART_S, self._look_around)

    def _look_around(self) -> None:
        if self._timer is None:
            wanted = self.cursor.target
            links = self.app.picture.snapshot.links if self.app.picture else ()
            found = owned(self._pythons.look(self.now()), links)
            there = wanted is None or wanted in {("suspect", str(s.pid)) for s in found}
            trouble = "" if there else f"process {wanted[1] if wanted else ''} is not there, or is no Python process"
            self.choice = replace(self.choice, suspects=found, trouble=trouble or self.choice.trouble)
            self.draw()

    def pid(self) -> int | None:
        """The process under the cursor; None where there is none."""
        items = tuple(("suspect", str(s.pid)) for s in self.choice.suspects or ())
        return int(items[self.cursor.place(items)][1]) if items else None

    def about(self, pid: int) -> tuple[Entity, ...]:
        """What figures of a process speak of: what the finding that asks is about, if it named this process."""
        asked, entity = self._asked
        if entity is not None and asked in (pid, None):
            return (entity,)
        return owners_of(pid, self.app.picture.snapshot.links if self.app.picture else ())

    def refused(self, pid: int) -> str:
        """Why its stacks cannot be read, in one line; empty where nothing speaks against it."""
        if self._refused[0] != pid:
            try:
                found = refusal(look_at(pid), find_tool())
                self._refused = (pid, found.line() if found else "")
            except NotPermittedError as error:
                self._refused = (pid, str(error))
        return self._refused[1]

    def begin(self) -> None:
        """Call `look` every now and then until `rest`."""
        self._timer = self.set_interval(_LOOK_S, self.look)

    def rest(self) -> None:
        """What was watched has ended."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._refused = (None, "")

    def look(self) -> None:
        """Take in what has happened since the last look."""
        raise NotImplementedError
