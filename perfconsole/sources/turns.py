"""Several engines that answer at one address in turn, told from one engine that restarts. Pure on starts and counts."""

from __future__ import annotations

from math import inf

SEVERAL_S = 60.0
"""How long pages of several engines in turn are refused after the last sign of it."""
_IN_TURN = "several engines answer at this address in turn"
_OWN_ADDRESS = "name each engine by its own address"
ALTERNATING = f"{_IN_TURN} (their start times alternate), and their counters cannot be told apart; {_OWN_ADDRESS}"
JUMPING = f"the counters jump back and forth: {_IN_TURN}; {_OWN_ADDRESS}"
_MOST_FALLS = 2
"""Falls of a counter within SEVERAL_S that restarts and bad pages explain; no engine starts three times a minute."""
CLOCK_SLACK_S = 2.0
"""A start time that moves by less is a clock that was set, not a restart."""


class Turns:
    """Tells several engines that answer at one address in turn from one engine that restarts."""

    def __init__(self) -> None:
        self._started: float | None = None
        self._past: list[float] = []
        self._used: float | None = None
        """Start of the last page that was used: the counters that are known are those of this engine."""
        self._alternate_until = self._jump_until = -inf
        self._count: float | None = None
        self._falls: list[float] = []
        self._doubt = False
        """The counters jumped since then: whoever is left may be another engine."""

    def alternate(self, started: float | None, t: float) -> bool:
        """A start that was left for another one and comes back is no restart."""
        if started is not None:
            self._count, self._jump_until = None, -inf
            self._falls.clear()
            before, self._started = self._started, started
            if before is not None and _apart(started, before):
                if not all(_apart(started, old) for old in self._past):
                    self._alternate_until = t + SEVERAL_S
                self._past = [*self._past[-7:], before]
        return t < self._alternate_until

    def jump(self, count: float | None, t: float) -> bool:
        """Without a start time: a count that falls again and again is not the count of one engine."""
        if count is not None:
            before, self._count = self._count, count
            if before is not None and count < before:
                self._falls = [*(f for f in self._falls if t - f < SEVERAL_S), t]
                if len(self._falls) > _MOST_FALLS:
                    self._jump_until, self._doubt = t + SEVERAL_S, True
        return t < self._jump_until

    def others(self, started: float | None) -> bool:
        """The counters of this page began at another moment than those of the last page that was used."""
        return self._doubt or (started is not None and self._used is not None and _apart(started, self._used))

    def use(self, started: float | None) -> None:
        """Note whose counters are known from here on."""
        self._doubt = False
        self._used = self._used if started is None else started


def _apart(start: float, other: float) -> bool:
    return abs(start - other) > CLOCK_SLACK_S
