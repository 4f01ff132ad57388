"""The dictionary as one Markdown page, for docs/reference/indicators.md.

Pure: entries in, text out. It must never write the file or look anything up.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from perfconsole.view.markdown import escaped, table_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfconsole.model.dictionary.entry import Entry

_INTRO = """\
# Indicators

This page is made from the dictionary; a change made here is lost.

Every number on the screen, in a rule and in a recording has one of these names. Values are in the base unit given:
seconds, bytes, a ratio from 0 to 1, cores (1.0 is one core fully used). A value that is not there is missing with a
reason, never 0; only an error or event counter is 0 before its first event, once its source counts requests.

- A *histogram* is read with `.p50`, `.p90`, `.p95`, `.p99` or `.mean`, over the window. A *counter* only rises and is
  read through `rate()` or `delta()`. A *state* is 0 or 1. A *fact* is configuration; one in *text* is shown and cannot
  stand in a condition. An *event* counts what was seen in the last hour unless its definition says otherwise. A
  *derived* definition ends in its formula; `d()` is the growth in the window.
- *Parts* says how ranks, reasons and other parts of one indicator become one number.
- The *mark* is where the console colours the number; it is not a finding. What follows it is what it rests on.
- Shares under *profile* are of all samples of the profiled process, idle ones included, or of the thread they name.
- *From*: live is a metrics page; proc is psutil, /proc and /sys; fact is a command line, start-up log or info page;
  poll is the console's own polling; typed is entered by hand or read from a load tool's report.
"""

_HEADINGS = ("indicator", "kind", "unit", "scope", "definition", "mark", "parts", "from", "owner")


def dictionary_markdown(entries: Iterable[Entry]) -> str:
    """Page with one table a layer, in the order of the entries; ends with a newline."""
    layers = groupby(entries, key=_layer)
    return "\n".join([_INTRO, *(_section(layer, tuple(members)) for layer, members in layers)])


def _layer(entry: Entry) -> str:
    return entry.name.partition(".")[0]


def _section(layer: str, entries: Sequence[Entry]) -> str:
    head = [f"## {layer} ({len(entries)})", "", table_line(_HEADINGS), table_line(["---"] * len(_HEADINGS))]
    return "\n".join([*head, *(table_line(_cells(entry)) for entry in entries), ""])


def _cells(entry: Entry) -> tuple[str, ...]:
    return (
        f"`{entry.name}`",
        str(entry.sort),
        entry.unit,
        str(entry.scope),
        escaped(entry.definition),
        _mark(entry),
        "" if entry.sort == "text" else str(entry.fold),
        ", ".join(entry.origins),
        escaped(entry.owner),
    )


def _mark(entry: Entry) -> str:
    marks = [f"{level} `{mark}`" for level, mark in (("warn", entry.warn), ("critical", entry.critical)) if mark]
    return "; ".join(part for part in (", ".join(marks), escaped(entry.mark_note)) if part)
