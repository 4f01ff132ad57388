"""The most that a plan can send."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.probeorders import Arrival
from perfconsole.model.probeplan import SCENARIOS, Caps, ProbePlan, Shape, Step
from perfconsole.probing.scenario import Call, tasks
from perfconsole.probing.worstcase import worst_case

WIDE = Caps(requests=10**6, output_tokens=10**9, seconds=1e6)
PLAN = ProbePlan(
    "step-load", ("http://h",), (Step(Shape.CONCURRENCY, 4, 20),), prompt_tokens=100, output_tokens=50, caps=WIDE
)
STEPS = st.builds(
    Step,
    st.sampled_from(Shape),
    st.floats(0.5, 500),
    st.none() | st.integers(1, 1000),
    st.none() | st.floats(0.1, 100),
)


def test_each_slot_may_begin_two_more() -> None:
    """Warm-up, refused ones, counted ones, and those that keep the load up until the next order."""
    assert worst_case(PLAN).requests == 2 + 4 + 20 + 2 * 4


def test_every_answer_may_be_as_long_as_allowed() -> None:
    """Tokens are those of all requests, counted or not."""
    assert worst_case(PLAN).output_tokens == 34 * 50 + 2 * 16


def test_runs_and_shedding_repeat_steps() -> None:
    """Three runs of a step, the pause, and the step again."""
    plan = replace(PLAN, runs=3, shed_s=30.0)
    assert worst_case(plan).requests == 2 + 4 + 4 * 28
    assert worst_case(plan).seconds == 2 * 60 + 4 * (28 / 4) * 60 + 30


def test_a_step_of_seconds_ends_by_itself() -> None:
    """Its last answers may take as long as one may; how many requests it has, only the caps say."""
    found = worst_case(replace(PLAN, steps=(Step(Shape.CONCURRENCY, 4, seconds=10),), warmup=0))
    assert found.seconds == 70
    assert found.requests == WIDE.requests


def test_an_open_loop_of_seconds_has_as_many_as_its_rate_brings() -> None:
    """And chance brings more now and then."""
    found = worst_case(replace(PLAN, steps=(Step(Shape.RATE, 10, seconds=10),), warmup=0))
    assert 120 < found.requests < 180


def test_a_burst_is_what_it_says() -> None:
    """Nothing keeps it up."""
    assert worst_case(replace(PLAN, steps=(Step(Shape.BURST, 64, 64),))).requests == 2 + 4 + 64


def test_a_burst_without_a_warm_up_may_be_refused_whole() -> None:
    """Nobody has learned before what the server does not take."""
    plan = replace(PLAN, steps=(Step(Shape.BURST, 64, 64),), warmup=0)
    assert worst_case(plan).requests == 64 + 4 * 64


def test_without_a_warm_up_no_prompt_is_sized() -> None:
    """A tokenizer that nobody guessed makes all of them longer."""
    plan = replace(PLAN, steps=(Step(Shape.BURST, 1, 1),), warmup=0)
    assert worst_case(plan).prompt_tokens == 5 * 5 * 100


def test_each_target_has_its_warm_up() -> None:
    """A gateway and the engine behind it."""
    both = worst_case(replace(PLAN, urls=("http://g", "http://e")))
    assert both.requests == worst_case(PLAN).requests + 2 + 4


def test_a_replay_is_its_sample() -> None:
    """All of its prompts and answers, in each run."""
    arrivals = (Arrival(0.0, 5_000, 10), Arrival(1.0, 10, 700))
    plan = replace(PLAN, steps=(Step(Shape.REPLAY, 1, 2),), runs=2)
    found = worst_case(plan, arrivals)
    assert found.requests == 2 + 4 + 4
    assert found.output_tokens == 2 * 710 + 2 * 16
    assert found.prompt_tokens >= 2 * 5_010


def test_a_replay_that_a_cap_cuts_may_begin_with_the_longest() -> None:
    """The mean of the sample holds for the whole of it only."""
    arrivals = tuple(Arrival(float(i), 20_000 if i < 3 else 20, 300 if i < 3 else 4) for i in range(40))
    plan = replace(PLAN, steps=(Step(Shape.REPLAY, 1, 40),), caps=Caps(requests=5), prompt_tokens=1_519)
    found = worst_case(plan, arrivals)
    assert found.prompt_tokens >= 60_000
    assert found.output_tokens >= 900


@settings(max_examples=150)
@given(
    st.lists(STEPS, min_size=1, max_size=4), st.sampled_from(SCENARIOS), st.integers(1, 3), st.none() | st.just(30.0)
)
def test_the_caps_are_never_passed(steps: list[Step], scenario: str, runs: int, shed: float | None) -> None:
    """Whatever the plan is, no figure is above them, and none is below the warm-up."""
    caps = Caps()
    plan = replace(PLAN, steps=tuple(steps), scenario=scenario, runs=runs, shed_s=shed, caps=caps)
    found = worst_case(plan)
    assert 2 <= found.requests <= caps.requests
    assert 0 < found.output_tokens <= caps.output_tokens
    assert 0 < found.seconds <= caps.seconds
    assert found.prompt_tokens >= found.requests


def _run(scenario: str, slots: int, requests: int, seed: int) -> list[Call]:
    """Calls of slots that go on with their tasks in any order."""
    random, made = Random(seed), tasks(scenario, 100, 50, PLAN.mix, 0)  # noqa: S311 - no secret
    waiting: list[list[Call]] = [[] for _ in range(slots)]
    sent: list[Call] = []
    while len(sent) < requests:
        slot = random.randrange(slots)
        waiting[slot] = waiting[slot] or [call for stage in next(made) for call in stage]
        sent.append(waiting[slot].pop(0))
    return sent


@settings(max_examples=100)
@given(st.sampled_from(SCENARIOS), st.integers(1, 30), st.integers(1, 200), st.integers(0, 99))
def test_no_order_of_calls_sends_more_tokens(scenario: str, slots: int, requests: int, seed: int) -> None:
    """However far each slot has come with its task."""
    step = Step(Shape.BURST, requests)
    plan = replace(PLAN, steps=(step,), scenario=scenario, warmup=0, caps=replace(WIDE, requests=requests))
    sent = _run(scenario, slots, requests, seed)
    found = worst_case(plan)
    assert sum(call.prompt_tokens for call in sent) <= found.prompt_tokens
    assert sum(call.output_tokens for call in sent) <= found.output_tokens


def test_a_scenario_that_is_not_known_is_said() -> None:
    """Before it is confirmed."""
    with pytest.raises(ValueError, match="no such scenario"):
        worst_case(replace(PLAN, scenario="chess", caps=WIDE))
