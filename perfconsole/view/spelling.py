"""Text in the characters that the terminal has: everything on UTF-8, an ASCII spelling on the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.view.canvas import Row, Span, fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.view.glyphs import Glyphs


def spelled(text: str, glyphs: Glyphs) -> str:
    """The text as it is, or in ASCII: a degree sign gives way, other characters are written as their escapes."""
    if text.isascii() or not glyphs.bars.isascii():
        return text
    signs = {"°": glyphs.degree.strip(), "…": glyphs.more, "µ": "u"}
    for sign, plain in signs.items():
        text = text.replace(sign, plain)
    return text.encode("ascii", "backslashreplace").decode()


def fitted(spans: Sequence[Span], columns: int, glyphs: Glyphs) -> Row:
    """A row of exactly so many columns in the characters that the terminal has."""
    return fit(spelled_row(tuple(spans), glyphs), columns, glyphs.more)


def spelled_row(spans: Row, glyphs: Glyphs) -> Row:
    """The row itself on a UTF-8 terminal: nearly all are, and a page has hundreds of spans."""
    if not glyphs.bars.isascii():
        return spans
    return tuple(Span(spelled(s.text, glyphs), s.style) for s in spans)
