"""What one engine counted between two polls of its page; None for what it does not say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.sample import Histogram

Points = tuple[tuple[float, float], ...]
"""(monotonic seconds, value) of each poll, ascending."""


@dataclass(frozen=True, slots=True)
class EngineStretch:
    """The growth of its counters and histograms, and what its gauges showed."""

    start: float
    """Monotonic seconds of the first poll."""
    end: float
    """Of the last one, later than the first."""
    polls: int
    output_tokens: float | None = None
    prompt_tokens: float | None = None
    preemptions: float | None = None
    looked_up: float | None = None
    """Prompt tokens that were looked up in the prefix cache."""
    hit: float | None = None
    """Of these, found there."""
    ttft: Histogram | None = None
    """Observations that were added; as all histograms here."""
    itl: Histogram | None = None
    tpot: Histogram | None = None
    queue: Histogram | None = None
    prefill: Histogram | None = None
    e2e: Histogram | None = None
    running: Points = ()
    waiting: Points = ()
    kv_usage: Points = ()
    max_num_seqs: float | None = None
    """The most that may run at the same time, over all ranks."""

    @property
    def seconds(self) -> float:
        """Between the first and the last poll."""
        return self.end - self.start
