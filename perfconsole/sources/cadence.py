"""How often a target may be asked: once a second, stretched so that polling takes at most 2 % of its time."""

from __future__ import annotations

from statistics import median

FASTEST_S = 1.0
SLOWEST_S = 5.0
SHARE = 0.02
_QUICK_POLLS = 2
"""The first polls come at the fastest pace: a rate needs two of them, and people wait."""


class Cadence:
    """Interval of one target from what its last five polls took."""

    def __init__(self) -> None:
        self._took: list[float] = []
        self._polls = 0

    def after(self, took_s: float) -> float:
        """Seconds until the next poll may start, once this one has taken `took_s`."""
        self._polls += 1
        self._took = [*self._took[-4:], took_s]
        if self._polls <= _QUICK_POLLS:
            return FASTEST_S
        return min(SLOWEST_S, max(FASTEST_S, median(self._took) / SHARE))
