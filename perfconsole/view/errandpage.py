"""The page of a command of a check: the command in full, whether it is run from here, and what it wrote.

What it wrote is text from elsewhere: shown as it is, never obeyed. It scrolls as scrolling.py says, line by line.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.view.canvas import row
from perfconsole.view.scrolling import Block, Paper, scrolled
from perfconsole.view.units import duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.finding import FindingCheck
    from perfconsole.view.canvas import Cursor, Page, Row
    from perfconsole.view.glyphs import Glyphs

MOST_LINES = 4000
"""Of short lines the most output holds many more: nobody reads them, and drawing them takes a second."""


class Progress(NamedTuple):
    """How the command is doing."""

    output: bytes
    took_s: float
    ended: str | None
    """How it ended, in words."""


def errand_page(
    check: FindingCheck, command: str, progress: Progress | None, cursor: Cursor, size: tuple[int, int], glyphs: Glyphs
) -> Page:
    """The page; `progress` is None before somebody said yes. `size` is width and height."""
    paper = Paper.of(size[0], glyphs)
    blocks = [
        _command(command, paper),
        *(_offer(check, paper) if progress is None else _result(check, progress, paper)),
    ]
    return scrolled(row((_title(check, progress), "head")), blocks, cursor, size, glyphs)


def _title(check: FindingCheck, progress: Progress | None) -> str:
    if progress is None:
        return "RUN IT HERE?  y runs it" if check.runs else "COPIED, not run from here"
    if progress.ended is None:
        return f"RUNNING for {progress.took_s:.0f} s  esc ends it"
    return f"ENDED: {progress.ended}"


def _command(command: str, paper: Paper) -> Block:
    return Block(("part", "command"), paper.labelled("command", command, "value"))


def _offer(check: FindingCheck, paper: Paper) -> Iterator[Block]:
    """What y would do, or why it does nothing."""
    if check.runs:
        text = "y runs it here, on this host and as you: it only reads, and is ended after 30 s. esc goes back."
        yield Block(("part", "offer"), ((), *paper.text(text, "ok")))
    else:
        text = f"Not run from here: {check.refused}. Paste it into a shell."
        yield Block(("part", "offer"), ((), *paper.text(text, "warn")))
    yield Block(("part", "signs"), tuple(_signs(check, paper)))


def _signs(check: FindingCheck, paper: Paper) -> Iterator[Row]:
    """What to look for in the output."""
    yield ()
    yield from paper.labelled("confirmed by", check.confirms.removeprefix("see: "), "dim")
    yield from paper.labelled("refuted by", check.refutes.removeprefix("see: "), "dim")


def _result(check: FindingCheck, progress: Progress, paper: Paper) -> Iterator[Block]:
    yield Block(("part", "signs"), (*_signs(check, paper), ()))
    rows, hidden = output_rows(progress.output, paper.columns, paper.glyphs)
    for place, line in enumerate(rows):
        yield Block(("part", "output", str(place)), (line,))
    said = (
        *((f"{hidden} more lines are not shown",) if hidden else ()),
        *((f"{progress.ended}, after {duration(progress.took_s)}",) if progress.ended else ()),
        *(("it wrote nothing",) if progress.ended and not progress.output else ()),
    )
    for place, words in enumerate(said):
        yield Block(("part", "end", str(place)), paper.text(words, "dim"))


@lru_cache(maxsize=2)
def output_rows(output: bytes, columns: int, glyphs: Glyphs) -> tuple[tuple[Row, ...], int]:
    """Lines as rows of at most so many columns, and how many lines are left out."""
    paper = Paper(columns, glyphs)
    lines = output.decode("utf-8", "replace").replace("\r\n", "\n").rstrip("\n").split("\n")
    shown = (paper.text(line.expandtabs(8).rstrip()) for line in lines[:MOST_LINES])
    return tuple(piece for pieces in shown for piece in pieces), max(0, len(lines) - MOST_LINES)
