"""The main page: four layers in the order in which a request travels, the ranked findings, the time bill."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.view.boards import abreast, chart_rows, signals
from perfconsole.view.canvas import Hit, Page, Row, Span, Target, restyle, row
from perfconsole.view.canvas import width as cells_of
from perfconsole.view.chart import span_of
from perfconsole.view.findingspanel import findings_items, findings_lines
from perfconsole.view.layerrows import layer_rows
from perfconsole.view.layerstate import layer_state
from perfconsole.view.panel import beside, rule
from perfconsole.view.picture import KINDS, LAYERS
from perfconsole.view.readings import joined
from perfconsole.view.resources import first_full, resource_text
from perfconsole.view.spelling import fitted, spelled_row
from perfconsole.view.timebill import busiest, time_bill

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.entity import Entity
    from perfconsole.view.boards import Plot
    from perfconsole.view.canvas import Cursor
    from perfconsole.view.layerrows import LayerRows
    from perfconsole.view.picture import Picture
    from perfconsole.view.resources import Resource

_TWO_COLUMNS = 110
"""Below this width layers and findings stand one above the other: half of 100 columns holds neither."""
_TALL = 30
"""Rows from which the time bill gets its drawing."""
_LAYER_ORDER = ("engine", "hardware", "gateway", "orchestration")
"""Who gets rows first when there are few: the engine's queue leads everything."""
_CHART_ROWS = (7, 14)
"""The least and the most rows of a chart, its heading and its axis included."""
_RULE_ENDS = 6
"""Columns of a rule beside its title and its state."""
_GAP = Span(" ")


class _Drawing(NamedTuple):
    """What is drawn, where the cursor stands, and which findings are wanted."""

    picture: Picture
    chosen: Target
    filter: str


class _Part(NamedTuple):
    """Rows of a part of the page, and what of them answers to the mouse (y counts from the first of the rows)."""

    rows: list[Row]
    hits: list[Hit]


