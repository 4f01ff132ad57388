"""Figures that need more than one poll: rates, shares of the last minute, events of the last hour. Pure."""

from __future__ import annotations

from collections import deque

MINUTE_S = 60.0
HOUR_S = 3600.0
_LONGEST_S = 5.0
"""A sample stands for the time since the one before, but never for a longer pause."""
_MOST_EVENTS = 1000


class Rate:
    """Growth of one counter, in units a second."""

    def __init__(self) -> None:
        self._last: tuple[float, float] | None = None

    def __call__(self, t: float, total: float) -> float | None:
        """None for the first reading and for a counter that went back (it wrapped, or the driver was reloaded)."""
        last, self._last = self._last, (t, total)
        if last is None or t <= last[0] or total < last[1]:
            return None
        return (total - last[1]) / (t - last[0])


class BitShares:
    """For each bit the share of the last minute in which samples had it set."""

    def __init__(self, bits: tuple[int, ...]) -> None:
        self._held = dict.fromkeys(bits, 0.0)
        self._times = dict.fromkeys(bits, 0)
        self._samples: deque[tuple[float, float, int]] = deque()
        self._whole = 0.0

    def add(self, t: float, bits: int) -> None:
        """A sample of time t. The first one stands for one second."""
        weight = min(t - self._samples[-1][0], _LONGEST_S) if self._samples else 1.0
        self._samples.append((t, weight, bits))
        self._count(weight, bits, 1)
        while self._samples[0][0] <= t - MINUTE_S:
            _, old, was = self._samples.popleft()
            self._count(-old, was, -1)

    def share(self, bit: int) -> float:
        """0..1; exactly 0 when no sample of the minute had the bit."""
        if not self._times[bit]:
            return 0.0
        return min(1.0, max(0.0, self._held[bit] / self._whole)) if self._whole > 0 else 1.0

    def _count(self, weight: float, bits: int, times: int) -> None:
        self._whole += weight
        for bit in self._held:
            if bits & bit:
                self._held[bit] += weight
                self._times[bit] += times


class CounterShare:
    """Share of the last minute that a counter of nanoseconds grew by."""

    def __init__(self) -> None:
        self._points: deque[tuple[float, float]] = deque()

    def add(self, t: float, total_ns: float) -> None:
        """A reading of time t; one below the last begins anew."""
        if self._points and total_ns < self._points[-1][1]:
            self._points.clear()
        self._points.append((t, total_ns))
        while len(self._points) > 2 and self._points[1][0] <= t - MINUTE_S:
            self._points.popleft()

    def share(self, t: float) -> float | None:
        """0..1 at time t; None before the second reading, and when the last one is a minute old."""
        if not self._points or self._points[-1][0] <= t - MINUTE_S:
            return None
        (t0, first), (t1, last) = self._points[0], self._points[-1]
        return min(1.0, (last - first) / 1e9 / (t1 - t0)) if t1 > t0 else None


class Growth:
    """Events of the last hour, from totals that only rise."""

    def __init__(self) -> None:
        self._last: float | None = None
        self._events: deque[tuple[float, float]] = deque(maxlen=_MOST_EVENTS)

    def add(self, t: float, total: float) -> None:
        """What came since the total before; the first total and a smaller one say nothing."""
        if self._last is not None and total > self._last:
            self._events.append((t, total - self._last))
        self._last = total

    def count(self, t: float) -> float:
        """Events that were seen in the hour before t."""
        while self._events and self._events[0][0] < t - HOUR_S:
            self._events.popleft()
        return sum(count for _, count in self._events)
