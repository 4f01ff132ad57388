"""What is known of each source: when it last answered, and in which state that leaves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.model.snapshot import SourceHealth, SourceState

if TYPE_CHECKING:
    from perfconsole.model.sample import Batch

STALE_CADENCES = 3.0
"""Values and sources are given up after this many cadences without an answer."""

SLOWEST_PACE_S = 5.0
"""The longest cadence of a polite source; a longer pause is silence."""


@dataclass(slots=True)
class SourceStatus:
    """Last words of one source; `apply` is the only writer."""

    last: Batch
    good_t: float | None = None
    """Time of the last usable poll."""
    before_t: float | None = None
    """Time of the usable poll before that one."""
    answered: bool = False
    """It gave a poll without an error at least once."""

    def apply(self, batch: Batch) -> None:
        """Take over the newest batch. A failed poll that still observed something (up = 0) is usable."""
        self.last = batch
        if batch.took_s is not None and (batch.error is None or batch.samples):
            self.before_t, self.good_t = self.good_t, batch.t
            self.answered = self.answered or batch.error is None

    @property
    def patience_s(self) -> float:
        """Age at which its values are stale: three cadences, or three times the pace it really kept.

        On a host whose cores are all taken a source of 1 s comes round every 3 s; it is slow, not silent.
        """
        pace = 0.0 if self.before_t is None or self.good_t is None else self.good_t - self.before_t
        return STALE_CADENCES * max(self.last.cadence_s, min(pace, SLOWEST_PACE_S))

    def fresh(self, t: float) -> bool:
        """It answered within three cadences."""
        return self.good_t is not None and t - self.good_t <= self.patience_s

    def health(self, t: float) -> SourceHealth:
        """The line that a screen shows for it at time t."""
        state, reason = self._state(t)
        last = self.last
        return SourceHealth(
            last.source,
            last.kind,
            state,
            reason,
            last.took_s,
            last.cadence_s,
            self.answered,
            last.notes,
            None if self.good_t is None else t - self.good_t,
        )

    def _state(self, t: float) -> tuple[SourceState, str | None]:
        silent = t - self.last.t
        if self.last.error is not None:
            return SourceState.DOWN, self.last.error
        if silent > self.patience_s:
            return SourceState.LATE, f"no answer for {silent:.0f} s"
        if self.last.notes and not self.last.samples and not self.last.only_notes:
            return SourceState.ABSENT, self.last.notes[0]
        return SourceState.OK, None
