"""The page of a check's command as a screen: runs it when told so once more, and ends it when it is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from perfconsole.clock import SystemClock
from perfconsole.tui.keys import EVERYWHERE, Keys
from perfconsole.tui.page import PageScreen
from perfconsole.view.errandpage import Progress, errand_page

if TYPE_CHECKING:
    from textual.timer import Timer

    from perfconsole.actions.errand import Errand
    from perfconsole.model.finding import FindingCheck
    from perfconsole.view.canvas import Page
    from perfconsole.view.picture import Picture

_LOOK_S = 0.2
"""How often its output is taken in while it runs."""


class ErrandPage(PageScreen):
    """One command."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("y", "run", show=False)]

    def __init__(self, check: FindingCheck, command: str) -> None:
        super().__init__()
        self.check = check
        self.command = command
        self.errand: Errand | None = None
        self._now = SystemClock().now
        self._timer: Timer | None = None

    def body(self, picture: Picture, width: int, height: int) -> Page:
        """The command, then what it wrote."""
        errand = self.errand
        progress = Progress(bytes(errand.output), errand.took_s, errand.ended) if errand else None
        return errand_page(self.check, self.command, progress, self.cursor, (width, height), picture.glyphs)

    def keys(self) -> Keys:
        """Running it is offered while it does not run."""
        offer = (("y", "run it again" if self.errand else "run it here"),)
        return (("esc", "back"), *(offer if self._may_run() else ()), *EVERYWHERE)

    def _may_run(self) -> bool:
        return self.check.runs is not None and (self.errand is None or self.errand.ended is not None)

    def action_run(self) -> None:
        """Somebody has read the command and said yes."""
        if not self._may_run() or self.check.runs is None:
            return
        from perfconsole.actions.errand import Errand  # noqa: PLC0415 - not before a command is run

        self.errand = Errand(self.check.runs, self._now())
        self._timer = self.set_interval(_LOOK_S, self._look)
        self.draw()

    def _look(self) -> None:
        if self.errand is not None and self.errand.look(self._now()):
            self.draw()
        if self._timer is not None and (self.errand is None or self.errand.ended is not None):
            self._timer.stop()
            self._timer = None

    def on_unmount(self) -> None:
        """Nobody sees what it writes any more."""
        if self.errand is not None:
            self.errand.stop()
