"""How long a step lasts whose plan leaves it open."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.probeplan import Shape, Step
from perfconsole.model.proberesult import Spread
from perfconsole.probing.steplength import LONGEST_S, SHORTEST_S, UNKNOWN_S, likely_s, seconds_left, with_length
from tests.probing.fakeload import plan
from tests.probing.results import result

if TYPE_CHECKING:
    from perfconsole.model.proberesult import StepResult


def _measured(amount: float, e2e_s: float | None) -> StepResult:
    return replace(result(amount), e2e=Spread(20, e2e_s, e2e_s))


def test_a_plan_that_says_it_is_kept() -> None:
    """Requests or seconds of a plan are what counts; a burst and a replay end by themselves."""
    for step in (
        Step(Shape.CONCURRENCY, 4.0, requests=9),
        Step(Shape.CONCURRENCY, 4.0, seconds=30.0),
        Step(Shape.BURST, 4.0),
        Step(Shape.REPLAY, 1.0),
    ):
        assert with_length(step, [], 1.0) == step


@pytest.mark.parametrize(("e2e_s", "seconds"), [(0.1, SHORTEST_S), (2.0, 5.0), (60.0, LONGEST_S), (None, UNKNOWN_S)])
def test_two_and_a_half_requests(e2e_s: float | None, seconds: float) -> None:
    """Within its bounds; where nothing is known, five seconds."""
    assert with_length(Step(Shape.CONCURRENCY, 1.0), [], e2e_s).seconds == seconds


def test_requests_grow_as_they_grew() -> None:
    """Behind the knee twice as many take twice as long: the next step is sized for that."""
    before = [_measured(16, 1.0), _measured(32, 2.0)]
    assert with_length(Step(Shape.CONCURRENCY, 64.0), before, None).seconds == 10.0


def test_no_further_than_the_load() -> None:
    """One slow step does not make the next one longer than its load can."""
    before = [_measured(16, 0.5), _measured(32, 5.0)]
    assert with_length(Step(Shape.CONCURRENCY, 32.0), before, None).seconds == 12.5


def test_faster_than_before() -> None:
    """A step is never sized by a hope."""
    before = [_measured(1, 3.0), _measured(2, 2.0)]
    assert with_length(Step(Shape.CONCURRENCY, 4.0), before, None).seconds == 5.0


def test_steps_without_an_answer() -> None:
    """A step in which all failed says nothing of the length; the one before does."""
    before = [_measured(1, 2.0), _measured(2, None)]
    assert with_length(Step(Shape.CONCURRENCY, 4.0), before, None).seconds == 5.0


def test_what_is_left() -> None:
    """The steps behind the one under way, of this run and of those to come, the pause, and the last requests."""
    made = replace(
        plan(1, 2), steps=tuple(Step(Shape.CONCURRENCY, n, seconds=10.0) for n in (1.0, 2.0)), runs=2, shed_s=30.0
    )
    assert seconds_left(made, 0, 0, 1.0) == 11.0 + 22.0 + 11.0 + 30.0 + 1.0
    assert seconds_left(made, 1, 1, 1.0) == 11.0 + 30.0 + 1.0


def test_what_a_step_takes() -> None:
    """By its seconds, by its requests, or as long as one may be."""
    assert likely_s(Step(Shape.CONCURRENCY, 4.0, requests=16), 2.0) == 8.0
    assert likely_s(Step(Shape.RATE, 2.0, requests=20), 2.0) == 10.0
    assert likely_s(Step(Shape.CONCURRENCY, 4.0), 2.0) == LONGEST_S + 2.0
