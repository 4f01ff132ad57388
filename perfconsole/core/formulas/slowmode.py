"""A second, slow mode in the latency of a gateway: a few requests that all take about the same time too long.

A time-out somewhere below (a resolver's 5 s) makes such a peak; a heavy tail does not, however long it is. Counts in
buckets of growing width rise where the true density falls, so all is judged by density, and a peak counts only behind a
valley in which far more requests would lie if it were part of the tail.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from math import isinf
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.core.formulas.common import RATIO_WINDOW_S, poll_window_s
from perfconsole.core.quantile import quantile
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

LATENCY = "gateway.latency"
_APART = 4.0
"""Medians at which a slow mode begins."""
_LEAST_SHARE, _MOST_SHARE = 0.002, 0.2
MIN_PEAK = 12.0
"""Requests in the peak, and those missing from the valley: of a smooth tail, fewer would look so by chance."""
MIN_REQUESTS = MIN_PEAK / _MOST_SHARE
_EMPTY = 0.1
"""Density of the valley against the peak's."""
_SHOULDER = 0.5
"""Neighbours of the densest bucket that belong to the peak."""
_SHARP = 1.35
"""Upper by lower bound of the peak up to which its middle is its place: 4.5 to 6 s, but not 5 to 10 s."""


class _Bucket(NamedTuple):
    low: float
    high: float
    held: float
    """Requests in it."""

    @property
    def density(self) -> float:
        return self.held / (self.high - self.low)


class SlowMode(NamedTuple):
    """The peak: its bounds and place in seconds, and its share of all requests."""

    low: float
    high: float
    place: float
    share: float


def slow_mode_of(bounds: Sequence[float], counts: Sequence[float]) -> SlowMode | None:
    """The slow mode of a distribution with the most requests; None without one. `counts` are cumulative."""
    total, middle = counts[-1], quantile(0.5, bounds, counts)
    if middle is None:
        return None
    buckets = _buckets(bounds, counts)
    found = [m for i in range(1, len(buckets)) if (m := _mode_at(buckets, i, total)) and m.place >= _APART * middle]
    return max(found, key=lambda mode: mode.share, default=None)


def _buckets(bounds: Sequence[float], counts: Sequence[float]) -> list[_Bucket]:
    """Buckets with a width: all but the last, and from 0 on."""
    edges = [(0.0, 0.0), *((b, c) for b, c in zip(bounds, counts, strict=True) if b > 0 and not isinf(b))]
    return [_Bucket(low, high, max(0.0, up - below)) for (low, below), (high, up) in pairwise(edges)]


def _mode_at(buckets: Sequence[_Bucket], top: int, total: float) -> SlowMode | None:
    """The mode whose densest bucket is this one; None where it is no peak behind a valley, or of another size."""
    density = buckets[top].density
    around = [buckets[i].density for i in (top - 1, top + 1) if i < len(buckets)]
    if density <= 0 or density < max(around):
        return None
    first, last = _shoulders(buckets, top)
    count = sum(b.held for b in buckets[first : last + 1])
    share = count / total
    if count < MIN_PEAK or not _LEAST_SHARE <= share <= _MOST_SHARE or not _behind_a_valley(buckets, first, density):
        return None
    place = sum(b.held * (b.low + b.high) / 2 for b in buckets[first : last + 1]) / count
    return SlowMode(buckets[first].low, buckets[last].high, place, share)


def _shoulders(buckets: Sequence[_Bucket], top: int) -> tuple[int, int]:
    least = _SHOULDER * buckets[top].density
    first = last = top
    while first > 0 and buckets[first - 1].density >= least:
        first -= 1
    while last + 1 < len(buckets) and buckets[last + 1].density >= least:
        last += 1
    return first, last


def _behind_a_valley(buckets: Sequence[_Bucket], first: int, density: float) -> bool:
    """The buckets just before the peak are nearly empty, and wide enough for that to be no chance."""
    end = low = first
    while low > 0 and buckets[low - 1].density <= _EMPTY * density:
        low -= 1
    width = sum(b.high - b.low for b in buckets[low:end])
    return low > 0 and density * width >= MIN_PEAK


def _found(frame: Frame, gateway: Entity) -> SlowMode | Missing:
    return frame.once(("slow mode", gateway), partial(_find, frame, gateway))


def _find(frame: Frame, gateway: Entity) -> SlowMode | Missing:
    grown = frame.increase(LATENCY, gateway, poll_window_s(frame, LATENCY, gateway, RATIO_WINDOW_S))
    if isinstance(grown, Missing):
        return grown
    bounds = grown.bounds or ()
    if len(bounds) < 3:
        return Missing.UNSUPPORTED
    if grown.cells[-2] < MIN_REQUESTS:
        return Missing.WARMING_UP
    return slow_mode_of(bounds, grown.cells[:-1]) or Missing.NEVER


def slow_mode(frame: Frame, gateway: Entity) -> float | Missing:
    """Place of the slow mode of the last 5 min, in seconds; UNSUPPORTED where its buckets are too wide to tell."""
    found = _found(frame, gateway)
    if isinstance(found, Missing):
        return found
    return found.place if found.high <= _SHARP * found.low else Missing.UNSUPPORTED


def slow_mode_share(frame: Frame, gateway: Entity) -> float | Missing:
    """Requests in that peak / all requests."""
    found = _found(frame, gateway)
    return found if isinstance(found, Missing) else found.share


FORMULAS = {
    "gateway.slow_mode": slow_mode,
    "gateway.slow_mode_share": slow_mode_share,
}
