"""The page that records the stacks of a process: choose it, see what will be run, watch it run, get its flame graph."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from perfconsole.actions.pyspy import Recording, find_tool, record_argv
from perfconsole.errors import NotPermittedError
from perfconsole.model.flameplan import FlamePlan
from perfconsole.sources.linux.stackaccess import look_at, standing
from perfconsole.tui.keys import EVERYWHERE, Keys
from perfconsole.tui.recorded import show_recording
from perfconsole.tui.suspects import SuspectPage
from perfconsole.view.flamechoice import Choice, choice_page

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.view.canvas import Page, Target
    from perfconsole.view.picture import Picture

_ALARM_S = 60.0
_SECONDS = (5.0, 10.0, 20.0, 30.0, 60.0)


class FlamePage(SuspectPage):
    """One recording, from the choice of the process to its end."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "confirm", show=False),
        Binding("s", "longer", show=False),
        Binding("n", "option('native')", show=False),
        Binding("i", "option('gil')", show=False),
    ]

    def __init__(self, pid: int | None = None, entity: Entity | None = None, why: str = "") -> None:
        super().__init__(pid, entity, why)
        self.recording: Recording | None = None
        self._options = FlamePlan(0)
        self._state = ""
        """In which the process was before."""

    def body(self, picture: Picture, width: int, height: int) -> Page:
        """The list, and below it what enter would do."""
        choice = self._planned()
        if self.recording:
            choice = replace(self.choice, took_s=self.recording.took_s, plan=self.recording.plan)
        return choice_page(choice, self.cursor, (width, height), picture.glyphs)

    def _planned(self) -> Choice:
        """What would be run on the process under the cursor."""
        pid = self.pid()
        if pid is None or self.recording:
            return self.choice
        plan, refused = replace(self._options, pid=pid), self.refused(pid)
        command = "" if refused else " ".join(record_argv(plan, "py-spy", "MEMORY"))
        return replace(self.choice, plan=plan, command=command, refused=refused)

    def keys(self) -> Keys:
        """While it records there is nothing but the end."""
        if self.recording:
            return (("esc", "end it and show"),)
        yes: Keys = (("y", "yes, stop it"),) if self.choice.asked else (("enter", "record"),)
        return (("esc", "back"), *yes, ("s", "seconds"), ("n", "native"), ("i", "lock holders"), *EVERYWHERE)

    def opens(self, target: Target) -> None:
        """Record the process, unless that cannot be, or stops it and nobody has said yes."""
        choice = self._planned()
        if target[0] == "suspect" and choice.plan and not choice.refused and not self.recording:
            if choice.plan.stops:
                self.choice = replace(self.choice, asked=True)
            else:
                self._start(choice.plan)
        self.draw()

    def action_confirm(self) -> None:
        """Yes, stop it for its samples."""
        choice = self._planned()
        if self.choice.asked and choice.plan and not choice.refused and not self.recording:
            self._start(choice.plan)
            self.draw()

    def action_longer(self) -> None:
        """The next length of a recording."""
        if not self.recording:
            place = _SECONDS.index(self._options.seconds)
            self._options = replace(self._options, seconds=_SECONDS[(place + 1) % len(_SECONDS)])
            self.draw()

    def action_option(self, name: str) -> None:
        """Native frames, or only holders of the interpreter lock."""
        if not self.recording:
            native = self._options.native != (name == "native")
            gil = self._options.gil != (name == "gil")
            self._options = replace(self._options, native=native, gil=gil)
            self.choice = replace(self.choice, asked=False)
            self.draw()

    def _start(self, plan: FlamePlan) -> None:
        try:
            self._state = look_at(plan.pid).state
            self.recording = Recording(plan, find_tool(), self.now())
        except NotPermittedError as error:
            self.choice = replace(self.choice, trouble=str(error))
        else:
            self.choice = replace(self.choice, trouble="", asked=False)
            self.begin()

    def look(self) -> None:
        """How far it is; at its end its graph is shown."""
        recording = self.recording
        if recording is not None and recording.look(self.now()):
            self.rest()
            self.recording = None
            trouble = show_recording(self.app, recording, self.about(recording.plan.pid))
            if alarm := standing(recording.plan.pid, self._state):
                self.app.word.say(alarm, _ALARM_S)
            self.choice = replace(self.choice, trouble=alarm or trouble)
        self.draw()

    def action_back(self) -> None:
        """A recording is ended and shown; otherwise back."""
        if self.recording:
            self.recording.cancel()
        elif self.choice.asked:
            self.choice = replace(self.choice, asked=False)
            self.draw()
        else:
            super().action_back()

    def on_unmount(self) -> None:
        """Nobody waits for it any more."""
        if self.recording:
            self.recording.close()
