"""What every indicator was at every tick: ten minutes of ticks, a day of minutes. A missing value is a break."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan, nan
from typing import TYPE_CHECKING

from perfconsole.core.ring import Ring
from perfconsole.core.series import DAY_S, MINUTE_S

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.entity import Entity

TICK_SLACK_S = 2.0
"""A window counts as covered when its oldest tick is at most this much younger than its start."""


@dataclass(slots=True)
class _Minute:
    start: float
    low: float = nan
    high: float = nan
    total: float = 0.0
    count: int = 0
    last: float = nan

    def add(self, value: float) -> None:
        if not self.count:
            self.low = self.high = value
        elif value < self.low:
            self.low = value
        elif value > self.high:
            self.high = value
        self.total += value
        self.count += 1
        self.last = value

    def row(self) -> tuple[float, float, float, float]:
        return self.low, self.high, self.total / self.count if self.count else nan, self.last


class Track:
    """Ticks and minutes of one indicator of one entity; missing ticks are NaN rows here and never leave as values."""

    __slots__ = ("_minute", "minutes", "since", "ticks")

    def __init__(self) -> None:
        self.since = -inf
        """When this life of the entity began: windows over time start here, charts reach back further."""
        self.ticks = Ring(1, keep_s=660.0)
        self.minutes = Ring(4, keep_s=DAY_S)
        """Rows of minimum, maximum, mean and last."""
        self._minute: _Minute | None = None

    def record(self, t: float, value: float | None) -> None:
        """Add the value of this tick; None leaves a break."""
        value = None if value is None or isnan(value) else value
        self.ticks.push(t, nan if value is None else value)
        if self._minute is None or t - self._minute.start >= MINUTE_S:
            if self._minute is not None:
                self.minutes.append(self._minute.start, self._minute.row())
            self._minute = _Minute(t)
        if value is not None:
            self._minute.add(value)

    def points(self, start: float, end: float) -> list[tuple[float, float]]:
        """(t, value) of the ticks in [start, end] that had a value, of this life of the entity alone."""
        return [(t, v) for t, v in self.ticks.points(max(start, self.since), end) if not isnan(v)]

    def covers(self, start: float, slack: float = TICK_SLACK_S) -> bool:
        """The ticks reach back to `start`."""
        first = self.ticks.cut(self.since)
        return len(self.ticks) > first and self.ticks.time(first) <= start + slack

    def interval_s(self) -> float:
        """Seconds between the two newest ticks of this life, 0 with fewer."""
        n = len(self.ticks)
        two = n - self.ticks.cut(self.since) > 1
        return self.ticks.time(n - 1) - self.ticks.time(n - 2) if two else 0.0

    def minute_rows(self, start: float, end: float) -> list[tuple[float, tuple[float, ...]]]:
        """(start of the minute, minimum, maximum, mean and last) of the full minutes in [start, end] with a value."""
        i, j = self.minutes.span(start, end)
        rows = ((self.minutes.time(k), tuple(self.minutes.row(k))) for k in range(i, j))
        return [(t, row) for t, row in rows if not isnan(row[2])]

    def minute_means(self, start: float, end: float) -> list[tuple[float, float]]:
        """(start of the minute, mean) of the full minutes in [start, end] that had a value."""
        i, j = self.minutes.span(start, end)
        rows = zip(self.minutes.times(i, j), self.minutes.values(i, j, 2), strict=True)
        return [(t, mean) for t, mean in rows if not isnan(mean)]


class History:
    """Tracks by (indicator, entity). Session is the only writer."""

    def __init__(self) -> None:
        self._tracks: dict[tuple[str, Entity], Track] = {}

    def record(self, t: float, values: Iterable[tuple[str, Entity, float | None]]) -> None:
        """Add one tick; indicators that it does not name get a break."""
        tracks = self._tracks
        named = {(name, entity): value for name, entity, value in values}
        for key, value in named.items():
            track = tracks.get(key)
            if track is None:
                track = tracks[key] = Track()
            track.record(t, value)
        if len(tracks) > len(named):
            for key in tracks.keys() - named.keys():
                tracks[key].record(t, None)

    def track(self, name: str, entity: Entity) -> Track | None:
        """History of one indicator, None when it was never seen."""
        return self._tracks.get((name, entity))

    def restart(self, entity: Entity, t: float) -> None:
        """The entity began anew at t: windows over time start there; what was before stays for charts."""
        for key, track in self._tracks.items():
            if key[1] == entity:
                track.since = t

    def forget(self, entity: Entity) -> None:
        """Drop an entity that is gone for good."""
        for key in [k for k in self._tracks if k[1] == entity]:
            del self._tracks[key]
