"""Rows of styled text, the form in which every page of the screen is made: pure values, no terminal.

A style is a word of STYLES, or several joined by "+"; what colour it has, if any, is the theme's business.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.view.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

STYLES = ("critical", "warn", "info", "ok", "dim", "head", "key", "value", "spark", "frame", "select", "simulated")
"""critical, warn, info: severities and marks. ok: a layer without trouble. head: titles. key: keys of the keyboard.
value: a number that matters. spark: charts. frame: borders. select: where the cursor is. dim: second rank."""


_OWN = re.compile("[ -~─-╿▀-▟…·°↑↓▸]*")
"""Characters that frames and charts are made of, one column each: known at once, where others are looked up."""


class Span(NamedTuple):
    """A piece of one row."""

    text: str
    style: str = ""


Row = tuple[Span, ...]


Target = tuple[str, ...]
"""What a row or a part of it opens: ("layer", name), ("finding", rule, entity), ("indicator", name, entity),
("check", number), ("rule", id) or ("key", key)."""


class Hit(NamedTuple):
    """A part of one row that answers to the mouse: columns [x0, x1) of row y, and what it opens."""

    y: int
    x0: int
    x1: int
    target: Target


class Page(NamedTuple):
    """One screenful: rows from the top, what the mouse may press, and what the cursor may stand on, in order."""

    rows: tuple[Row, ...]
    hits: tuple[Hit, ...] = ()
    items: tuple[Target, ...] = ()
    lines: tuple[int, ...] = ()
    """Row of each item in the whole text, where the page shows a part of one; empty for a page that fits."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a person is on a page. It follows the thing it stands on when the order changes under it."""

    target: Target | None = None
    index: int = 0
    """Its place among the items when it was last drawn: stands in when the thing is gone."""
    tab: int = 0
    """Board or part of a page."""
    filter: str = ""

    def place(self, items: Sequence[Target]) -> int:
        """Index into the items; 0 when there are none."""
        if self.target in items:
            return items.index(self.target)
        return max(0, min(self.index, len(items) - 1))


def window(place: int, count: int, height: int) -> int:
    """First of `count` items to show in `height` rows so that the one at `place` is seen, near the middle."""
    return max(0, min(place - height // 2, count - height))


def row(*parts: str | Span | tuple[str, str]) -> Row:
    """A row from texts and (text, style) pairs; text from outside is made harmless here."""
    return tuple([_span(part) for part in parts if part])


def _span(part: str | Span | tuple[str, str]) -> Span:
    if isinstance(part, Span) and part.text.isprintable():
        return part
    text, style = (part, "") if isinstance(part, str) else part
    return Span(text if text.isprintable() else plain(text), style)


def cells(text: str) -> int:
    """Columns that a text takes on a terminal."""
    return len(text) if text.isascii() else _wide_cells(text)


@lru_cache(maxsize=2048)
def _wide_cells(text: str) -> int:
    """Columns of a text with other than ASCII characters: frames and charts, mostly the same at every tick."""
    return len(text) if _OWN.fullmatch(text) else sum(map(_cell, text))


@lru_cache(maxsize=1024)
def _cell(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width(spans: Iterable[Span]) -> int:
    """Columns that a row takes: its pieces put together are measured in one go."""
    text = "".join([span[0] for span in spans])
    if text.isascii():
        return len(text)
    return sum([len(span[0]) if span[0].isascii() else _wide_cells(span[0]) for span in spans])


def clip(text: str, columns: int, mark: str = "…") -> str:
    """The text cut to so many columns, with a mark where something was cut."""
    if cells(text) <= columns:
        return text
    if columns < cells(mark) + 1:
        return "" if columns < 1 else mark[:columns]
    room = columns - cells(mark)
    if text.isascii():
        return text[:room].rstrip() + mark
    return (_head(text, room) if room >= _cell(text[0]) else "").rstrip() + mark


def fit(spans: Sequence[Span], columns: int, mark: str = "…") -> Row:
    """The row cut or padded with blanks to exactly so many columns."""
    left = columns - width(spans)
    if left < 0:
        return _shortened(spans, columns, mark)
    return (*spans, Span(" " * left)) if left else tuple(spans)


def _shortened(spans: Sequence[Span], columns: int, mark: str) -> Row:
    """A row that is too long, cut in the span that reaches the last column."""
    left = columns
    kept: list[Span] = []
    for span in spans:
        size = cells(span.text)
        if size > left or (size == left and len(kept) + 1 < len(spans)):
            kept.append(Span(_cut(span.text, left, mark), span.style))
            left -= cells(kept[-1].text)
            break
        kept.append(span)
        left -= size
    return (*kept, Span(" " * left)) if left > 0 else tuple(kept)


def _cut(text: str, columns: int, mark: str) -> str:
    """Cut with a mark even when the text itself would just fit: more stood behind it."""
    return clip(text, columns, mark) if cells(text) > columns else clip(text + " ", columns, mark)


def ends(left: Sequence[Span], right: Sequence[Span], columns: int, mark: str = "…") -> Row:
    """Left part, blanks, right part; the left one gives way."""
    space = columns - width(right)
    if space < 1:
        return fit(right, columns, mark)
    return (*fit(left, space, mark), *right)


def restyle(spans: Iterable[Span], style: str) -> Row:
    """The row with a style added to every span."""
    return tuple(Span(s.text, f"{s.style}+{style}" if s.style else style) for s in spans)


def wrap(text: str, columns: int) -> list[str]:
    """The text in lines of at most so many columns, cut at blanks where there are any."""
    return list(_wrapped(text, columns))


@lru_cache(maxsize=512)
def _wrapped(text: str, columns: int) -> tuple[str, ...]:
    """Causes, conditions and definitions are the same at every tick, and wrapping reads them word by word."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        candidate = f"{line} {word}" if line else word
        if cells(candidate) <= columns:
            line = candidate
            continue
        if line:
            lines.append(line)
        line = word
        while cells(line) > columns > 0:
            head = _head(line, columns)
            lines.append(head)
            line = line[len(head) :]
    return (*lines, line) if line or not lines else tuple(lines)


def _head(text: str, columns: int) -> str:
    used = 0
    for place, character in enumerate(text):
        used += _cell(character)
        if used > columns:
            return text[: max(place, 1)]
    return text


def plain_text(rows: Iterable[Row]) -> str:
    """The rows as bare text, for tests and for copies."""
    return "\n".join("".join(span.text for span in spans).rstrip() for spans in rows)
