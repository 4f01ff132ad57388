"""The life of a finding: pending, firing, undecided, clearing. A table of moves, as the ticks bring truths."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfconsole.model.finding import Finding, State, Truth, Verdict

if TYPE_CHECKING:
    from perfconsole.diagnose.assess import Assessment
    from perfconsole.model.rule import Severity

KEEP_S = 10.0
"""A finding that stopped is kept this long, so that nobody who looks away misses it."""

_FIRED = (State.FIRING, State.UNDECIDED)


@dataclass(slots=True)
class Stage:
    """Where one rule stands on one entity; the judge is the only writer."""

    state: State | None = None
    since: float = 0.0
    stopped: float = 0.0
    last_word: tuple[Verdict, Severity, str] | None = None
    """How sure, how bad and how called it last fired: what it keeps while clearing, or while its data is gone."""

    known: frozenset[str] = frozenset()
    """What it was read from when it last fired."""

    def move(self, t: float, assessment: Assessment) -> State | None:
        """State after this tick; None when there is nothing to show."""
        before, self.state = self.state, self._next(t, assessment)
        if self.state in (State.PENDING, State.FIRING) and before not in (State.PENDING, *_FIRED):
            self.since = t
        return self.state

    def settled(self, finding: Finding) -> Finding:
        """The finding as it is shown: one that does not fire now keeps the last word it had while firing."""
        if finding.state is State.FIRING:
            self.last_word = finding.verdict, finding.severity, finding.title
        elif finding.state is not State.PENDING and self.last_word is not None:
            verdict, severity, title = self.last_word
            return replace(finding, verdict=verdict, severity=severity, title=title)
        return finding

    def _next(self, t: float, assessment: Assessment) -> State | None:
        if assessment.strict is Truth.TRUE:
            self.known = assessment.known()
            return State.FIRING
        if assessment.hopeful is Truth.TRUE:
            kept = self.state in _FIRED and assessment.strict is Truth.UNKNOWN  # a gap broke a hold, no FALSE tick
            return State.FIRING if kept else State.PENDING
        if assessment.hopeful is Truth.UNKNOWN and self.state in _FIRED and assessment.lost(self.known):
            return State.UNDECIDED  # lost its data: never taken for resolved
        return self._stop(t)

    def _stop(self, t: float) -> State | None:
        if self.state in _FIRED:
            self.stopped = t
            return State.CLEARING
        kept = self.state is State.CLEARING and t - self.stopped < KEEP_S
        return State.CLEARING if kept else None
