"""Text in the characters that the terminal has: everything on UTF-8, an ASCII spelling on the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.view.canvas import Row, Span, fit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.view.glyphs import Glyphs


def spelled(text: str, glyphs: Glyphs) -> str:
    """The text as it is, or in ASCII: a degree sign gives way, other characters are written as their escapes."""
    if text.isascii() or not glyphs.bars.isascii():
        return text
    signs = {"°": glyphs.degree.strip(), "…": glyphs.more, "µ": "u"}
    for sign, plain in signs.items():
        text = text.replace(sign, plain)
    return text.encode("ascii", "backslashreplace").decode()


def fitted(spans: Iterable[Span], columns: int, glyphs: Glyphs) -> Row:
    """A row of exactly so many columns in the characters that the terminal has."""
    return fit([Span(spelled(s.text, glyphs), s.style) for s in spans], columns, glyphs.more)
