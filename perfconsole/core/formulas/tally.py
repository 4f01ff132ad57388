"""Counts of several pages over the stretch that all of them saw, poll by poll.

Two pages are never read at the same moment and seldom begin at the same one: a service found ten seconds after the
engine, or started anew, must not be measured against ten more seconds of the engine's requests. So counts are lines
over time, and a ratio is taken between moments at which both are known.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from math import inf
from operator import add
from statistics import median
from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import RATIO_WINDOW_S, poll_window_s
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfconsole.core.frame import Frame
    from perfconsole.core.series import Series
    from perfconsole.model.entity import Entity

_LATE = 1.5
"""Usual intervals after which a poll is late; what it and the next one show may be older than their times."""


@dataclass(frozen=True, slots=True)
class Tally:
    """A count at each poll; between two polls it is taken to rise evenly. Only differences mean something."""

    times: Sequence[float]
    counts: Sequence[float]

    @property
    def start(self) -> float:
        """Time of the first poll."""
        return self.times[0]

    @property
    def end(self) -> float:
        """Time of the last poll."""
        return self.times[-1]

    def at(self, t: float) -> float:
        """Count at a moment; that of the nearer end outside the polls."""
        i = bisect_left(self.times, t, 1, max(1, len(self.times) - 1))
        return Tally(self.times[i - 1 : i + 1], self.counts[i - 1 : i + 1]).sampled([t])[0]

    def sampled(self, times: Sequence[float]) -> list[float]:
        """Counts at rising moments."""
        if times == self.times:
            return list(self.counts)
        found, i = [], 1
        last = len(self.times) - 1
        for t in times:
            while i < last and self.times[i] < t:
                i += 1
            before, after = self.times[i - 1], self.times[min(i, last)]
            share = min(1.0, max(0.0, (t - before) / (after - before))) if after > before else 1.0
            found.append(self.counts[i - 1] + share * (self.counts[min(i, last)] - self.counts[i - 1]))
        return found

    def growth(self, start: float, end: float) -> float:
        """What was added between two moments."""
        return self.at(end) - self.at(start)

    def within(self, start: float, end: float) -> list[float]:
        """Times of the polls in [start, end]."""
        return list(self.times[bisect_left(self.times, start - 1e-6) : bisect_right(self.times, end + 1e-6)])

    def usual_s(self) -> float:
        """Seconds between two polls, as a rule; infinite with fewer than two."""
        return median(b - a for a, b in pairwise(self.times)) if len(self.times) > 1 else inf

    def punctual(self) -> Tally:
        """Without polls that came late: the time they had to fill is shared with the poll that follows."""
        most = _LATE * self.usual_s()
        kept = [0, *(i for i in range(1, len(self.times)) if self.times[i] - self.times[i - 1] <= most)]
        return Tally([self.times[i] for i in kept], [self.counts[i] for i in kept])


def tally(frame: Frame, name: str, entity: Entity) -> Tally | Missing:
    """A counter, or the count of a histogram, since the entity or the counter last began anew.

    A part that a page has after it went without counts from 0: exporters make a series at its first event.
    """
    current = frame.store.current(name, entity, frame.t)
    if isinstance(current, Missing):
        return current
    parts = list(frame.store.parts(name, entity).values())
    begin = max([_begin(frame, name, entity), *(p.resets[-1] for p in parts if p.resets)])
    times = _polls(frame, entity, parts, begin)
    if len(times) < 2:
        return Missing.WARMING_UP
    counts = _summed(parts, times)
    return Tally(times, list(accumulate(counts, max)))  # a count that falls for a moment was read wrongly


def held(frame: Frame, name: str, entity: Entity) -> Tally | None:
    """A gauge of requests in flight at each poll; None where it is not known now."""
    if isinstance(frame.store.current(name, entity, frame.t), Missing):
        return None
    parts = list(frame.store.parts(name, entity).values())
    times = _polls(frame, entity, parts, _begin(frame, name, entity))
    return Tally(times, _summed(parts, times)) if times else None


def arrivals(frame: Frame, engines: Iterable[Entity]) -> list[Tally] | Missing:
    """Requests that came to each of these engines: those that ended, and those that it holds."""
    found: list[Tally] = []
    for engine in engines:
        came = frame.once(("arrivals", engine), partial(_arrivals, frame, engine))
        if isinstance(came, Missing):
            return came
        found.append(came)
    return found or Missing.NEVER


def _arrivals(frame: Frame, engine: Entity) -> Tally | Missing:
    ended = tally(frame, "engine.requests_finished", engine)
    if isinstance(ended, Missing):
        return ended
    counts = ended.counts
    for name in ("engine.requests_running", "engine.requests_waiting"):
        gauge = held(frame, name, engine)
        if gauge is not None:
            counts = list(map(add, counts, gauge.sampled(ended.times)))
    return Tally(ended.times, counts)


def shared_stretch(tallies: Iterable[Tally]) -> tuple[float, float] | Missing:
    """From the latest start to the earliest end; WARMING_UP while they have no time in common."""
    known = list(tallies)
    start, end = max(t.start for t in known), min(t.end for t in known)
    return (start, end) if start < end else Missing.WARMING_UP


def _begin(frame: Frame, name: str, entity: Entity) -> float:
    window = poll_window_s(frame, name, entity, RATIO_WINDOW_S)
    return max(frame.t - window, frame.store.restarts.at(entity))


def _polls(frame: Frame, entity: Entity, parts: Sequence[Series], begin: float) -> list[float]:
    """Times of the polls from `begin` on, also of those before the first of the parts."""
    rows = [_times(part, begin, frame.t) for part in parts]
    longest = max(rows, key=len)
    times = list(longest) if all(row == longest for row in rows if row) else sorted(set().union(*rows))
    if not times or any(part.raw.cut(begin) for part in parts):
        return times  # some part is older than the window
    return [*_earlier_polls(frame, entity, {part.source for part in parts}, begin, times[0]), *times]


def _times(series: Series, begin: float, end: float) -> Sequence[float]:
    return series.raw.times(*series.raw.span(begin, end))


def _earlier_polls(frame: Frame, entity: Entity, sources: set[str], begin: float, first: float) -> Sequence[float]:
    """Polls of the same page that did not have the counter yet."""
    best: Sequence[float] = ()
    if all(frame.store.began(source, entity) >= first for source in sources):
        return best
    for name in frame.store.names(entity):
        for series in frame.store.parts(name, entity).values():
            raw = series.raw
            i = raw.cut(begin)
            if series.source in sources and i < len(raw) and raw.time(i) < (best[0] if best else first):
                best = raw.times(i, raw.cut(first))
    return best


def _summed(parts: Sequence[Series], times: Sequence[float]) -> list[float]:
    """Sum over the parts at each time; 0 before a part's first sample, the last one where it has none."""
    total = [0.0] * len(times)
    for part in parts:
        i, j = part.raw.span(times[0], times[-1]) if times else (0, 0)
        values = part.raw.values(i, j, 0 if part.bounds is None else part.raw.width - 2)
        row: Sequence[float] = values
        if len(values) < len(times):
            row = _spread(times, part.raw.times(i, j), values)
        total = list(map(add, total, row))
    return total


def _spread(times: Sequence[float], own: Sequence[float], values: Sequence[float]) -> list[float]:
    rows = (bisect_right(own, t + 1e-6) for t in times)
    return [values[k - 1] if k else 0.0 for k in rows]
