"""Captured logs, and books that have read them at a given moment."""

from __future__ import annotations

from calendar import timegm
from pathlib import Path

from perfconsole.sources.logs.book import GATES, LogBook
from perfconsole.sources.logs.lines import Dates, candidates

LOGS = Path(__file__).parents[2] / "captures" / "logs"
ONE_O_CLOCK = float(timegm((2025, 11, 5, 13, 0, 0)))
"""Half an hour after the captured engines started, in their own time."""


def captured(name: str) -> bytes:
    """A captured log, with ends of line as a reader sees them."""
    return (LOGS / name).read_bytes().replace(b"\r", b"\n")


def book_of(text: bytes, wall: float = ONE_O_CLOCK) -> LogBook:
    """A book that has read this text as it stood there at `wall`, its dates in UTC."""
    book = LogBook()
    dates = Dates(text, wall, 0.0)
    book.read([(dates.of(start), line) for start, line in candidates(text, GATES)])
    return book


def live(*lines: str, wall: float = ONE_O_CLOCK) -> LogBook:
    """A book that has seen these lines come, a minute apart."""
    book = LogBook()
    for number, line in enumerate(lines):
        found = [(wall + 60.0 * number, text) for _, text in candidates(line.encode() + b"\n", GATES)]
        book.read(found)
    return book


def events(book: LogBook, wall: float = ONE_O_CLOCK) -> dict[str, float]:
    """Events that it counts at `wall`, without their layer and without zeros."""
    return {name.partition(".")[2]: n for name, n in book.counts(wall).items() if n}
