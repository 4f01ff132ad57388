"""The page of a dump: the same lines as on the command line, scrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.view.canvas import row
from perfconsole.view.dumpreport import dump_lines
from perfconsole.view.scrolling import Block, Paper, scrolled

if TYPE_CHECKING:
    from perfconsole.model.stackdump import DumpReading
    from perfconsole.view.canvas import Cursor, Page, Row
    from perfconsole.view.glyphs import Glyphs
    from perfconsole.view.report_text import Line


def dump_page(reading: DumpReading, cursor: Cursor, size: tuple[int, int], glyphs: Glyphs) -> Page:
    """All processes, the odd one out first."""
    paper = Paper.of(size[0], glyphs)
    rows = tuple(r for line in dump_lines(reading) for r in _rows(line, paper))
    odd = next((p for p in reading.processes if p.odd), None)
    title = f"STACKS NOW  process {odd.pid} {odd.role}: {odd.odd}" if odd else "STACKS NOW"
    style = "critical" if odd else "head"
    return scrolled(row((paper.clean(title), style)), [Block(("part", "stacks"), rows)], cursor, size, glyphs)


def _rows(line: Line, paper: Paper) -> tuple[Row, ...]:
    """A line behind its own blanks: what belongs to a thread stands below it."""
    text = line.text.lstrip(" ")
    return paper.text(text, line.style, len(line.text) - len(text)) if text else ((),)
