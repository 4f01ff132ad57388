"""A probe at one moment of its run, and at its end: what its page is drawn from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.probeplan import ProbePlan, Step
    from perfconsole.model.proberesult import Goodput, Headroom, Knee, ProbeResult, StepResult, Thresholds
    from perfconsole.model.sample import Missing


@dataclass(frozen=True, slots=True)
class StepNow:
    """The step under way; None for what is not known yet."""

    step: Step
    done: int = 0
    """Counted requests that ended, failed ones too."""
    errors: int = 0
    inflight: int = 0
    """Requests sent and not ended."""
    tokens_per_s: float | None = None
    """Output tokens in the last moment."""
    ttft_p50: float | None = None
    """Seconds, of the requests so far."""


@dataclass(frozen=True, slots=True)
class LayerNow:
    """What one layer does under the load: a label, a value in its base unit or why there is none, and the unit."""

    layer: str
    readings: tuple[tuple[str, float | Missing, str], ...]


@dataclass(frozen=True, slots=True)
class ProbeView:
    """One moment of a probe."""

    plan: ProbePlan
    phase: str
    """In words: connecting, warming up, `step 3 of 9: 4 at a time`, draining, done."""
    took_s: float = 0.0
    left_s: float | None = None
    """What is left at most; None where that cannot be said."""
    steps: tuple[StepResult, ...] = ()
    now: StepNow | None = None
    layers: tuple[LayerNow, ...] = ()
    knee: Knee | None = None
    """None while nothing can be said of it."""
    thresholds: Thresholds | None = None
    goodput: Goodput | None = None
    headroom: Headroom | None = None
    done: bool = False
    stopped: str | None = None
    """Why it ended before its time."""
    saved: str = ""
    """Where the result was written."""
    meaning: str = ""
    """What it says of the finding that asked for it: confirmed or refuted, by which value."""
    notes: tuple[str, ...] = ()
    indicators: dict[str, float] = field(default_factory=dict)
    """`probe.*` values that follow from it."""

    @classmethod
    def of(cls, result: ProbeResult, saved: str = "", meaning: str = "") -> ProbeView:
        """A probe that has ended."""
        return cls(
            plan=result.plan,
            phase="done",
            took_s=result.took_s,
            left_s=0.0,
            steps=result.steps,
            knee=result.knee,
            thresholds=result.thresholds,
            goodput=result.goodput,
            headroom=result.headroom,
            done=True,
            stopped=result.stopped,
            saved=saved,
            meaning=meaning,
            notes=result.notes,
            indicators=result.indicators,
        )
