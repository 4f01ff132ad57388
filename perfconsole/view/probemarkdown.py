"""A result as one page of Markdown, with its curves drawn in characters: it can be read where no picture is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.probeview import ProbeView
from perfconsole.view.canvas import plain_text
from perfconsole.view.glyphs import UNICODE
from perfconsole.view.markdown import literal, table_line
from perfconsole.view.probechart import curve_chart
from perfconsole.view.probecurves import growing_curves
from perfconsole.view.probedocument import document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.proberesult import ProbeResult
    from perfconsole.view.probedocument import Pairs, Table

_WIDE, _TALL = 72, 12


def probe_markdown(result: ProbeResult, meaning: str = "") -> str:
    """The page; `meaning` is what it says of the finding that asked for it."""
    told = document(result, meaning)
    lines = [f"# {literal(told.title)}", "", f"**{literal(told.verdict)}**", "", *_list(told.result)]
    lines += [*_curves(result), *(line for table in told.tables for line in _table(table))]
    for name, pairs in told.lists:
        lines += ["", f"## {literal(name)}", "", *_list(pairs)]
    lines += ["", "## What it cannot say", "", *(f"- {literal(words)}" for words in told.limits)]
    return "\n".join(lines) + "\n"


def _list(pairs: Pairs) -> Iterator[str]:
    for word, text in pairs:
        yield f"- {literal(word)}: {literal(text)}"


def _curves(result: ProbeResult) -> Iterator[str]:
    """A load in brackets is the knee, one in parentheses is not valid."""
    if not result.steps:
        return
    curves = growing_curves(ProbeView.of(result))
    yield from ("", "## Curves", "", "A load in brackets is the knee, one in parentheses is not valid.")
    for curve in curves.all:
        yield from ("", "```text", plain_text(curve_chart(curve, curves.axis, _WIDE, _TALL, UNICODE)), "```")


def _table(table: Table) -> Iterator[str]:
    yield from ("", f"## {literal(table.title)}", "", literal(table.about), "")
    yield table_line(map(literal, table.heads))
    yield table_line(["---:"] * (len(table.heads) - 1) + ["---"])
    yield from (table_line(map(literal, row)) for row in table.rows)
