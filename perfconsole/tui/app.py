"""The application: routes keys and news to the page on display. Owns the picture and the mode, nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.message import Message

from perfconsole import garbage
from perfconsole.tui.frames import pieces
from perfconsole.tui.grid import Grid
from perfconsole.tui.live import LivePage
from perfconsole.tui.page import PageScreen
from perfconsole.tui.themes import THEMES
from perfconsole.view.header import Mode
from perfconsole.view.picture import KINDS, LAYERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import RenderableType
    from textual import events
    from textual.screen import Screen

    from perfconsole.tui.setting import Setting
    from perfconsole.view.canvas import Target
    from perfconsole.view.picture import Picture

PACES_S = (0.0, 2.0, 5.0, 10.0)
"""Cadences to choose from with + and -; the first leaves it to the sources."""
_KEY_NAMES = {"?": "question_mark", "+": "plus", "-": "minus", "/": "slash", "esc": "escape"}
"""Textual's names of the keys that the footer shows by their sign."""
_SAID_S, _REMARK_S = 4.0, 15.0
"""How long a word to the person stands, and a remark about the start."""


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
        *(Binding(str(n), f"layer('{layer}')", show=False) for n, layer in enumerate(LAYERS, 1)),
        Binding("question_mark", "help", show=False),
        Binding("u", "unseen", show=False),
        Binding("space", "pause", show=False),
        Binding("plus,equals_sign", "pace(1)", show=False),
        Binding("minus", "pace(-1)", show=False),
        Binding("q", "leave", show=False),
        Binding("ctrl+c", "leave", show=False, priority=True),
    ]

    def __init__(self, setting: Setting) -> None:
        super().__init__(driver_class=setting.driver, ansi_color=True)
        self.theme = "ansi-dark"
        self.setting = setting
        self.palette = setting.palette
        self.picture: Picture | None = None
        self._remarked = False
        self.mode = Mode(utc_offset_s=setting.utc_offset_s)

    def get_default_screen(self) -> Screen[None]:
        """The main page is at the bottom of the stack."""
        return LivePage()

    def on_mount(self) -> None:
        """Ask to be told of snapshots; one may be there already."""
        self.setting.feed.tell(self._tell)

    def on_resize(self, event: events.Resize) -> None:
        """Terminals move what they show when their size changes: nothing of it is known any more."""
        output = getattr(self._driver, "output", None)
        if output is not None:
            output.resize(event.size.width, event.size.height)

    def _tell(self) -> None:
        """Called on the monitor's thread."""
        self.post_message(News())

    def on_news(self) -> None:
        """Show the newest snapshot, unless the person wants the screen to stand still."""
        snapshot = self.setting.feed.take()
        if self.setting.feed.fault:
            self.say(self.setting.feed.fault)
        self._say_remarks(self.setting.feed.remarks)
        if snapshot is not None and not self.mode.paused:
            if self.picture is None:
                self.call_after_refresh(self._first_drawn)
            self.picture = self.setting.picture(snapshot)
            self.redraw()

    def _first_drawn(self) -> None:
        """The first numbers stand on the screen: what could wait may begin."""
        garbage.settle()
        self.setting.feed.monitor.drawn.set()

    def redraw(self) -> None:
        """Draw the page on display."""
        if isinstance(self.screen, PageScreen):
            self.screen.draw()

    def paint(self, grid: Grid, rows: list[int]) -> None:
        """Draw rows of the page on display: straight to the painter where nothing lies on top (half the cost)."""
        output = getattr(self._driver, "output", None)
        if output is None or self.screen is not grid.screen:
            grid.repaint(rows)
        elif rows:
            encoder = self.setting.encoder
            output.frame([(y, 0, encoder.row(grid.rows[y], grid.theme)) for y in rows if y < len(grid.rows)])

    def follow(self, target: Target) -> None:
        """Open what a row stands for."""
        match target:
            case ("layer", layer):
                self.action_layer(layer)
            case ("finding", rule, entity):
                self.open_finding(rule, entity)
            case ("indicator", name, entity):
                self.open_indicator(name, entity)
            case ("unseen",):
                self.action_unseen()

    def open_finding(self, rule: str, entity: str) -> None:
        """The page of a finding."""
        from perfconsole.tui.finding import FindingPage  # noqa: PLC0415 - not before the first page

        self.push_screen(FindingPage(rule, entity))

    def open_indicator(self, name: str, entity: str) -> None:
        """The layer page of an indicator, with the cursor on it."""
        kind = entity.partition("/")[0]
        layer = next((layer for layer, kinds in KINDS.items() if kind in kinds), None)
        if layer:
            self._open_layer(layer, ("indicator", name, entity))

    async def press(self, key: str) -> None:
        """A key of the footer was pressed with the mouse: do what it does on the page on display."""
        active = self.screen.active_bindings.get(_KEY_NAMES.get(key, key))
        if active is not None:
            await self.run_action(active.binding.action, active.node)

    def back(self) -> None:
        """One page back; the main page stays."""
        if len(self.screen_stack) > 1:
            self.pop_screen()

    def _say_remarks(self, remarks: Sequence[str]) -> None:
        """Once, and long enough to be read; all of them are said again when the screen is left."""
        if remarks and not self._remarked:
            self._remarked = True
            more = f" (and {len(remarks) - 1} more)" if len(remarks) > 1 else ""
            self.say(remarks[0] + more, _REMARK_S)

    def say(self, text: str, seconds: float = _SAID_S) -> None:
        """Show a word to the person for some seconds."""
        self.mode = replace(self.mode, message=text)
        self.redraw()
        self.set_timer(seconds, self._unsay)

    def _unsay(self) -> None:
        self.mode = replace(self.mode, message="")
        self.redraw()

    def copy(self, text: str) -> None:
        """To the clipboard of the terminal that the person sits at."""
        from perfconsole.view.clipboard import osc52  # noqa: PLC0415 - as above

        sequence = osc52(text, tmux=self.setting.tmux)
        if sequence and self._driver is not None:
            self._driver.write(sequence)
        self.say(f"copied: {text}" if sequence else "too long to copy")

    def action_layer(self, layer: str) -> None:
        """Open a layer; from another layer it takes its place."""
        self._open_layer(layer)

    def _open_layer(self, layer: str, target: Target | None = None) -> None:
        from perfconsole.tui.layer import LayerPage  # noqa: PLC0415 - not before the first page

        page = LayerPage(layer, target)
        if isinstance(self.screen, LayerPage):
            self.switch_screen(page)
        else:
            self.push_screen(page)

    def action_help(self) -> None:
        """Open the help, once."""
        from perfconsole.tui.help import HelpPage  # noqa: PLC0415 - as above

        if not isinstance(self.screen, HelpPage):
            self.push_screen(HelpPage())

    def action_unseen(self) -> None:
        """Open what cannot be seen, once."""
        from perfconsole.tui.unseen import UnseenPage  # noqa: PLC0415 - as above

        if not isinstance(self.screen, UnseenPage):
            self.push_screen(UnseenPage())

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
        self.say(f"polling at most every {pace:.0f} s" if pace else "polling as often as the sources allow")

    def action_palette(self, name: str) -> None:
        """Another theme."""
        self.palette = name
        for screen in self.screen_stack:
            for grid in screen.query(Grid):
                grid.restyle(name)

    def action_leave(self) -> None:
        """The way out."""
        self.setting.leave()

    def get_system_commands(self, screen: Screen[None]) -> Iterable[SystemCommand]:  # noqa: ARG002 - Textual's form
        """What ctrl+p offers."""
        for layer in LAYERS:
            yield SystemCommand(f"Layer: {layer}", "Every indicator of it", lambda name=layer: self.action_layer(name))
        yield SystemCommand("Not seen", "What cannot be seen, and which source would tell", self.action_unseen)
        for name in THEMES:
            yield SystemCommand(f"Theme: {name}", "Colours of the screen", lambda n=name: self.action_palette(n))
        yield SystemCommand("Pause", "Let the screen stand still, or go on", self.action_pause)
        yield SystemCommand("Poll less often", "+", lambda: self.action_pace(1))
        yield SystemCommand("Poll more often", "-", lambda: self.action_pace(-1))
        yield SystemCommand("Help", "Keys and words", self.action_help)
        yield SystemCommand("Quit", "q", self.action_leave)

    def _handle_exception(self, error: Exception) -> None:
        """A fault of ours ends in one line on a terminal that works, not in a page of source code."""
        self.setting.fault(f"{type(error).__name__}: {error}")
        super()._handle_exception(error)

    def _display(self, screen: Screen[None], renderable: RenderableType | None) -> None:
        """Hand frames to the painter instead of writing them: only cells that differ are ever sent."""
        output = getattr(self._driver, "output", None)
        if output is None:
            super()._display(screen, renderable)
            return
        if renderable is not None and not self._batch_count and self._running and not self._closed:
            output.frame(pieces(renderable, self.setting.encoder))
        self.post_display_hook()
