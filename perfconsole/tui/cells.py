"""From Textual's strips to the cells of the painter: characters, their width, and SGR codes for this terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import get_character_cell_size
from rich.color import ColorSystem

from perfconsole.tui.themes import style

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.segment import Segment
    from rich.style import Style

    from perfconsole.tui.painter import Cell
    from perfconsole.view.canvas import Row


_BLANKS = dict.fromkeys("\u2581\u2594\u258e\u258a\u2588\u2584\u2580\u2502\u2500\u258f\u2595", " ")


class Encoder:
    """Cells of styled text. `colors` is what the terminal has: none, 16, 256 or 16 million."""

    def __init__(self, colors: ColorSystem | None, *, ascii_only: bool = False) -> None:
        self.colors = colors
        self._ascii_only = ascii_only
        self._known: dict[Style | None, str] = {None: ""}
        self._named: dict[tuple[str, str], str] = {}
        """The same by theme and style word."""

    def cells(self, segments: Iterable[Segment]) -> Iterator[Cell]:
        """One cell a column; the second column of a wide character is empty."""
        for text, wanted, control in segments:
            if control:
                continue
            sgr = self._known.get(wanted)
            if sgr is None:
                sgr = self._known[wanted] = self.sgr(wanted)
            if self._ascii_only and not text.isascii():
                text = _spelled(text)  # noqa: PLW2901 - Textual's own widgets draw with more than ASCII
            if text.isascii():
                for character in text:
                    yield character, sgr
            else:
                yield from _wide(text, sgr)

    def row(self, spans: Row, theme: str) -> list[Cell]:
        """Cells of a row of a page."""
        cells: list[Cell] = []
        for text, name in spans:
            sgr = self._named.get((theme, name))
            if sgr is None:
                sgr = self._named[theme, name] = self.sgr(style(theme, name))
            cells.extend([(c, sgr) for c in text] if text.isascii() else _wide(text, sgr))
        return cells

    def sgr(self, wanted: Style | None) -> str:
        """SGR parameters of a style: attributes only where there is no colour."""
        if wanted is None:
            return ""
        kept = wanted.without_color if self.colors is None else wanted
        rendered = kept.render("x", color_system=self.colors or ColorSystem.STANDARD, legacy_windows=False)
        head, found, _ = rendered.partition("m")
        codes = head.removeprefix("\x1b[").split(";") if found and head.startswith("\x1b[") else []
        return ";".join(code for code in codes if code not in ("39", "49"))  # the defaults are what a reset gives


def _spelled(text: str) -> str:
    """ASCII of the same width: blanks for lines and shades, a question mark for the rest."""
    return "".join(c if c.isascii() else _BLANKS.get(c, "?") * get_character_cell_size(c) for c in text)


def _wide(text: str, sgr: str) -> Iterator[Cell]:
    for character in text:
        size = get_character_cell_size(character)
        if size > 0:
            yield character, sgr
            for _ in range(size - 1):
                yield "", sgr
