"""What differs between two results of a probe: values only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.probeplan import Step


class Outcome(StrEnum):
    """What a difference means for users."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    """Not more than what two runs of the same differ by."""
    UNSURE = "unsure"
    """A value is missing, a step is not valid, or runs differ by so much that nothing could be seen."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing of the environment or the plan that is not the same; None where one side does not have it."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Difference:
    """One number of one step, or of the whole probe, on both sides."""

    metric: str
    """`ttft_p95`, `output_tokens_per_s` ..., as `--fail-on` names it."""
    step: Step | None
    """None for a number of the whole probe: `knee`, `goodput`."""
    before: float | None
    after: float | None
    """Seconds, a second, or a share."""
    change: float | None
    """(after - before) / before; of a share after - before. None where a side is missing."""
    noise: float | None
    """Change up to which it is no more than what two runs of the same differ by; None where nothing tells."""
    outcome: Outcome
    why: str = ""
    """Where the noise is from, or why nothing can be said."""
    invalid: bool = False
    """One of the steps is not valid."""


@dataclass(frozen=True, slots=True)
class ProbeComparison:
    """Two results side by side."""

    environment: tuple[Setting, ...]
    plan: tuple[Setting, ...]
    differences: tuple[Difference, ...]
    """Step by step in rising load, then those of the whole probe."""
    notes: tuple[str, ...] = ()
    """Steps that only one side has, and the like."""


@dataclass(frozen=True, slots=True)
class FailOn:
    """A change that must not happen: `ttft_p95:+10%`."""

    metric: str
    limit: float
    """0.1 for +10%, -0.1 for -10%."""

    def __str__(self) -> str:
        return f"{self.metric}:{self.limit * 100:+g}%"


@dataclass(frozen=True, slots=True)
class Gate:
    """What became of one such rule."""

    rule: FailOn
    passed: tuple[Difference, ...]
    """Differences that are beyond its limit: any of them makes it fail. One may still be within the noise."""
    unchecked: tuple[Difference, ...]
    """Differences of that metric of which nothing can be said."""
    compared: int = 1
    """Differences of which something can be said; 0 where nothing was checked at all, which is no pass."""
