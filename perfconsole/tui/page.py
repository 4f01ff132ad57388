"""A page as a screen: one grid, a cursor that follows what it stands on, a filter that is typed in place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from perfconsole.tui.frames import paint
from perfconsole.tui.grid import Grid
from perfconsole.tui.moving import CursorScreen
from perfconsole.view.header import frame_rows, framed

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from perfconsole.tui.keys import Keys
    from perfconsole.view.canvas import Page
    from perfconsole.view.picture import Picture


class PageScreen(CursorScreen):
    """Draws `body` between header and footer. Subclasses say what the body is and what opens."""

    CSS = "PageScreen { background: ansi_default; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("slash", "filter", show=False)]
    filters = False
    """The page can be filtered."""
    takes_all_keys = False
    """No key is a command now, not even of the application."""

    def __init__(self) -> None:
        super().__init__()
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

    def draw(self) -> None:
        """Show the newest picture at the size that the terminal has now."""
        picture = self.app.picture
        width, height = self.app.size
        if picture is None or height < 1 or not self.is_mounted or not self.is_attached:
            return  # not there yet, or left while something was still on its way to it
        grid = next(iter(self.query(Grid)), None)
        if grid is None:
            return  # a page that is left loses what is on it before itself
        if (grid.size.width, grid.size.height) != (width, height):
            return  # the layout has not followed a resize yet; it draws again when it has
        paint(self.app, grid, grid.show(self._framed(picture, width, height)))

    def _framed(self, picture: Picture, width: int, height: int) -> Page:
        page = self.body(picture, width, max(1, height - frame_rows(picture)))
        self.items, self.lines = page.items, page.lines
        if self.cursor.target is not None and self.items:  # until somebody moves it, it is on whatever comes first
            place = self.cursor.place(self.items)
            self.cursor = replace(self.cursor, target=self.items[place], index=place)
        typing = (("/", f"{self.cursor.filter}_"), ("enter", "keep"), ("esc", "clear"))
        return framed(page, picture, self.app.mode, typing if self._typing else self.keys(), (width, height))

    def on_resize(self) -> None:
        """A new page, one that comes back, another size: what was drawn is old, and a second is long."""
        self.call_after_refresh(self.draw)

    on_mount = on_screen_resume = on_resize

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

    def action_back(self) -> None:
        """Clear the filter first, then go back."""
        if self.cursor.filter:
            self.cursor = replace(self.cursor, filter="")
            self.draw()
        else:
            super().action_back()

    def action_filter(self) -> None:
        """Begin to type a filter."""
        if self.filters:
            self._typing = True
            self.draw()
