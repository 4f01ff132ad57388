"""The one widget of a page: rows of styled text on Textual's line API. Only rows that changed are drawn again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from perfconsole.tui.themes import style

if TYPE_CHECKING:
    from textual import events

    from perfconsole.view.canvas import Hit, Page, Row, Target


class Grid(Widget, can_focus=True):
    """Shows a page. Owns the rows on display; what they mean is the screen's business."""

    DEFAULT_CSS = """
    Grid { width: 100%; height: 100%; background: ansi_default; color: ansi_default; }
    """

    class Pressed(Message):
        """A part of the page was pressed with the mouse."""

        def __init__(self, target: Target, *, twice: bool) -> None:
            super().__init__()
            self.target = target
            self.twice = twice

    class Rolled(Message):
        """The wheel was turned, by so many rows (down is positive)."""

        def __init__(self, rows: int) -> None:
            super().__init__()
            self.rows = rows

    def __init__(self, theme: str) -> None:
        super().__init__()
        self.theme = theme
        self.rows: tuple[Row, ...] = ()
        """What is on display."""
        self._hits: tuple[Hit, ...] = ()

    def show(self, page: Page) -> list[int]:
        """Take a page over; the rows that are not as they were. Whoever calls has them drawn."""
        before, self.rows = self.rows, page.rows
        self._hits = page.hits
        height = max(len(before), len(page.rows))
        return [y for y in range(height) if self._row(before, y) != self._row(page.rows, y)]

    @staticmethod
    def _row(rows: tuple[Row, ...], y: int) -> Row | None:
        return rows[y] if y < len(rows) else None

    def repaint(self, rows: list[int]) -> None:
        """Draw rows by way of Textual, which also knows what lies on top of them."""
        if rows:
            self.refresh(*(Region(0, y, self.size.width or 1, 1) for y in rows))

    def restyle(self, theme: str) -> None:
        """Draw everything with another theme."""
        self.theme = theme
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region, never from a cache: rows may have been drawn past Textual since it last asked."""
        x0, x1 = crop.column_span
        return [self.render_line(y).crop(x0, x1) for y in crop.line_range]

    def render_line(self, y: int) -> Strip:
        """One row, padded to the width of the widget."""
        width = self.size.width
        if y >= len(self.rows):
            return Strip.blank(width)
        segments = [Segment(text, style(self.theme, name)) for text, name in self.rows[y]]
        return Strip(segments).adjust_cell_length(width)

    def on_click(self, event: events.Click) -> None:
        """Tell what was pressed; the last part drawn lies on top."""
        for y, x0, x1, target in reversed(self._hits):
            if y == event.y and x0 <= event.x < x1:
                self.post_message(self.Pressed(target, twice=event.chain > 1))
                return

    def on_mouse_scroll_down(self) -> None:
        """Three rows, as terminals do."""
        self.post_message(self.Rolled(3))

    def on_mouse_scroll_up(self) -> None:
        """Three rows up."""
        self.post_message(self.Rolled(-3))