class _Blank(NamedTuple):
    """A part of the page that nothing else takes."""

    columns: int
    rows: int

    @property
    def most(self) -> int:
        """Charts that it can hold."""
        return max(0, (self.rows - 1) // _CHART_ROWS[0]) * abreast(self.columns)


def live_page(picture: Picture, cursor: Cursor, width: int, height: int) -> Page:
    """The whole page: exactly `height` rows of `width` columns."""
    items = (*findings_items(picture, cursor.filter), *(("layer", layer) for layer in LAYERS))
    chosen = items[cursor.place(items)]
    bill = time_bill(picture, width)[: 2 if height >= _TALL else 1]
    room = height - len(bill)
    part = (_wide if width >= _TWO_COLUMNS else _narrow)(_Drawing(picture, chosen, cursor.filter), width, room)
    blank = fitted((), width, picture.glyphs)
    rows = (*part.rows, *[blank] * (room - len(part.rows)), *bill)
    return Page(rows, tuple(h for h in part.hits if h.y < room), items)


def _wide(drawing: _Drawing, width: int, room: int) -> _Part:
    """Layers at the left with charts in what is left below them, findings at the right."""
    left = width * 48 // 100
    right = width - left - 1
    layers = _layers(drawing, _found(drawing.picture, left), left, room)
    findings = _findings(drawing, right, room)
    blanks = [_Blank(left, room - len(layers.rows)), _Blank(right, room - len(findings.rows))]
    below = _charts(drawing.picture, blanks)
    hits = [*layers.hits, *(hit._replace(x0=left + 1, x1=width) for hit in findings.hits)]
    glyphs = drawing.picture.glyphs
    # Spelled before they stand side by side: a name may take more columns in ASCII.
    rows = [spelled_row(r, glyphs) for r in (*layers.rows, *below[0])]
    others = [spelled_row(r, glyphs) for r in (*findings.rows, *below[1])]
    return _Part(beside(rows, others, (left, right), _GAP, glyphs.more)[:room], hits)


def _charts(picture: Picture, blanks: Sequence[_Blank]) -> list[list[Row]]:
    """The last ten minutes of the busiest engine in each blank part; what matters most goes where there is most room.

    While nothing is wrong that is below the findings: the signals that would tell of trouble first.
    """
    engine = busiest(picture)
    left = signals(picture, engine) if engine else []
    rows: list[list[Row]] = [[] for _ in blanks]
    rest = sum(blank.most for blank in blanks)
    for place in sorted(range(len(blanks)), key=lambda i: -blanks[i].most):
        most = blanks[place].most
        count = min(most, ceil(len(left) * most / rest)) if rest else 0
        if engine and count:
            rows[place] = _chart_block(picture, left[:count], engine, blanks[place])
        left, rest = left[count:], rest - most
    return rows


def _chart_block(picture: Picture, plots: Sequence[Plot], engine: Entity, blank: _Blank) -> list[Row]:
    """A line with the name of the engine, and the charts below it."""
    side = abreast(blank.columns)
    lines = [plots[i : i + side] for i in range(0, len(plots), side)]
    height = min(_CHART_ROWS[1], (blank.rows - 1) // len(lines))
    minutes = span_of(picture.watched_s) / 60
    title = row((f"LAST {minutes:.0f} MINUTES", "head"), f" {engine.name}")
    rows = [rule(title, (), blank.columns, picture.glyphs)]
    for line in lines:
        rows += chart_rows(picture, line, engine, blank.columns, height)
    return rows


def _narrow(drawing: _Drawing, width: int, room: int) -> _Part:
    """Findings on top, since they are what the page is for; the layers below in what is left."""
    found = _found(drawing.picture, width)
    needed = sum(rows.watched for rows in found.values())
    findings = _findings(drawing, width, max(4, room - len(LAYERS) - needed - _spare(room)))
    layers = _layers(drawing, found, width, room - len(findings.rows))
    below = [hit._replace(y=hit.y + len(findings.rows)) for hit in layers.hits]
    rows = [*findings.rows, *layers.rows][:room]
    return _Part([fitted(r, width, drawing.picture.glyphs) for r in rows], [*findings.hits, *below])


def _findings(drawing: _Drawing, columns: int, room: int) -> _Part:
    lines, hidden = findings_lines(drawing.picture, drawing.chosen, columns, room - 1, drawing.filter)
    hits = [Hit(y, 0, columns, target) for y, (_, target) in enumerate(lines, 1) if target]
    return _Part([_findings_rule(drawing, columns, hidden), *(piece for piece, _ in lines)], hits)


def _spare(room: int) -> int:
    """Rows that the layers get on a narrow screen beyond the first of each that is watched."""
    return max(0, (room - 14) // 2)


def _findings_rule(drawing: _Drawing, columns: int, hidden: int) -> Row:
    """How many findings, how much of the chosen one is not seen here, and how many rules are undecided."""
    picture = drawing.picture
    count = len([f for f in picture.snapshot.findings if not f.explained_by])
    kinds = [item[0] for item in findings_items(picture, drawing.filter)]
    silent = f", {n} silent" if (n := kinds.count("rule")) else ""
    here = f": {kinds.count('finding')}{silent} with {drawing.filter!r} (indicators: 1-4, then /)"
    wanted = here if drawing.filter else ""
    open_ = len(picture.snapshot.undecided)
    more = row(("enter", "key"), f" {hidden} more row{'s' * (hidden > 1)}") if hidden else ()
    state = joined((more, row((f"{open_} undecided", "dim")) if open_ else ()))
    return rule(row(("FINDINGS", "head"), f" {count}{wanted}" if count else wanted), state, columns, picture.glyphs)


def _found(picture: Picture, columns: int) -> dict[str, LayerRows]:
    """All rows of each layer, one column narrower than the page: they are set in."""
    return {layer: layer_rows(picture, layer, columns - 1) for layer in LAYERS}


def _layers(drawing: _Drawing, found: dict[str, LayerRows], columns: int, room: int) -> _Part:
    """All four layers within the room, each with its rule and as many rows as its share allows."""
    picture = drawing.picture
    watched = {layer: rows.wanted for layer, rows in found.items() if rows.watched}
    shares = _shares(watched, room - len(LAYERS))
    left = room - len(LAYERS) - sum(shares.values())
    shares |= _shares({layer: found[layer].wanted for layer in LAYERS if layer not in watched}, left)
    part = _Part([], [])
    full = first_full(picture)
    for number, layer in enumerate(LAYERS, 1):
        rows = found[layer].within(shares[layer])
        title = row((str(number), "key"), (f" {layer.upper()}", "head"))
        if drawing.chosen == ("layer", layer):
            title = restyle(title, "select")  # the name alone: over the whole rule it takes 100 bytes more a move
        head = _layer_rule(picture, layer, title, columns, full)
        added = [head, *((Span(" "), *r) for r in rows)]
        part.hits.extend(Hit(len(part.rows) + i, 0, columns, ("layer", layer)) for i in range(len(added)))
        part.rows.extend(added)
    return part


def _shares(wanted: dict[str, int], room: int) -> dict[str, int]:
    """Rows for each layer: one each first, then by need in the order of importance."""
    shares = dict.fromkeys(wanted, 0)
    while room > 0 and any(shares[k] < wanted[k] for k in wanted):
        for layer in _LAYER_ORDER:
            if room > 0 and shares.get(layer, 0) < wanted.get(layer, 0):
                shares[layer] += 1
                room -= 1
    return shares


def _layer_rule(picture: Picture, layer: str, title: Row, columns: int, full: Resource | None) -> Row:
    """The title of the layer and its state; between them what of it is full, where that fits."""
    state = layer_state(picture, layer)
    words = row((f"{state.mark} {state.word}".strip(), state.style))
    if full and full.entity.kind in KINDS[layer]:
        told = row((resource_text(full), full.level or ""), "  ", *words)
        words = told if cells_of((*title, *told)) + _RULE_ENDS <= columns else words
    return rule(title, words, columns, picture.glyphs)
