"""Values of one page that belong to one part of an indicator, and what they come to. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.sample import Histogram

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Metric

TIMES = "*"
OVER = "/"
"""Cells of the operands of a row."""
LEAST = "<"
"""Cell of a series that says again what another one said."""
BUCKET = "_bucket"
SUM = "_sum"
COUNT = "_count"
HISTOGRAM_CELLS = (BUCKET, SUM, COUNT)
"""Cells of a histogram, as its series end."""


class Place(NamedTuple):
    """The part that a series belongs to."""

    row: int
    """Of the table of the adapter."""
    rank: str
    slot: str
    """Number that tells several series of one row and rank apart, empty for the first: no other label is stored."""
    upstream: str
    """Name of what is called, where the row keeps it."""
    pool: str = ""
    """Number of the pool that this belongs to, where the row tells pools apart."""


class Aim(NamedTuple):
    """Where the value of one raw series goes: a part, and which cell of it."""

    place: Place
    cell: str
    bound: float
    """Upper bound of a bucket."""


@dataclass(slots=True)
class Gathered:
    """Values of one place on one page."""

    value: float = 0.0
    own: bool = False
    """The row's own series are there, not just those of its operands."""
    bounds: tuple[float, ...] = ()
    """Of a histogram whose every bucket has a bound of its own, from the least to the greatest."""
    counts: tuple[float, ...] = ()
    """At these bounds."""
    buckets: dict[float, float] = field(default_factory=dict)
    """Where several series make one bucket: their sum by bound."""
    total: float | None = None
    count: float | None = None
    times: float | None = None
    over: float | None = None

    def add(self, aim: Aim, value: float) -> None:
        """Take the value of one series."""
        match aim.cell:
            case "":
                self.value += value if value >= 0 else nan  # -1 among the limits of several models: there is no limit
                self.own = True
            case "<":
                self.value = min(self.value, value) if self.own else value
                self.own = True
            case "_bucket":
                self.buckets[aim.bound] = self.buckets.get(aim.bound, 0.0) + value
                self.own = True
            case "_sum":
                self.total = (self.total or 0.0) + value
                self.own = True
            case "_count":
                self.count = (self.count or 0.0) + value
            case "*":
                self.times = (self.times or 0.0) + value
            case _:
                self.over = (self.over or 0.0) + value

    @property
    def given(self) -> bool:
        """The page has the row, with a number."""
        return self.own and isfinite(self.value)

    def histogram(self, scale: float) -> Histogram | None:
        """In the unit that `scale` leads to; None when the page lacks a part of it or has NaN or infinity for one."""
        if self.total is None or self.count is None:
            return None
        bounds, counts = self._ladder()
        if not isfinite(self.total + self.count + sum(counts)):
            return None
        if not bounds:
            return Histogram((inf,), (self.count,), self.total * scale)
        if bounds[-1] != inf:
            return None
        scaled = bounds if scale == 1.0 else tuple(b * scale for b in bounds)
        return Histogram(scaled, counts, self.total * scale)

    def _ladder(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Bounds and counts of a histogram in order."""
        if not self.buckets:
            return self.bounds, self.counts
        bounds = tuple(sorted(self.buckets))
        return bounds, tuple(self.buckets[b] for b in bounds)

    def number(self, metric: Metric) -> float | None:
        """In the base unit, its operands applied; None without one of them, without its own series, or for no number.

        Negative numbers are none: -1 is how exporters say that, and nothing mapped here can be negative.
        """
        value = self.value if self.own else None
        if value is not None and metric.times is not None:
            value = None if self.times is None else value * self.times
        if value is not None and metric.over is not None:
            value = value / self.over if self.over else None
        if value is None or value > metric.most:
            return None
        value = min(value, metric.ceiling) * metric.scale + metric.offset
        return value if isfinite(value) and value >= 0 else None
