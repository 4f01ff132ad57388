"""A long text on a small screen: blocks of rows below one fixed title row, scrolled by where the cursor stands.

The items of such a page are stops from top to bottom: each block, and inside a long block a further stop every few
rows. Moving the cursor from item to item, as on any other page, therefore shows every row; nothing else scrolls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.view.canvas import Hit, Page, Row, Span, Target, cells, ends, fit, restyle, row, wrap
from perfconsole.view.canvas import width as cells_of
from perfconsole.view.plain import plain
from perfconsole.view.spelling import spelled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.view.canvas import Cursor
    from perfconsole.view.glyphs import Glyphs

GUTTER = 2
"""Columns on the left in which the cursor stands."""
LABEL = 14
"""Columns of the label beside a text."""
_MEASURE = 160
"""Lines that are longer are hard to read, however wide the terminal is."""
_LEAST = 8
_SELECTABLE = ("check",)
"""Kinds of target whose first row lights up under the cursor; at the others only the sign in the gutter moves."""


class Block(NamedTuple):
    """Rows that belong together."""

    target: Target
    rows: tuple[Row, ...]
    hits: tuple[Hit, ...] = ()
    """Counted from the first row and column of the block."""


@dataclass(frozen=True, slots=True)
class Paper:
    """What blocks are written on: how wide it is, and in which characters."""

    columns: int
    glyphs: Glyphs

    @classmethod
    def of(cls, width: int, glyphs: Glyphs) -> Paper:
        """Paper for the blocks of a page of this width."""
        return cls(max(1, min(width - GUTTER, _MEASURE)), glyphs)

    def clean(self, text: str) -> str:
        """Text from outside, harmless and in characters that this paper takes; before it is measured or wrapped."""
        return spelled(plain(text), self.glyphs)

    def labelled(self, label: str, text: str, style: str = "", label_style: str = "head") -> tuple[Row, ...]:
        """The label in its column and the text wrapped beside it."""
        room = max(_LEAST, self.columns - LABEL)
        lines = wrap(self.clean(text), room)
        heads = [(f"{label:{LABEL}}", label_style), *[(" " * LABEL, "")] * (len(lines) - 1)]
        return tuple(row(head, (line, style)) for head, line in zip(heads, lines, strict=True))

    def paired(self, word: str, meaning: str) -> tuple[Row, ...]:
        """A word and what it means; one that is too long for the label's column stands above."""
        word = self.clean(word)
        if cells(word) < LABEL:
            return self.labelled(f"{word}{' ' * (LABEL - cells(word))}", meaning, label_style="key")
        return (*self.text(word, "key"), *self.labelled("", meaning))

    def text(self, text: str, style: str = "", indent: int = 0) -> tuple[Row, ...]:
        """The text wrapped over the whole width."""
        lines = wrap(self.clean(text), max(_LEAST, self.columns - indent))
        return tuple(row(" " * indent, (line, style)) for line in lines)


def scrolled(title: Row, blocks: Sequence[Block], cursor: Cursor, size: tuple[int, int], glyphs: Glyphs) -> Page:
    """A page of exactly `size` (width, height): the title with the place in the text, and the rows around the stop."""
    width, height = size
    body = max(0, height - 1)
    stops = list(_stops(blocks, max(1, body // 3)))
    items = tuple(target for target, _ in stops)
    place = cursor.place(items)
    here = stops[place][1] if stops else 0
    rows = [r for block in blocks for r in block.rows]
    first = max(0, min(here - body // 3, len(rows) - body))
    lit = bool(items) and items[place][0] in _SELECTABLE
    shown = [_shown(r, (y == here, lit), width, glyphs) for y, r in enumerate(rows[first : first + body], start=first)]
    blank = [fit((), width)] * (body - len(shown))
    where = row((_place(first, body, len(rows), glyphs), "dim"))
    top = ends(fit(title, max(0, width - cells_of(where)), glyphs.more), where, width, glyphs.more)
    hits = tuple(_seen(blocks, first, body, width))
    lines = tuple(y for _, y in stops)
    return Page((fit(top, width, glyphs.more), *shown, *blank)[:height], hits, items, lines)


def _stops(blocks: Sequence[Block], every: int) -> Iterator[tuple[Target, int]]:
    y = 0
    for block in blocks:
        lead = 1 if block.rows and not block.rows[0] else 0  # a blank row above a heading is no place to stand
        for offset in range(lead, len(block.rows), every):
            yield (("more", *block.target, str(offset)) if offset > lead else block.target), y + offset
        y += len(block.rows)


def _shown(content: Row, here: tuple[bool, bool], width: int, glyphs: Glyphs) -> Row:
    """One row behind its gutter; `here` says whether the cursor stands on it, and whether it lights up then."""
    on, lit = here
    gutter = Span(f"{glyphs.cursor if on else '':{GUTTER}}", "select" if on else "")
    return fit((gutter, *(restyle(content, "select") if on and lit else content)), width, glyphs.more)


def _place(first: int, body: int, count: int, glyphs: Glyphs) -> str:
    """Which rows are seen and where more are; empty when all are."""
    if count <= body:
        return ""
    up, down = glyphs.up if first else " ", glyphs.down if first + body < count else " "
    return f"  {first + 1}-{min(first + body, count)} of {count} {up}{down}"


def _seen(blocks: Sequence[Block], first: int, body: int, width: int) -> Iterator[Hit]:
    """What the mouse may press: the parts of blocks that are on the screen, at their place there."""
    y = 1 - first
    for block in blocks:
        for hit in block.hits:
            if 1 <= y + hit.y <= body and hit.x0 + GUTTER < width:
                yield Hit(y + hit.y, hit.x0 + GUTTER, min(hit.x1 + GUTTER, width), hit.target)
        y += len(block.rows)
