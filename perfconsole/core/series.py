"""One raw series as polled, and the increase of a counter or histogram over a window."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from math import inf, nan
from operator import sub

from perfconsole.core.ring import Ring
from perfconsole.model.sample import Histogram, Value

MINUTE_S = 60.0
DIP_S = 30.0
"""A counter that is back above its old count within this time was read wrongly in between: no process is so quick."""
DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Increase:
    """What was added to a counter (one cell) or a histogram (a cell a bucket, then the sum) over `seconds`."""

    cells: tuple[float, ...]
    seconds: float
    bounds: tuple[float, ...] | None = None
    """Bucket bounds of a histogram's cells."""


class Series:
    """Samples of one key for ten minutes; of a histogram also one row a minute for a day.

    Histograms are kept as rows of cumulative counts with the sum as last cell. The store is the only writer.
    """

    __slots__ = ("_dips", "_peaks", "bounds", "last_t", "minutes", "newest", "patience_s", "raw", "resets", "source")

    def __init__(self, source: str, bounds: tuple[float, ...] | None = None) -> None:
        self.source = source
        self.patience_s = 0.0
        """Age up to which it is good whatever its source does meanwhile: facts do not change by the second."""
        self.bounds = bounds
        width = 1 if bounds is None else len(bounds) + 1
        self.raw = Ring(width, keep_s=660.0)
        self.minutes = Ring(width, keep_s=DAY_S)
        self.resets: deque[float] = deque()
        """Times of the first sample after the counter went backwards."""
        self._peaks: deque[float] = deque()
        """Count before each of them."""
        self.last_t = -inf
        """Time of the newest sample, minus infinity when none is left."""
        self.newest = nan
        """Newest value of a plain series, newest count of a histogram; without meaning when there is none."""
        self._dips: deque[tuple[float, float]] = deque()
        """Stretches [from, to) that a counter spent below where it was before and after: not restarts."""

    def append(self, t: float, value: Value) -> None:
        """Add one sample; a decrease of the count is kept as a reset, which no increase spans."""
        if t < self.last_t:
            return  # a late answer neither began anew nor came back
        if isinstance(value, Histogram):
            row = (*value.counts, value.total)
            self._note(t, row[-2])
            self.raw.append(t, row)
        else:
            row = (value,)
            self._note(t, value)
            self.raw.push(t, value)
        if self.bounds is not None and (self.minutes.last_t is None or t - self.minutes.last_t >= MINUTE_S):
            self.minutes.append(t, row)

    def _note(self, t: float, count: float) -> None:
        """See whether the counter went backwards, or is back where it was."""
        if count < self.newest and t > self.last_t:
            self._note_reset(t, self.newest)
        if self.resets:
            while self.resets and count >= self._peaks[-1] and t - self.resets[-1] <= DIP_S:
                self._note_dip(t)
        self.last_t, self.newest = t, count

    def _note_reset(self, t: float, peak: float) -> None:
        self.resets.append(t)
        self._peaks.append(peak)
        while self.resets[0] <= self.raw.time(0):
            self.resets.popleft()  # a gauge falls at every other sample: the list must not be copied each time
            self._peaks.popleft()

    def _note_dip(self, t: float) -> None:
        """The counter is back where it was: what lay between was a bad page, not a restart."""
        self._peaks.pop()
        self._dips.append((self.resets.pop(), t))
        while self._dips and self._dips[0][1] <= self.raw.time(0):
            self._dips.popleft()

    def forget(self) -> None:
        """Drop the samples of a process that is gone; the minutes stay for charts."""
        self.raw.clear()
        self.last_t, self.newest = -inf, nan
        self.resets.clear()
        self._peaks.clear()
        self._dips.clear()

    def frozen(self) -> Series:
        """A copy that holds only the newest row."""
        copy = Series(self.source, self.bounds)
        copy.raw.append(self.last_t, self.last_row())
        copy.last_t, copy.newest = self.last_t, self.newest
        return copy

    def last(self) -> float:
        """Newest value of a plain series, newest count of a histogram."""
        return self.newest

    def last_row(self) -> tuple[float, ...]:
        """Newest row: the value, or cumulative counts and sum."""
        return tuple(self.raw.row(-1))

    def increase(self, start: float, end: float) -> Increase | None:
        """What was added between the polls in [start, end]; None with fewer than two of them.

        Across a reset the step is dropped with its time, never counted as negative and never as a fresh start. Samples
        inside a dip are left out.
        """
        i, j = self.raw.span(start, end)
        if not self.resets and not self._dips:
            return self._rise(i, j - 1) if j - i > 1 else None
        edges = [i, *(cut for r in self.resets if i < (cut := self.raw.span(r, r)[0]) < j), j]
        trimmed = (self._outside_dips(a, b - 1) for a, b in pairwise(edges))
        runs = [(a, b) for a, b in trimmed if a < b]
        if not runs:
            return None
        seconds = sum(self.raw.time(b) - self.raw.time(a) for a, b in runs)
        cells = [0.0] * self.raw.width
        for a, b in runs:
            first, last = self.raw.row(a), self.raw.row(b)
            cells = [c + y - x for c, x, y in zip(cells, first, last, strict=True)]
        return Increase(tuple(cells), seconds, self.bounds)

    def _rise(self, first: int, last: int) -> Increase:
        """What was added between two rows with nothing odd between them."""
        raw = self.raw
        seconds = raw.time(last) - raw.time(first)
        if raw.width == 1:
            return Increase((raw.cell(last) - raw.cell(first),), seconds, self.bounds)
        return Increase(tuple(map(sub, raw.row(last), raw.row(first))), seconds, self.bounds)

    def _outside_dips(self, first: int, last: int) -> tuple[int, int]:
        """The run without samples of a dip at its ends."""
        for start, end in self._dips:
            while first < last and start <= self.raw.time(first) < end:
                first += 1
            while first < last and start <= self.raw.time(last) < end:
                last -= 1
        return first, last


def bounds_of(value: Value) -> tuple[float, ...] | None:
    """Bucket bounds of a histogram sample, None of a plain one."""
    return value.bounds if isinstance(value, Histogram) else None


def zero_like(value: Value) -> Value:
    """A counter or a histogram of the same buckets in which nothing was counted yet."""
    return Histogram(value.bounds, (0.0,) * len(value.bounds), 0.0) if isinstance(value, Histogram) else 0.0
