"""What is told of the load: a record a request, a tick twice a second, the end of each step, and the end of all."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from perfconsole.clock import cpu_s, epoch_ns, monotonic_ns
from perfconsole.load.tally import Tally, counts
from perfconsole.model.probeload import LoadEnd, Part

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.load.flight import Flight
    from perfconsole.load.stint import Stint
    from perfconsole.load.wires import Wires
    from perfconsole.model.probeload import LoadEvent

_NANO = 1_000_000_000
_TICK_NS = 500_000_000
_AT_ONCE = 4
"""Requests that are told of between two looks at the sockets: each takes 40 microseconds."""


class Account:
    """Owns what was counted and not yet told."""

    def __init__(self, tell: Callable[[LoadEvent], None], now: int) -> None:
        self.tally = Tally(now)
        self._tell = tell
        self.untold: deque[tuple[Flight, int]] = deque()
        """Requests that have ended: counting their gaps and telling of them waits until there is nothing to read."""
        self._tokens = self._prompt_tokens = 0
        self._cpu = cpu_s()
        self.tick_at = now + _TICK_NS

    def landed(self, flight: Flight, now: int, *, told: bool) -> None:
        """Count a request that has ended; one that is made again is not told of."""
        answer, tally = flight.answer, self.tally
        usage = answer.usage
        if answer.trouble is None and usage is not None:
            tally.tokens += usage.output - answer.events
            tally.prompt_tokens += usage.prompt or 0
            self._prompt_tokens += usage.prompt or 0
        self._tokens += flight.tokens() or 0
        if told:
            self.untold.append((flight, now))

    def tell_some(self) -> None:
        """Tell of a few that have ended."""
        self._tell_of(_AT_ONCE)

    def _tell_of(self, most: int) -> None:
        for _ in range(min(most, len(self.untold))):
            flight, ended = self.untold.popleft()
            if flight.part is Part.COUNTED and flight.answer.trouble is None:
                self.tally.ended(flight)
            self._tell(flight.record(ended))

    def tick(self, now: int, step: int) -> None:
        """Tell what there was since the last one."""
        used = cpu_s()
        self._tell(self.tally.tick(now, step, used - self._cpu))
        self._cpu, self.tick_at = used, now + _TICK_NS

    def step_over(self, stint: Stint, now: int, wires: Wires | None) -> None:
        """Tell all that there was of a step, and of its end where `wires` are given."""
        self._tell_of(len(self.untold))
        self.tick(now, stint.run.index)
        if wires is not None:
            connect = counts(wires.connects.items())
            wires.connects.clear()
            unread, kernel = wires.unread(), wires.kernel_stamps
            self._tell(stint.record(now, clock_offset(), connect, kernel=kernel, unread=unread))

    def end(self, now: int, step: int, why: str | None, sent: int, notes: tuple[str, ...]) -> None:
        """Tell the last."""
        self._tell_of(len(self.untold))
        self.tick(now, step)
        self._tell(LoadEnd(now / _NANO, why, sent, self._tokens, self._prompt_tokens, notes))


def clock_offset() -> int:
    """Epoch minus monotonic time, in nanoseconds."""
    return epoch_ns() - monotonic_ns()
