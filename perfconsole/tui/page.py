"""A page as a screen: one grid, a cursor that follows what it stands on, a filter that is typed in place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from perfconsole.tui.grid import Grid
from perfconsole.view.canvas import Cursor
from perfconsole.view.header import frame_rows, framed

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from perfconsole.tui.app import ConsoleApp
    from perfconsole.tui.keys import Keys
    from perfconsole.view.canvas import Page, Target
    from perfconsole.view.picture import Picture


class PageScreen(Screen[None]):
    """Draws `body` between header and footer. Subclasses say what the body is and what opens."""

    app: ConsoleApp
    CSS = "PageScreen { background: ansi_default; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("pagedown,ctrl+f", "move(10)", show=False),
        Binding("pageup,ctrl+b", "move(-10)", show=False),
        Binding("home,g", "move(-100000)", show=False),
        Binding("end,G", "move(100000)", show=False),
        Binding("tab,right,l", "part(1)", show=False),
        Binding("shift+tab,left,h", "part(-1)", show=False),
        Binding("enter", "open", show=False),
        Binding("escape", "back", show=False),
        Binding("slash", "filter", show=False),
    ]
    filters = False
    """The page can be filtered."""

    def __init__(self) -> None:
        super().__init__()
        self.cursor = Cursor()
        self.items: tuple[Target, ...] = ()
        self._typing = False

    def compose(self) -> ComposeResult:
        """One widget."""
        yield Grid(self.app.palette)

    def body(self, picture: Picture, width: int, height: int) -> Page:
        """The rows between header and footer."""
        raise NotImplementedError

    def keys(self) -> Keys:
        """Keys that do something here."""
        return ()

    def opens(self, target: Target) -> None:
        """Follow what was chosen."""
        self.app.follow(target)

    def draw(self) -> None:
        """Show the newest picture at the size that the terminal has now."""
        picture = self.app.picture
        width, height = self.app.size
        if picture is None or height < 1 or not self.is_mounted:
            return
        grid = self.query_one(Grid)
        if (grid.size.width, grid.size.height) != (width, height):
            return  # the layout has not followed a resize yet; it draws again when it has
        self.app.paint(grid, grid.show(self._framed(picture, width, height)))

    def _framed(self, picture: Picture, width: int, height: int) -> Page:
        page = self.body(picture, width, max(1, height - frame_rows(picture)))
        self.items = page.items
        if self.cursor.target is not None and self.items:  # until somebody moves it, it is on whatever comes first
            place = self.cursor.place(self.items)
            self.cursor = replace(self.cursor, target=self.items[place], index=place)
        typing = (("/", f"{self.cursor.filter}_"), ("enter", "keep"), ("esc", "clear"))
        return framed(page, picture, self.app.mode, typing if self._typing else self.keys(), (width, height))

    def on_mount(self) -> None:
        """Draw at once: a new page must not wait for the next second."""
        self.call_after_refresh(self.draw)

    def on_screen_resume(self) -> None:
        """What was drawn when this page was left is old."""
        self.call_after_refresh(self.draw)

    def on_resize(self) -> None:
        """Another size."""
        self.call_after_refresh(self.draw)

    async def on_grid_pressed(self, message: Grid.Pressed) -> None:
        """A press chooses; on what is chosen already, or pressed twice, it opens. Keys of the footer act at once."""
        if message.target[0] == "key":
            await self.app.press(message.target[1])
        elif message.target in self.items and self._on() != message.target and not message.twice:
            self.cursor = replace(self.cursor, target=message.target)
            self.draw()
        else:
            self.opens(message.target)

    def on_grid_rolled(self, message: Grid.Rolled) -> None:
        """The wheel moves the cursor, and the page with it."""
        self.action_move(message.rows)

    def on_key(self, event: events.Key) -> None:
        """While a filter is typed, letters are letters."""
        if not self._typing:
            return
        text = self.cursor.filter
        if event.key in ("enter", "escape"):
            self._typing = False
            text = text if event.key == "enter" else ""
        elif event.key == "backspace":
            text = text[:-1]
        elif event.is_printable and event.character:
            text += event.character
        else:
            return
        event.stop()
        event.prevent_default()
        self.cursor = replace(self.cursor, filter=text, target=None, index=0)
        self.draw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's form
        """While a filter is typed no key is a command."""
        return not self._typing

    def action_move(self, rows: int) -> None:
        """Move the cursor over the items."""
        if self.items:
            place = max(0, min(self.cursor.place(self.items) + rows, len(self.items) - 1))
            self.cursor = replace(self.cursor, target=self.items[place], index=place)
            self.draw()

    def action_part(self, step: int) -> None:
        """The next group of items, by what they open."""
        if not self.items:
            return
        place = self.cursor.place(self.items)
        groups = [i for i, item in enumerate(self.items) if i == 0 or item[0] != self.items[i - 1][0]]
        current = max(i for i, start in enumerate(groups) if start <= place)
        self.action_move(groups[(current + step) % len(groups)] - place)

    def action_open(self) -> None:
        """Open what the cursor stands on."""
        target = self._on()
        if target is not None:
            self.opens(target)

    def _on(self) -> Target | None:
        """What the cursor stands on."""
        return self.items[self.cursor.place(self.items)] if self.items else None

    def action_back(self) -> None:
        """Clear the filter first, then go back."""
        if self.cursor.filter:
            self.cursor = replace(self.cursor, filter="")
            self.draw()
        else:
            self.app.back()

    def action_filter(self) -> None:
        """Begin to type a filter."""
        if self.filters:
            self._typing = True
            self.draw()
