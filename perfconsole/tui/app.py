"""The application: routes keys and news to the page on display. Owns the picture and the mode, nothing else."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.message import Message

from perfconsole.tui.frames import output_of, pieces
from perfconsole.tui.grid import Grid
from perfconsole.tui.live import LivePage
from perfconsole.tui.opening import commands, follow
from perfconsole.tui.page import PageScreen
from perfconsole.tui.word import Word
from perfconsole.tui.writing import write_moment
from perfconsole.view.header import Mode
from perfconsole.view.picture import LAYERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType
    from textual import events
    from textual.app import SystemCommand
    from textual.screen import Screen

    from perfconsole.model.stack import Profile
    from perfconsole.tui.setting import Setting
    from perfconsole.view.picture import Picture

PACES_S = (0.0, 2.0, 5.0, 10.0)
"""Cadences to choose from with + and -; the first leaves it to the sources."""


class News(Message):
    """There is a newer snapshot, or none will come any more."""

    def can_replace(self, message: Message) -> bool:
        """Only the newest counts."""
        return isinstance(message, News)


class ConsoleApp(App[None]):
    """The live screen."""

    ENABLE_COMMAND_PALETTE = True
    CSS = "CommandPalette { background: ansi_default; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(n), f"go('layer', '{layer}')", show=False) for n, layer in enumerate(LAYERS, 1)),
        Binding("question_mark", "go('help')", show=False),
        Binding("u", "go('unseen')", show=False),
        Binding("w", "write", show=False),
        Binding("f", "go('flame')", show=False),
        Binding("d", "go('dump')", show=False),
        Binding("p", "go('probe')", show=False),
        Binding("space", "pause", show=False),
        Binding("plus,equals_sign", "pace(1)", show=False),
        Binding("minus", "pace(-1)", show=False),
        Binding("ctrl+z", "suspend_process", show=False),
        Binding("q", "leave", show=False),
        Binding("ctrl+c", "leave", show=False, priority=True),
    ]

    def __init__(self, setting: Setting) -> None:
        super().__init__(driver_class=setting.driver, ansi_color=True)
        self.theme = "ansi-dark"
        self.setting = setting
        self.palette = setting.palette
        self.picture: Picture | None = None
        self.recordings: list[Profile] = []
        """Stacks that were taken in this session, the newest last."""
        self.loaded_until = -inf
        """Monotonic seconds at which the last probe ended."""
        self.word = Word(self)
        self.mode = Mode(utc_offset_s=setting.utc_offset_s)

    def get_default_screen(self) -> Screen[None]:
        """The main page is at the bottom of the stack."""
        return self.setting.first() if self.setting.first else LivePage()

    def on_mount(self) -> None:
        """Ask to be told of snapshots; one may be there already."""
        self.setting.feed.tell(lambda: self.post_message(News()))
        self.set_interval(1.0, self.word.check_news)

    def on_resize(self, event: events.Resize) -> None:
        """Terminals move what they show when their size changes: nothing of it is known any more."""
        output = output_of(self)
        if output is not None:
            output.resize(event.size.width, event.size.height)
            # Rows equal to those before the resize would not be sent again: have all of them drawn.
            self.call_after_refresh(lambda: [grid.refresh() for grid in self.screen.query(Grid)])

    def on_news(self) -> None:
        """Show the newest snapshot, unless the person wants the screen to stand still."""
        snapshot = self.setting.feed.take()
        self.word.of_the_feed(self.setting.feed)
        if snapshot is not None and not self.mode.paused:
            if self.picture is None:  # once the first numbers stand on the screen, what could wait may begin
                self.call_after_refresh(self.setting.feed.monitor.drawn.set)
            self.picture = self.setting.picture(snapshot)
            self.redraw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where the page takes all keys none is a command, but for the way out."""
        if isinstance(self.screen, PageScreen) and self.screen.takes_all_keys and action != "leave":
            return False
        return super().check_action(action, parameters)

    def redraw(self) -> None:
        """Draw the page on display."""
        if isinstance(self.screen, PageScreen):
            self.screen.draw()

    def action_go(self, kind: str, name: str = "") -> None:
        """Open a page by the kind of its target, and its name where the kind has several."""
        follow(self, (kind, name) if name else (kind,))

    def action_pause(self) -> None:
        """Let the screen stand still, or go on with the newest."""
        self.mode = replace(self.mode, paused=not self.mode.paused)
        self.on_news()
        self.redraw()

    def action_pace(self, step: int) -> None:
        """Poll less or more often."""
        place = PACES_S.index(self.mode.pace_s) + step
        pace = PACES_S[max(0, min(place, len(PACES_S) - 1))]
        self.mode = replace(self.mode, pace_s=pace)
        self.setting.feed.monitor.pace(pace)
        self.word.say(f"polling at most every {pace:.0f} s" if pace else "polling as often as the sources allow")

    def action_write(self) -> None:
        """Write this moment as a situation file."""
        write_moment(self)

    def action_leave(self) -> None:
        """The way out."""
        self.setting.leave()

    def get_system_commands(self, screen: Screen[None]) -> Iterable[SystemCommand]:  # noqa: ARG002 - Textual's form
        """What ctrl+p offers."""
        return commands(self)

    def _handle_exception(self, error: Exception) -> None:
        """A fault of ours ends in one line on a terminal that works, not in a page of source code."""
        self.setting.fault(f"{type(error).__name__}: {error}")
        super()._handle_exception(error)

    def _display(self, screen: Screen[None], renderable: RenderableType | None) -> None:
        """Hand frames to the painter instead of writing them: only cells that differ are ever sent."""
        output = output_of(self)
        if output is None:
            super()._display(screen, renderable)
            return
        if renderable is not None and not self._batch_count and self._running and not self._closed:
            output.frame(pieces(renderable, self.setting.encoder))
        self.post_display_hook()
