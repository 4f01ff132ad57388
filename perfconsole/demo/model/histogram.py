"""A cumulative histogram as Prometheus has it. Owns counts and sum; never forgets."""

from __future__ import annotations

from bisect import bisect_left


class Histogram:
    """Observations by upper bound; the bound itself belongs to its bucket."""

    __slots__ = ("_counts", "bounds", "count", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self.count = 0
        self.total = 0.0

    def observe(self, value: float, times: int = 1) -> None:
        """Take in a value that was seen so many times."""
        self._counts[bisect_left(self.bounds, value)] += times
        self.count += times
        self.total += value * times

    def cumulative(self) -> list[int]:
        """Observations up to each bound, the last one up to infinity."""
        running, sums = 0, []
        for count in self._counts:
            running += count
            sums.append(running)
        return sums
