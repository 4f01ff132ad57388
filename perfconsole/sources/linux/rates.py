"""Growth of rising totals between polls and over a window. Never gives a negative or a first-poll rate."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from perfconsole.model.sample import Missing

WINDOW_S = 60.0
"""Window of the ratios that the dictionary defines over one minute."""
LEAST_S = 5.0
"""A shorter window says WARMING_UP. Less than the minute, because a run without a screen lasts 30 s."""


class Rates:
    """Rates of named totals; this object is the only writer of the last reading of each."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[float, float]] = {}

    def per_second(self, name: str, now: float, total: float | Missing) -> float | Missing:
        """Growth a second since the last reading. WARMING_UP at the first one and after a total that fell."""
        if isinstance(total, Missing):
            return total
        before = self._last.get(name)
        self._last[name] = (now, total)
        if before is None or now <= before[0] or total < before[1]:
            return Missing.WARMING_UP
        return (total - before[1]) / (now - before[0])


@dataclass(frozen=True, slots=True)
class Growth:
    """How far the totals of a window rose."""

    elapsed_s: float
    rises: tuple[float, ...]


class Window:
    """The readings of some totals over the last minute; any total that falls empties it."""

    def __init__(self, span_s: float = WINDOW_S, least_s: float = LEAST_S) -> None:
        self._span_s = span_s
        self._least_s = least_s
        self._readings: deque[tuple[float, tuple[float, ...]]] = deque()

    def add(self, now: float, *totals: float) -> Growth | None:
        """Take a reading; the growth over the window, None while it is too short."""
        if self._readings and any(a < b for a, b in zip(totals, self._readings[-1][1], strict=True)):
            self._readings.clear()
        self._readings.append((now, totals))
        while now - self._readings[0][0] > self._span_s:
            self._readings.popleft()
        first_t, first = self._readings[0]
        if now - first_t < self._least_s:
            return None
        return Growth(now - first_t, tuple(a - b for a, b in zip(totals, first, strict=True)))


class EventCount:
    """Number of events seen in the last hour, from a total that rises with each."""

    def __init__(self, span_s: float = 3600.0) -> None:
        self._span_s = span_s
        self._last: float | None = None
        self._rises: deque[tuple[float, float]] = deque()

    def add(self, now: float, total: float | Missing) -> float | Missing:
        """Events since `now` - span, counted from the first reading on; that one gives WARMING_UP."""
        if isinstance(total, Missing):
            return total
        before, self._last = self._last, total
        if before is None:
            return Missing.WARMING_UP
        if total > before:
            self._rises.append((now, total - before))
        while self._rises and now - self._rises[0][0] > self._span_s:
            self._rises.popleft()
        return sum(rise for _, rise in self._rises)
