"""The only importer of `time`: everything else gets its moments as arguments."""

from __future__ import annotations

import time  # noqa: TID251 - this is the one place
from typing import Protocol


class Clock(Protocol):
    """Monotonic and wall time, and waiting."""

    def now(self) -> float:
        """Monotonic seconds."""

    def wall(self) -> float:
        """Epoch seconds."""

    def sleep(self, seconds: float) -> None:
        """Wait; returns at once for a negative time."""


class SystemClock:
    """The real clock."""

    def now(self) -> float:
        """Monotonic seconds of this machine."""
        return time.monotonic()

    def wall(self) -> float:
        """Epoch seconds of this machine."""
        return time.time()

    def utc_offset_s(self) -> float:
        """Seconds that local time is ahead of UTC now."""
        return float(time.localtime().tm_gmtoff)

    def sleep(self, seconds: float) -> None:
        """Wait for real."""
        if seconds > 0:
            time.sleep(seconds)


def epoch_ns() -> int:
    """Epoch nanoseconds of this machine, on the clock by which the kernel stamps packets."""
    return time.clock_gettime_ns(time.CLOCK_REALTIME)


def monotonic_ns() -> int:
    """Monotonic nanoseconds of this machine."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def cpu_s() -> float:
    """CPU seconds that this process has used."""
    return time.process_time()


def thread_cpu_s() -> float:
    """CPU seconds that the calling thread has used."""
    return time.thread_time()


class ManualClock:
    """A clock that a test moves; sleeping moves it too."""

    def __init__(self, now: float = 0.0, wall: float = 1_700_000_000.0) -> None:
        self._now = now
        self._offset = wall - now

    def now(self) -> float:
        """The moment set last."""
        return self._now

    def wall(self) -> float:
        """Epoch seconds of that moment."""
        return self._now + self._offset

    def sleep(self, seconds: float) -> None:
        """Move on instead of waiting."""
        self._now += max(0.0, seconds)
