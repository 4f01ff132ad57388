"""Columns of numbers set into the room that there is: what matters least gives way, and nothing is cut in two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.view.canvas import Row, Span, cells, row
from perfconsole.view.probetable import Cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.proberesult import StepResult
    from perfconsole.view.probetable import Column

_GAP = 1
_LEAST_NAME = 4
_NO_MARK = Cell("")


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: its name, a cell for each column, and a word at its end."""

    name: str
    cells: tuple[Cell, ...]
    mark: Cell = _NO_MARK


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as rows of one width."""

    head: Row
    rows: tuple[Row, ...]
    shown: tuple[int, ...]
    """Which of the columns found room, by their place."""


def grid(columns: Sequence[Column], entries: Sequence[Entry], room: int, places: Sequence[int] | None = None) -> Grid:
    """The table in `room` columns; `places` are the columns that may be shown, all of them unless given."""
    name = max([_LEAST_NAME, *(cells(entry.name) for entry in entries)])
    marks = [cells(entry.mark.text) for entry in entries]
    left = room - name - (max(marks, default=0) + _GAP if any(marks) else 0)
    shown = _fitting(columns, entries, left, range(len(columns)) if places is None else places)
    heads, widths = _measured(columns, entries, shown)
    head = "".join(f"{'':{_GAP}}{text:>{width}}" for text, width in zip(heads, widths, strict=True))
    rows = tuple(_row(entry, name, list(zip(shown, widths, strict=True))) for entry in entries)
    return Grid(row((f"{'load':>{name}}{head}", "head")), rows, tuple(shown))


def _measured(columns: Sequence[Column], entries: Sequence[Entry], shown: Sequence[int]) -> tuple[list[str], list[int]]:
    """Headings of these columns beside one another, and how wide each is."""
    before = [None, *(columns[place] for place in shown)]
    heads = [columns[place].head_after(left) for place, left in zip(shown, before, strict=False)]
    widths = [
        max([columns[place].least, cells(head), *(cells(entry.cells[place].text) for entry in entries)])
        for place, head in zip(shown, heads, strict=True)
    ]
    return heads, widths


def _fitting(columns: Sequence[Column], entries: Sequence[Entry], room: int, places: Sequence[int]) -> list[int]:
    """The most important ones that fit, in their own order. The first that does not fit ends it: no gaps by chance."""
    kept: list[int] = []
    for place in sorted(places, key=lambda p: (columns[p].rank, p)):
        more = sorted([*kept, place])
        widths = _measured(columns, entries, more)[1]
        if sum(widths) + _GAP * len(widths) > room:
            break
        kept = more
    return kept


def _row(entry: Entry, name: int, widths: Sequence[tuple[int, int]]) -> Row:
    style = entry.mark.style
    spans = [(_left(entry.name, name), style or "value")]
    for place, columns in widths:
        cell = entry.cells[place]
        spans.append((f"{'':{_GAP}}{_left(cell.text, columns)}", cell.style or ("dim" if style == "dim" else "")))
    mark = (Span(f"{'':{_GAP}}{entry.mark.text}", style),) if entry.mark.text else ()
    return (*row(*spans), *mark)


def _left(text: str, columns: int) -> str:
    """Set to the right; a name from outside may take two columns a character."""
    return " " * (columns - cells(text)) + text


def entry_of(name: str, columns: Sequence[Column], result: StepResult, mark: Cell) -> Entry:
    """The row of one step."""
    return Entry(name, tuple(column.cell(result) for column in columns), mark)
