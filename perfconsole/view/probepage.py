"""The page of a probe, while it runs and when it has ended: verdict or progress, steps, curves; the rest below.

What matters stands within one screen: where the table is longer than its room, the steps around the newest one (or the
knee) are seen there and all of them further down. It scrolls as scrolling.py says; the cursor's `tab` says which curve
comes first where not all stand side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from perfconsole.view.canvas import Row, Span, clip, fit, row, window
from perfconsole.view.panel import beside
from perfconsole.view.probechart import LEAST, curve_chart
from perfconsole.view.probecurves import growing_curves
from perfconsole.view.probegrid import Entry, Grid, grid
from perfconsole.view.probehead import head_rows, title_span
from perfconsole.view.probenotes import legend_rows, note_blocks
from perfconsole.view.probespreads import spread_lines
from perfconsole.view.probetable import ENGINE, HONESTY, Cell, Column, latencies, millis, step_names
from perfconsole.view.probewords import mark_word, step_name
from perfconsole.view.scrolling import Block, Paper, scrolled
from perfconsole.view.units import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.model.probeview import ProbeView, StepNow
    from perfconsole.view.canvas import Cursor, Page
    from perfconsole.view.glyphs import Glyphs
    from perfconsole.view.probecurves import Axis, Curve, Curves

_CHART = 36
"""Columns below which two charts do not stand side by side."""
_TALLEST = 14
_FEWEST = 3
"""Steps that are seen at least where the table is folded."""
_GAP = Span("  ")
_SHARES = {1: 4, 2: 5}
"""Of the width, by the bars of a load: with these eleven loads of two bars fit on half of 80 columns."""
_STYLES = {"knee": "value", "client": "warn", "cut": "warn", "failed": "critical", "empty": "warn", "outlier": "warn"}


class _Room(NamedTuple):
    """How the rows of the first screen are shared out."""

    steps: int
    chart: int


def probe_page(view: ProbeView, cursor: Cursor, size: tuple[int, int], glyphs: Glyphs) -> Page:
    """The page; `size` is width and height."""
    paper = Paper.of(size[0], glyphs)
    head = head_rows(view, paper)
    columns = latencies(view.steps)
    entries = [*_entries(view, columns, paper), *([_now(view.now, columns, paper)] if view.now else [])]
    legend = legend_rows(view, paper)
    room = _room(size[1] - 1, len(head) + 1 + len(legend), len(entries))
    table = grid(columns, entries, paper.columns)
    seen = _seen(view, entries, room.steps)
    steps = (table.head, *table.rows[seen : seen + room.steps], *legend)
    charts = _charts(growing_curves(view), cursor.tab, paper, room.chart)
    blocks = [
        Block(("part", "head"), tuple(head)),
        Block(("part", "steps"), steps),
        *(Block(("part", "curves", str(place)), rows) for place, rows in enumerate(charts)),
        *(_all_steps(table, paper) if room.steps < len(entries) else ()),
        *_further(view, columns, entries, table, paper),
        *note_blocks(view, paper),
    ]
    return scrolled(row(title_span(view, paper)), blocks, cursor, size, glyphs)


def _room(body: int, taken: int, steps: int) -> _Room:
    """The table whole if the charts keep their least height beside it, else folded; what is left is the charts'."""
    left = body - taken
    kept = steps if steps <= left - LEAST else max(min(steps, _FEWEST), left - LEAST)
    return _Room(kept, max(LEAST, min(_TALLEST, left - kept)))


def _entries(view: ProbeView, columns: Sequence[Column], paper: Paper) -> list[Entry]:
    names = step_names(view.steps)
    made = []
    for name, result in zip(names, view.steps, strict=True):
        word = mark_word(result, view.knee)
        cells = tuple(column.cell(result) for column in columns)
        made.append(Entry(paper.clean(name), cells, Cell(word, _STYLES.get(word, ""))))
    return made


