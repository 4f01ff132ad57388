"""What is counted between two ticks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from perfconsole.model.probeload import LoadTick

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.load.flight import Flight
    from perfconsole.model.probeload import Counts

_MICRO = 1_000
_NANO = 1_000_000_000


class Tally:
    """Deltas since the last tick, but for what is under way now."""

    def __init__(self, now: int) -> None:
        self.inflight = 0
        """Requests sent and not ended."""
        self.lag: list[int] = []
        """Nanoseconds from the kernel's stamp until the read, of reads with text."""
        self.tokens = self.prompt_tokens = self.merged = 0
        self._gaps: Counter[int] = Counter()
        self._busy = 0
        self._busy_ns = 0
        self._since = now

    def busy(self, change: int, now: int) -> None:
        """So many seats more (or fewer) have a request under way."""
        self._busy_ns += self._busy * (now - self._since)
        self._since = now
        self._busy += change

    def ended(self, flight: Flight) -> None:
        """Take the gaps of a counted request that ended well."""
        weight, divisor = flight.spread()
        gaps = flight.answer.gaps
        if weight == 1 and divisor == 1.0:
            self._gaps.update([gap // _MICRO for gap in gaps])
        else:
            for gap in gaps:
                self._gaps[int(gap / divisor) // _MICRO] += weight

    def tick(self, now: int, step: int, cpu_s: float) -> LoadTick:
        """What there was, and begin anew; `cpu_s` is what this process has used since the last time."""
        self.busy(0, now)
        lag = Counter([max(0, nanos) // _MICRO for nanos in self.lag])
        tick = LoadTick(
            t=now / _NANO,
            step=step,
            inflight=self.inflight,
            busy_s=self._busy_ns / _NANO,
            tokens=self.tokens,
            prompt_tokens=self.prompt_tokens,
            gaps=counts(self._gaps.items()),
            lag=counts(lag.items()),
            reads=len(self.lag),
            merged=self.merged,
            cpu_s=cpu_s,
        )
        self.lag = []
        self._gaps = Counter()
        self.tokens = self.prompt_tokens = self.merged = self._busy_ns = 0
        return tick


def counts(pairs: Iterable[tuple[int, int]]) -> Counts:
    """A distribution as it is sent."""
    return tuple(sorted(pairs))
