"""How long a step lasts whose plan leaves it open: long enough to see something, short enough for two minutes."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

from perfconsole.model.probeplan import Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.probeplan import ProbePlan, Step
    from perfconsole.model.proberesult import StepResult

SHORTEST_S, LONGEST_S = 3.0, 15.0
UNKNOWN_S = 5.0
"""Where no request of the step before ended well."""
_TURNS = 2.5
"""Requests that each slot goes through: the first one is the burst, two more make the steady stretch."""


def with_length(step: Step, before: Sequence[StepResult], first_e2e_s: float | None) -> Step:
    """The step with seconds, where it has neither requests nor seconds and does not end by itself.

    `before` are the steps that were run, in order; `first_e2e_s` is how long a request of the warm-up took.
    """
    if step.requests is not None or step.seconds is not None or step.shape in (Shape.BURST, Shape.REPLAY):
        return step
    expected = expected_e2e_s(step, before, first_e2e_s)
    return replace(step, seconds=UNKNOWN_S if expected is None else clamped(_TURNS * expected))


def clamped(seconds: float) -> float:
    """Within the bounds of a step."""
    return min(LONGEST_S, max(SHORTEST_S, seconds))


def expected_e2e_s(step: Step, before: Sequence[StepResult], first_e2e_s: float | None) -> float | None:
    """How long a request of this step is likely to take: as at the last step, grown as it grew there.

    It grows with the load at the most: behind the knee twice as many wait twice as long.
    """
    known = [(result.step.amount, e2e) for result in before if (e2e := result.e2e.p50) is not None]
    if not known:
        return first_e2e_s
    amount, last = known[-1]
    if len(known) < 2:
        return last
    grown = last / known[-2][1] if known[-2][1] > 0 else 1.0
    return last * max(1.0, min(grown, step.amount / amount if amount > 0 else 1.0))


def seconds_left(plan: ProbePlan, index: int, run: int, e2e_s: float) -> float:
    """What stages after the one at `index` of a run take, and the end of the last requests; the time limit apart."""
    rest = plan.steps[index + 1 :] + plan.steps * (plan.runs - 1 - run)
    repeated = plan.steps[:1] if plan.shed_s is not None else ()
    return sum(likely_s(step, e2e_s) for step in (*rest, *repeated)) + (plan.shed_s or 0.0) + e2e_s


def likely_s(step: Step, e2e_s: float) -> float:
    """What a step takes with requests of this length; a step that nobody measured yet is as long as one may be."""
    if step.seconds is not None:
        return step.seconds + e2e_s
    if step.requests is not None and step.amount > 0:
        at_once = step.amount if step.shape is Shape.CONCURRENCY else step.amount * e2e_s
        return max(ceil(step.requests / max(1.0, at_once)), 1) * e2e_s
    return LONGEST_S + e2e_s