def _now(now: StepNow, columns: Sequence[Column], paper: Paper) -> Entry:
    """The step under way: what is known of it so far."""
    known = {
        "ok/err": Cell(f"{now.done - now.errors}/{now.errors}", "critical" if now.errors else "dim"),
        "TTFT p50": Cell(millis(now.ttft_p50)),
        "tok/s": Cell("-" if now.tokens_per_s is None else number(now.tokens_per_s)),
    }
    name = paper.clean(step_name(now.step))
    return Entry(name, tuple(known.get(c.head, Cell("")) for c in columns), Cell("now", "dim"))


def _seen(view: ProbeView, entries: Sequence[Entry], room: int) -> int:
    """First of the rows on the first screen: so that the newest is seen, when it has ended the knee."""
    at = [place for place, entry in enumerate(entries) if entry.mark.text == "knee"] if view.done else []
    return window(at[0] if at else len(entries) - 1, len(entries), room)


def _charts(curves: Curves, tab: int, paper: Paper, height: int) -> Iterator[tuple[Row, ...]]:
    """As many side by side as the width holds; those that are left over follow below."""
    first = tab % len(curves.all)
    order = (*curves.all[first:], *curves.all[:first])
    abreast = max(1, min(len(order), (paper.columns + len(_GAP.text)) // (_CHART + len(_GAP.text))))
    for start in range(0, len(order), abreast):
        yield tuple(_abreast(order[start : start + abreast], curves.axis, paper, height))


def _abreast(drawn: Sequence[Curve], axis: Axis, paper: Paper, height: int) -> list[Row]:
    """Charts beside one another; one of two bars a load gets more of the width than one of a single bar."""
    free = paper.columns - (len(drawn) - 1) * len(_GAP.text)
    shares = [_SHARES[min(len(curve.lines), 2)] for curve in drawn]
    widths = [free * share // sum(shares) for share in shares]
    rows, columns = curve_chart(drawn[0], axis, widths[0], height, paper.glyphs), widths[0]
    for curve, wide in zip(drawn[1:], widths[1:], strict=True):
        chart = curve_chart(curve, axis, wide, height, paper.glyphs)
        rows = beside(rows, chart, (columns, wide), _GAP, paper.glyphs.more)
        columns += wide + len(_GAP.text)
    return rows


def _all_steps(table: Grid, paper: Paper) -> Iterator[Block]:
    """Where some were left out above."""
    if table.shown:
        yield _titled("ALL STEPS", table, paper)


def _further(
    view: ProbeView, columns: Sequence[Column], entries: Sequence[Entry], table: Grid, paper: Paper
) -> Iterator[Block]:
    """All columns that found no room, how far the client was in the way, and the engine; then whole distributions."""
    rest = [place for place in range(len(columns)) if place not in table.shown]
    yield from _tables("MORE OF EACH STEP  times in ms", columns, entries, rest, paper)
    if not view.steps:
        return
    client, engine = list(range(len(HONESTY))), list(range(len(ENGINE)))
    yield from _tables("THE CLIENT ITSELF  times in ms", HONESTY, _entries(view, HONESTY, paper), client, paper)
    yield from _tables(
        "BURST, AND THE ENGINE BY ITSELF  times in ms", ENGINE, _entries(view, ENGINE, paper), engine, paper
    )
    lines = spread_lines(view.steps)
    heading = [row(("DISTRIBUTIONS  times in ms", "head")), row((lines[0], "head"))]
    rows = [*heading, *(row(paper.clean(line)) for line in lines[1:])]
    yield Block(("part", "DISTRIBUTIONS"), ((), *(fit(r, paper.columns, paper.glyphs.more) for r in rows)))


def _tables(
    title: str, columns: Sequence[Column], entries: Sequence[Entry], places: list[int], paper: Paper
) -> Iterator[Block]:
    """One table below the other until every column was shown."""
    while places and entries:
        made = grid(columns, entries, paper.columns, places)
        if not made.shown:
            return
        yield _titled(title, made, paper)
        places = [place for place in places if place not in made.shown]


def _titled(title: str, table: Grid, paper: Paper) -> Block:
    heading = row((clip(title, paper.columns, paper.glyphs.more), "head"))
    rows = [fit(line, paper.columns, paper.glyphs.more) for line in (table.head, *table.rows)]
    return Block(("part", title.partition("  ")[0], str(table.shown[0])), ((), heading, *rows))
