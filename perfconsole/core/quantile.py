"""Quantiles of a bucketed distribution, as PromQL's histogram_quantile gives them."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from math import isinf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def quantile(q: float, bounds: Sequence[float], counts: Sequence[float]) -> float | None:
    """Value below which the share `q` of the observations lies, by linear interpolation inside its bucket.

    `counts` are cumulative over `bounds` (ascending, the last one infinite). None without observations, and for a
    summary (the one bound infinity). A quantile in the last bucket is its lower bound; the first bucket starts at 0.
    """
    return quantiles((q,), bounds, counts)[0]


def quantiles(shares: Iterable[float], bounds: Sequence[float], counts: Sequence[float]) -> list[float | None]:
    """What `quantile` gives for each of some shares."""
    counts = _never_falling(counts)
    if len(bounds) < 2 or counts[-1] <= 0:
        return [None for _ in shares]
    return [_within(q * counts[-1], bounds, counts) for q in shares]


def _within(rank: float, bounds: Sequence[float], counts: Sequence[float]) -> float:
    """Value of an observation by its place in the order of all."""
    index = bisect_left(counts, rank)
    if isinf(bounds[index]):
        return bounds[-2]
    if index == 0 and bounds[0] <= 0:
        return bounds[0]
    lower, below = (0.0, 0.0) if index == 0 else (bounds[index - 1], counts[index - 1])
    inside = counts[index] - below
    return lower + (bounds[index] - lower) * ((rank - below) / inside) if inside > 0 else bounds[index]


def _never_falling(counts: Sequence[float]) -> list[float]:
    """Buckets written while others are read may fall by an observation; the higher count below is the truth."""
    return list(accumulate(counts, max))


def mean(total: float, count: float) -> float | None:
    """Sum by count; None without observations."""
    return total / count if count > 0 else None
