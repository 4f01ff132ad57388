"""A framed part of a page: a border with a title and a state in it, rows inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.view.canvas import Row, Span, fit, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.view.glyphs import Glyphs


def panel(title: Sequence[Span], state: Sequence[Span], rows: Sequence[Row], columns: int, glyphs: Glyphs) -> list[Row]:
    """The title row, then the rows; no sides and no bottom: on a small screen every row and column counts."""
    return [rule(title, state, columns, glyphs), *(fit(r, columns, glyphs.more) for r in rows)]


def rule(title: Sequence[Span], state: Sequence[Span], columns: int, glyphs: Glyphs) -> Row:
    """A line across with a title at its left and a state at its right; the state gives way last."""
    line = glyphs.horizontal
    tail = (Span(" "), *state, Span(" "), Span(line, "frame")) if state else ()
    room = columns - width(tail) - 2
    head = (Span(line, "frame"), Span(" "), *title, Span(" "))
    if width(head) > room:
        return fit((*fit(head, max(room, 0), glyphs.more), *tail), columns, glyphs.more)
    filler = Span(line * (columns - width(head) - width(tail)), "frame")
    return (*head, filler, *tail)


def beside(left: Sequence[Row], right: Sequence[Row], widths: tuple[int, int], gap: Span, mark: str = "…") -> list[Row]:
    """Two columns of rows; the shorter one is filled with blanks."""
    height = max(len(left), len(right))
    rows = []
    for y in range(height):
        a = left[y] if y < len(left) else ()
        b = right[y] if y < len(right) else ()
        rows.append((*fit(a, widths[0], mark), gap, *fit(b, widths[1], mark)))
    return rows
