"""Callers: when they send what. Pure; one seeded generator, so that the same seed gives the same day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.demo.model.request import Ask

if TYPE_CHECKING:
    from random import Random

LONGEST = 4000
MOST_IN_FLIGHT = 300
"""Callers beyond this many are turned away before they send, so that no incident grows without end."""
_SHAPE = 6.0
"""Of the gamma distribution of lengths: most within half and double of the mean."""


@dataclass(frozen=True, slots=True)
class Flow:
    """Requests of one kind: `rate` a second at random, or `callers` who send again as soon as they are answered."""

    rate: float = 0.0
    callers: int = 0
    prompt: int = 200
    output: int = 140
    """Mean lengths in tokens."""


class Traffic:
    """The requests of one flow over time; the flow may change at any call."""

    def __init__(self, random: Random, start: float) -> None:
        self._random = random
        self._t = start
        self._until_next = random.expovariate(1.0)

    def due(self, flow: Flow, now: float, inflight: int) -> list[Ask]:
        """What is sent between the last call and this one, with so many requests of the flow not yet answered."""
        passed = max(0.0, now - self._t) * flow.rate
        self._t = max(self._t, now)
        count = max(0, flow.callers - inflight)
        while self._until_next <= passed:
            passed -= self._until_next
            self._until_next = self._random.expovariate(1.0)
            count += 1
        self._until_next -= passed
        room = max(0, MOST_IN_FLIGHT - inflight)
        return [self.ask(flow) for _ in range(min(count, room))]

    def ask(self, flow: Flow) -> Ask:
        """One request of this kind."""
        return Ask(self._length(flow.prompt), self._length(flow.output))

    def _length(self, mean: int) -> int:
        return max(1, min(LONGEST, round(self._random.gammavariate(_SHAPE, mean / _SHAPE))))
