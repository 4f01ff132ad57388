"""Which step comes next: the ladder of a plan, one step between its last two levels, its repeats, and the shedding."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfconsole.model.probeplan import STEP_LOAD, Shape, Step
from perfconsole.probing.stoprules import ending

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from perfconsole.model.probeplan import ProbePlan
    from perfconsole.model.proberesult import StepResult
    from perfconsole.probing.stoprules import Ending

SHED = "shed"
"""Label of the first step when it is repeated after the pause."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One stretch of a probe."""

    step: Step
    index: int
    """Place in its run; equal steps of several runs have the same."""
    run: int

    @property
    def pause(self) -> bool:
        """Nothing is sent."""
        return self.step.shape is Shape.CONCURRENCY and self.step.amount == 0


def route(plan: ProbePlan) -> Generator[Stage, StepResult | None, str]:
    """The stages of a plan, one after the other.

    Send the result of each before asking for the next (None for a pause). Returns why the ladder ended early, empty
    where it did not. The runs behind the first one go through what the first one went through.
    """
    steps, why = yield from _first_run(plan)
    for run in range(1, plan.runs):
        for index, step in enumerate(steps):
            yield Stage(step, index, run)
    if plan.shed_s is not None and plan.steps:
        run, index = plan.runs - 1, len(steps)
        yield Stage(Step(Shape.CONCURRENCY, 0.0, seconds=plan.shed_s, label="pause"), index, run)
        yield Stage(replace(plan.steps[0], label=SHED), index + 1, run)
    return why


def _first_run(plan: ProbePlan) -> Generator[Stage, StepResult | None, tuple[list[Step], str]]:
    climbs = plan.adaptive and plan.recipe == STEP_LOAD
    done: list[Step] = []
    results: list[StepResult] = []
    end: Ending | None = None
    for index, step in enumerate(plan.steps):
        result = yield Stage(step, index, 0)
        done.append(step)
        results += [result] if result is not None else []
        end = ending(results, plan.slo) if climbs and step.shape in (Shape.CONCURRENCY, Shape.RATE) else None
        if end is not None:
            break
    between = _between(done) if end is not None and end.refine else None
    if end is not None and between is not None:
        yield Stage(between, len(done), 0)
        done.append(between)
    return done, end.why if end is not None else ""


def _between(done: Sequence[Step]) -> Step | None:
    """A level half way between the last two; None where no whole number lies there."""
    if len(done) < 2:
        return None
    low, high = done[-2].amount, done[-1].amount
    middle = (low + high) / 2
    if done[-1].shape is Shape.CONCURRENCY:
        middle = float(int(middle))
    return replace(done[-1], amount=middle) if low < middle < high else None
