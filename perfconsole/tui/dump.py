"""The page of all stacks at this moment: of a process, and of all processes of its engine side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.actions.dumping import Dumping
from perfconsole.actions.pyspy import find_tool
from perfconsole.clock import SystemClock
from perfconsole.errors import NotPermittedError
from perfconsole.sources.linux.dumped import dumped, family
from perfconsole.sources.linux.tree import read_parents
from perfconsole.stacks.indicators import profile_batch
from perfconsole.tui.keys import EVERYWHERE, Keys
from perfconsole.tui.suspects import SuspectPage
from perfconsole.view.canvas import Cursor
from perfconsole.view.dumppage import dump_page
from perfconsole.view.flamechoice import choice_page

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.model.stackdump import DumpReading
    from perfconsole.model.suspect import Suspect
    from perfconsole.view.canvas import Page, Target
    from perfconsole.view.picture import Picture


class DumpPage(SuspectPage):
    """One dump, from the choice of the process to what was found."""

    def __init__(self, pid: int | None = None, entity: Entity | None = None, why: str = "") -> None:
        super().__init__(pid, entity, why)
        self.choice = replace(self.choice, title="STACKS OF WHICH PROCESS?  enter takes them, of its whole engine")
        self._dumping: Dumping | None = None
        self._members: tuple[Suspect, ...] = ()
        self._chosen = 0
        self._reading: DumpReading | None = None

    def body(self, picture: Picture, width: int, height: int) -> Page:
        """What was found; before that the list."""
        size = (width, height)
        if self._reading:
            return dump_page(self._reading, self.cursor, size, picture.glyphs)
        pid = self.pid()
        choice = replace(self.choice, refused="" if pid is None or self._dumping else self.refused(pid))
        if self._dumping:
            choice = replace(choice, title="TAKING STACKS, twice, a second apart  esc ends it")
        return choice_page(choice, self.cursor, size, picture.glyphs)

    def keys(self) -> Keys:
        """Before and after."""
        if self._dumping:
            return (("esc", "end it"),)
        return (("esc", "back"), ("enter", "again" if self._reading else "take them"), *EVERYWHERE)

    def opens(self, target: Target) -> None:
        """Take the stacks; once more when they are there already."""
        if self._dumping:
            return
        if self._reading:
            self._start()
        elif target[0] == "suspect" and (pid := self.pid()) and not self.refused(pid):
            self._chosen = pid
            self._members = family(self.choice.suspects or (), pid, read_parents(""))
            self._start()
        self.draw()

    def _start(self) -> None:
        try:
            self._dumping = Dumping([m.pid for m in self._members], find_tool(), self.now())
        except NotPermittedError as error:
            self.choice = replace(self.choice, trouble=str(error))
        else:
            self.begin()

    def look(self) -> None:
        """At the end of both looks, what they say."""
        dumping = self._dumping
        if dumping is not None and dumping.look(self.now()):
            self.rest()
            self._dumping = None
            self._reading = dumped(self._members, dumping.given)
            self.cursor = Cursor()
            self._hand_on(self._reading)
        self.draw()

    def _hand_on(self, reading: DumpReading) -> None:
        """Its figures count for the finding that asked."""
        if reading.shares and self._members:
            pid = self._chosen
            batch = profile_batch(reading.shares, pid, self.about(pid), self.now(), SystemClock().wall())
            self.app.setting.feed.monitor.post(batch)

    def action_back(self) -> None:
        """End it, or back."""
        if self._dumping:
            self._dumping.close()
            self._dumping = None
            self.rest()
            self.draw()
        else:
            super().action_back()

    def on_unmount(self) -> None:
        """Nobody waits for it any more."""
        if self._dumping:
            self._dumping.close()
