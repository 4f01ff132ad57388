"""One step while it runs: which requests count, when the burst is over, when all that counts has ended."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from perfconsole.model.probeload import Part, StepRecord
from perfconsole.model.probeplan import FILLERS, Shape

if TYPE_CHECKING:
    from perfconsole.load.flight import Flight
    from perfconsole.model.probeload import Counts
    from perfconsole.model.probeorders import Run

_NANO = 1_000_000_000
_MOVED_NS = 200_000
"""The clock that stamps packets was set, if it moved by more against the monotonic one."""


class Stint:
    """Counts of one step; moments in epoch nanoseconds."""

    def __init__(self, run: Run, part: Part, now: int, offset: int, calls: int = 1) -> None:
        """`calls` is how many requests a task has."""
        self.run = run
        self._fillers = ceil(run.amount) * FILLERS * calls
        """Requests that may still follow those that count."""
        self._part = part
        self.began = now
        self._offset = offset
        """Epoch minus monotonic time at the beginning."""
        self._full = 0
        self._closed = 0
        self._started = 0
        self._open = 0
        self._burst_open = 0
        self._burst_over = False
        self.told = False
        """Its end was told."""

    def part(self, now: int) -> Part:
        """What a request that starts now is for."""
        self.look(now)
        if self._closed:
            return Part.FILLER
        return self._part

    def look(self, now: int) -> None:
        """Close it when its seconds are over, or all its requests have started."""
        run = self.run
        full = run.requests is not None and self._started >= run.requests
        over = run.seconds is not None and now - self.began >= run.seconds * _NANO
        if not self._closed and (full or over):
            self._closed = now

    def close(self, now: int) -> None:
        """Nothing more that counts will start."""
        self._closed = self._closed or now

    def started(self, flight: Flight) -> None:
        """A request was started."""
        if flight.part is Part.FILLER:
            self._fillers -= 1
        else:
            self._started += 1
            self._open += 1
        self._burst_open += flight.waits

    def burst_sent(self) -> None:
        """All of the first burst are on their way."""
        self._burst_over = True
        if not self._burst_open:
            self._full = self.began

    def heard(self, flight: Flight, now: int) -> None:
        """A request of the burst has its first text, or ended without any."""
        flight.waits = False
        self._burst_open -= 1
        if self._burst_over and not self._burst_open:
            self._full = now

    def ended(self, flight: Flight, *, again: bool) -> None:
        """A request ended; `again` for one that is not counted after all, and will be made once more."""
        counted = flight.part is not Part.FILLER
        self._open -= counted
        if counted and again:
            self._started -= 1
            self._closed = 0

    @property
    def accepts(self) -> bool:
        """Requests that count may still start."""
        return not self._closed

    @property
    def over(self) -> bool:
        """All that counts has ended."""
        return bool(self._closed) and self._open == 0

    @property
    def fills(self) -> bool:
        """It is kept up, with what is not counted, until the next order."""
        kept = self.run.keep and self.run.shape in (Shape.CONCURRENCY, Shape.RATE) and self._part is Part.COUNTED
        return kept and self._fillers > 0

    def record(self, now: int, offset: int, connect: Counts, *, kernel: bool, unread: int) -> StepRecord:
        """What is told of it at its end."""
        moved = abs(offset - self._offset) > _MOVED_NS
        return StepRecord(
            step=self.run.index,
            began=self.began / _NANO,
            full=self._full / _NANO if self._full else None,
            closed=(self._closed or now) / _NANO,
            ended=now / _NANO,
            asked=self.run.amount,
            stamps="moved" if moved else "kernel" if kernel else "user",
            queued=unread,
            connect=connect,
        )
