"""The row that the layer files are written in, with the usual fold of each sort and unit.

Turns one literal row into an Entry; it must never know a single indicator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.dictionary.entry import Entry, Fold, Sort

if TYPE_CHECKING:
    from perfconsole.model.entity import Kind

GAUGE = Sort.GAUGE
COUNTER = Sort.COUNTER
HISTOGRAM = Sort.HISTOGRAM
STATE = Sort.STATE
FACT = Sort.FACT
TEXT = Sort.TEXT
EVENT = Sort.EVENT
DERIVED = Sort.DERIVED

_BY_SORT = {
    COUNTER: Fold.SUM,
    HISTOGRAM: Fold.SUM,
    EVENT: Fold.SUM,
    STATE: Fold.MAX,
    FACT: Fold.MAX,
    TEXT: Fold.MAX,
}
_BY_UNIT = {"ratio": Fold.MEAN, "s": Fold.MAX, "s/s": Fold.MAX, "°C": Fold.MAX, "enum": Fold.MAX}


def row_of(  # noqa: PLR0913 - as many parameters as the dictionary has columns
    name: str,
    sort: Sort,
    unit: str,
    origins: str,
    definition: str,
    *,
    scope: Kind,
    owner: str,
    warn: str = "",
    critical: str = "",
    note: str = "",
    fold: Fold | None = None,
) -> Entry:
    """One row as an Entry. `origins` is comma-separated; without `fold` the sort, then the unit decides it."""
    return Entry(
        name=name,
        sort=sort,
        unit=unit,
        scope=scope,
        definition=definition,
        warn=warn,
        critical=critical,
        mark_note=note,
        origins=tuple(origins.split(", ")),
        owner=owner,
        fold=fold or usual_fold(sort, unit),
    )


def usual_fold(sort: Sort, unit: str) -> Fold:
    """How parts fold where a row says nothing: counts add up, ratios average, of times and facts the largest holds."""
    return _BY_SORT.get(sort) or _BY_UNIT.get(unit, Fold.SUM)
