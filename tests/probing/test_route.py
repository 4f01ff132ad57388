"""Which step comes next."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.model.probeplan import ProbePlan, Shape, Step
from perfconsole.probing.route import Stage, route
from tests.probing.fakeload import plan
from tests.probing.results import result, spread

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.model.proberesult import StepResult


def _walk(made: ProbePlan, measure: Callable[[Step], StepResult]) -> tuple[list[Stage], str]:
    """Go through a plan; the stages, and why it ended early."""
    stages: list[Stage] = []
    way = route(made)
    try:
        stage = next(way)
        while True:
            stages.append(stage)
            stage = way.send(None if stage.pause else measure(stage.step))
    except StopIteration as end:
        return stages, end.value


def _sixteen(step: Step) -> StepResult:
    """A server of 16 slots."""
    served = min(step.amount, 16.0) * 200
    late = spread(0.05 if step.amount <= 16 else 0.5)
    return result(step.amount, served, step=step, ttft=late)


def _amounts(stages: list[Stage]) -> list[float]:
    return [stage.step.amount for stage in stages]


def test_a_ladder_to_its_end() -> None:
    """What never bends is gone through, without a step between."""
    stages, why = _walk(plan(1, 2, 4, 8), _sixteen)
    assert (_amounts(stages), why) == ([1, 2, 4, 8], "")


def test_a_bend() -> None:
    """Half way between the last two levels comes one step more, then it is over."""
    stages, why = _walk(plan(1, 4, 16, 64, 256), _sixteen)
    assert _amounts(stages) == [1, 4, 16, 64, 40]
    assert why.startswith("64 at a time gave +0% tokens/s over 16 at a time")


def test_no_level_lies_between() -> None:
    """One and two have nothing between them."""
    stages, _ = _walk(
        plan(1, 2, 4), lambda step: result(step.amount, 200.0, step=step, ttft=spread(0.05 * step.amount**2))
    )
    assert _amounts(stages) == [1, 2]


def test_a_list_of_a_person() -> None:
    """Is gone through whatever it shows."""
    stages, why = _walk(plan(16, 32, 64, adaptive=False), _sixteen)
    assert (_amounts(stages), why) == ([16, 32, 64], "")


def test_other_recipes_do_not_climb() -> None:
    """Their steps are a whole: half of a comparison says nothing."""
    stages, _ = _walk(plan(16, 32, 64, recipe="through-and-around"), _sixteen)
    assert _amounts(stages) == [16, 32, 64]


def test_runs() -> None:
    """Each run goes through what the first one went through, by the same index."""
    stages, _ = _walk(plan(8, 16, 32, 64, runs=2), _sixteen)
    assert [(s.run, s.index, s.step.amount) for s in stages[4:]] == [(1, 0, 8), (1, 1, 16), (1, 2, 32), (1, 3, 24)]


def test_shedding() -> None:
    """A pause that sends nothing, then the first step under its own name."""
    stages, _ = _walk(plan(4, 8, adaptive=False, shed_s=30.0), _sixteen)
    pause, again = stages[2:]
    assert (pause.pause, pause.step.seconds) == (True, 30.0)
    assert again.step == replace(stages[0].step, label="shed")
    assert again.index not in {stage.index for stage in stages[:3]}


def test_rates_are_halved() -> None:
    """Between two rates any number may lie."""
    rates = replace(plan(), steps=tuple(Step(Shape.RATE, rate) for rate in (1.0, 2.0, 4.0)))
    late = spread(1.9)
    stages, _ = _walk(rates, lambda step: result(step.amount, step=step, ttft=late))
    assert _amounts(stages) == [1.0, 2.0, 1.5]
