"""Distributions in the numbers that are shown of them: of samples, of counted microseconds, of an engine's histogram.

Quantiles lie on the line between the two nearest samples. p95 and p99 are withheld where they would be little else than
the maximum.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.core.quantile import mean, quantile
from perfconsole.model.proberesult import P95_FROM, P99_FROM, Spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfconsole.model.probeload import Counts

_MICRO = 1e-6


class Ranked(NamedTuple):
    """Samples in order."""

    values: tuple[float, ...]
    """Ascending."""
    upto: tuple[int, ...]
    """How many samples there are up to and with each of them."""

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.upto[-1] if self.upto else 0

    def at(self, q: float) -> float | None:
        """Value at the share q of the samples, 0..1; None without samples. Nothing is withheld."""
        if not self.upto:
            return None
        place = q * (self.n - 1)
        below = int(place)
        low, high = self._sample(below), self._sample(min(below + 1, self.n - 1))
        return min(high, low + (place - below) * (high - low))

    def above(self, limit: float) -> float:
        """Share of the samples above a limit; 0 without samples."""
        place = bisect_right(self.values, limit)
        under = self.upto[place - 1] if place else 0
        return 1 - under / self.n if self.n else 0.0

    def mean(self) -> float | None:
        """None without samples."""
        if not self.upto:
            return None
        each = (value * count for value, count in zip(self.values, self._counts(), strict=True))
        return min(self.values[-1], max(self.values[0], fsum(each) / self.n))

    def _sample(self, place: int) -> float:
        return self.values[bisect_right(self.upto, place)]

    def _counts(self) -> Iterable[int]:
        return (after - before for before, after in zip((0, *self.upto), self.upto, strict=False))


def ranked(values: Iterable[float]) -> Ranked:
    """Samples one by one."""
    ordered = sorted(values)
    return Ranked(tuple(ordered), tuple(range(1, len(ordered) + 1)))


def ranked_counts(parts: Iterable[Counts]) -> Ranked:
    """Distributions over microseconds laid together, in seconds."""
    found: dict[int, int] = {}
    for part in parts:
        for micros, count in part:
            found[micros] = found.get(micros, 0) + count
    ordered = sorted(item for item in found.items() if item[1] > 0)
    return Ranked(tuple(micros * _MICRO for micros, _ in ordered), tuple(accumulate(count for _, count in ordered)))


def spread(samples: Ranked) -> Spread:
    """The numbers that are shown; p95 from 20 samples on, p99 from 100."""
    n = samples.n
    return Spread(
        n=n,
        mean=samples.mean(),
        p50=samples.at(0.50),
        p90=samples.at(0.90),
        p95=samples.at(0.95) if n >= P95_FROM else None,
        p99=samples.at(0.99) if n >= P99_FROM else None,
        max=samples.at(1.0),
    )


def spread_of(values: Iterable[float]) -> Spread:
    """Of samples one by one."""
    return spread(ranked(values))


def spread_of_counts(parts: Iterable[Counts]) -> Spread:
    """Of distributions over microseconds laid together, in seconds."""
    return spread(ranked_counts(parts))


def spread_of_growth(bounds: Sequence[float], counts: Sequence[float], total: float | None = None) -> Spread:
    """Of what a histogram grew by: cumulative counts over its bounds (the last one infinite), and the sum of them all.

    Nobody knows the maximum of a histogram. Without observations all is None.
    """
    n = int(counts[-1]) if counts else 0
    if n <= 0:
        return Spread()
    return Spread(
        n=n,
        mean=None if total is None else mean(total, counts[-1]),
        p50=quantile(0.50, bounds, counts),
        p90=quantile(0.90, bounds, counts),
        p95=quantile(0.95, bounds, counts) if n >= P95_FROM else None,
        p99=quantile(0.99, bounds, counts) if n >= P99_FROM else None,
    )
