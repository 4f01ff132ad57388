"""Values of one entity in a row: label, value and mark; one reason where several are missing for the same one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.view.canvas import Row, Span, width
from perfconsole.view.layers import MARKS
from perfconsole.view.units import told

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfconsole.model.entity import Entity
    from perfconsole.model.snapshot import Indicator
    from perfconsole.view.picture import Picture

Labelled = tuple[str, str]
"""A label and the name of an indicator."""
_GAP = Span("  ")


def reading(label: str, indicator: Indicator) -> Row:
    """`KV 52%`, with the sign of a mark behind it."""
    missing = isinstance(indicator.value, Missing)
    style = "dim" if missing else indicator.mark or "value"
    text = f"{told(indicator)}{MARKS[indicator.mark]}"
    return (Span(f"{label} ", "dim"), Span(text, style))


def readings(picture: Picture, entity: Entity, wanted: Iterable[Labelled]) -> Row:
    """The readings that some source speaks of, two blanks between them."""
    found = [(label, i) for label, name in wanted if (i := picture.indicator(name, entity)) is not None]
    reasons = {i.value for _, i in found}
    if len(found) > 1 and len(reasons) == 1 and isinstance(found[0][1].value, Missing):
        return reading(found[0][0].split(" ")[0], found[0][1])
    return joined(reading(label, i) for label, i in found)


def joined(rows: Iterable[Sequence[Span]], gap: Span = _GAP) -> Row:
    """Rows one after the other with a gap between; empty ones leave none."""
    spans: list[Span] = []
    for piece in rows:
        if piece:
            spans += [gap, *piece] if spans else piece
    return tuple(spans)


def packed(rows: Iterable[Sequence[Span]], columns: int) -> Row:
    """As many of the rows, from the first, as fit beside one another."""
    spans: list[Span] = []
    used = 0
    for piece in rows:
        size = width((_GAP, *piece) if spans else piece)
        if piece and used + size <= columns:
            spans += (_GAP, *piece) if spans else piece
            used += size
    return tuple(spans)
