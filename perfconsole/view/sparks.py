"""Small charts of one row: what an operand did lately, and how far a hold has run."""

from __future__ import annotations

from math import ceil, isfinite
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.view import chart
from perfconsole.view.units import unit_of

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.model.finding import Finding
    from perfconsole.view.glyphs import Glyphs
    from perfconsole.view.picture import Picture

_SPANS = (60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 7200.0, 14400.0, 28800.0, 86400.0)
"""Lengths of time a chart may cover; few of them, so that it does not change its scale at every tick."""
_LATELY_S = 600.0
_STEP_S = 5
"""No stretch is shorter than the slowest cadence, or a chart would show gaps where there are none."""


class Spark(NamedTuple):
    """A chart and between which values it moves."""

    line: str
    reach: str


def bar(share: float, columns: int, glyphs: Glyphs) -> str:
    """`[███-------]`: a bar that fills; full only when the share is 1."""
    full = int(max(0.0, min(share, 1.0)) * columns)
    return f"[{glyphs.bars[-1] * full}{glyphs.horizontal * (columns - full)}]"


def span_s(picture: Picture, finding: Finding) -> float:
    """Seconds a chart beside this finding covers: 10 min, back to its beginning, and not before watching began."""
    t = picture.snapshot.t
    wanted = min(max(_LATELY_S, t - finding.since), t - picture.started)
    return next((span for span in _SPANS if span >= wanted), _SPANS[-1])


def spark(picture: Picture, operand: str, entity: Entity, span: float, columns: int) -> Spark | None:
    """Chart of the indicator that an operand reads; None without one known value, and for a baseline."""
    name = indicator_of(operand)
    if not name or columns < 1:
        return None
    step = max(_STEP_S, ceil(span / columns))
    count = min(columns, ceil(span / step))
    trail = picture.trails(name, owner(picture, name, entity), float(step), count)
    known = [v for v in trail if v is not None and isfinite(v)]
    if not known:
        return None
    unit = unit_of(name)
    low, high = (chart.short(value, unit).strip() for value in (min(known), max(known)))
    return Spark(chart.spark(trail, picture.glyphs), low if low == high else f"{low} to {high}")


def indicator_of(operand: str) -> str:
    """Name inside an operand as written; empty for a baseline, which has no history."""
    function, bracket, rest = operand.partition("(")
    if not bracket:
        return operand
    return "" if function == "base" else rest.rstrip(")").partition("[")[0]


def owner(picture: Picture, name: str, entity: Entity) -> Entity:
    """Whose indicator it is: the entity itself, or the only one linked to it that has it."""
    if picture.indicator(name, entity) is not None:
        return entity
    near = [
        other
        for link in picture.snapshot.links
        if entity in (link.parent, link.child)
        for other in (link.parent, link.child)
        if other != entity and picture.indicator(name, other) is not None
    ]
    return near[0] if len(set(near)) == 1 else entity
