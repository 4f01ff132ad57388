"""`for`: how long a condition has been TRUE, and what a window with gaps or of a young session says."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from perfconsole.model.finding import Truth

WARM_UP_S = 10.0
"""Start-up of a headless run that no hold may count on: two polls of a source that answers at its slowest pace.

A quarter of the run where that is more, up to MOST_WARM_UP_S; a third of the run where 10 s are more than that.
"""
MOST_WARM_UP_S = 20.0
"""Targets are found within 3 s, and a ratio of counters takes two polls and twenty events more."""


class Outcome(NamedTuple):
    """Truth as the rules say it, and what it will be if every open hold goes on as it began."""

    strict: Truth
    hopeful: Truth


@dataclass(slots=True)
class Hold:
    """One `for` on one entity; `note` is the only writer."""

    true_since: float | None = None
    last_false: float = -inf
    seen: float = -inf
    """Tick of the last note; one that a tick leaves out has a gap."""

    def note(self, t: float, truth: Truth) -> None:
        """Account for this tick; a second time at the same tick changes nothing."""
        self.seen = t
        if truth is Truth.TRUE:
            if self.true_since is None or self.true_since > t:
                self.true_since = t
            return
        self.true_since = None
        if truth is Truth.FALSE:
            self.last_false = t

    def update(self, t: float, truth: Truth, hold_s: float) -> Outcome:
        """Account for this tick. TRUE only when every tick of the whole window was; a gap gives UNKNOWN."""
        self.note(t, truth)
        if self.true_since is None:
            return Outcome(truth, truth)
        if t - self.true_since >= hold_s - 1e-6:
            return Outcome(Truth.TRUE, Truth.TRUE)
        was_false = self.last_false > t - hold_s
        return Outcome(Truth.FALSE if was_false else Truth.UNKNOWN, Truth.TRUE)

    def held_s(self, t: float) -> float:
        """Seconds it has been TRUE without a break."""
        return 0.0 if self.true_since is None else t - self.true_since


def cut_hold(hold_s: float, run_s: float | None, window_s: float) -> float:
    """Hold that a headless run of `run_s` seconds can complete; `window_s` is the history its operands need first."""
    if run_s is None:
        return hold_s
    warm_up_s = min(max(WARM_UP_S, min(run_s / 4, MOST_WARM_UP_S)), run_s / 3)
    return min(hold_s, max(0.0, run_s - warm_up_s - window_s))
