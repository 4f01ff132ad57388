"""The steps of a probe as a ladder of rising load, each with the throughput that it gave."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

from perfconsole.model.probeplan import Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.proberesult import StepResult

GAIN = 0.1
"""A doubling of the load that gives less than this more does not pay."""
NO_LADDER = "bursts and samples are no rising load"
_RISING = (Shape.CONCURRENCY, Shape.RATE)


def ladder(steps: Sequence[StepResult]) -> tuple[StepResult, ...]:
    """The steps of rising load, lowest first: of the first one's kind and target, and of each load the first.

    Steps that refine stand where they belong; a first step that is repeated after a pause is no rung.
    """
    rising = [s for s in steps if s.step.shape in _RISING and s.step.amount > 0]
    found: dict[float, StepResult] = {}
    for s in rising:
        if (s.step.shape, s.step.target) == (rising[0].step.shape, rising[0].step.target):
            found.setdefault(s.step.amount, s)
    return tuple(found[amount] for amount in sorted(found))


def throughput(rungs: Sequence[StepResult]) -> tuple[float, ...]:
    """Output tokens a second of each rung; requests a second where some rung with an answer has no tokens."""
    answered = [s for s in rungs if s.errors < s.requests]
    if all(s.output_tokens_per_s is not None for s in answered):
        return tuple(s.output_tokens_per_s or 0.0 for s in rungs)
    return tuple(s.requests_per_s or 0.0 for s in rungs)


def pays(load: tuple[float, float], speed: tuple[float, float], gain: float = GAIN) -> bool:
    """Whether more load, (before, after), gives so much more throughput that each doubling of it brings the gain."""
    return speed[1] >= speed[0] * (1 + gain) ** log2(load[1] / load[0]) and speed[1] > speed[0]


def bend_of(rungs: Sequence[StepResult]) -> int | None:
    """The first rung above which no other pays; None where the throughput rises to the end.

    One slow rung in the middle bends nothing: those above it still pay.
    """
    loads, speeds = [s.step.amount for s in rungs], throughput(rungs)
    for low in range(len(rungs) - 1):
        above = range(low + 1, len(rungs))
        if not any(pays((loads[low], loads[high]), (speeds[low], speeds[high])) for high in above):
            return low
    return None
