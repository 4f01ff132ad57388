"""Where more load stops to pay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.probeplan import Shape
from perfconsole.model.proberesult import Spread, StepResult
from perfconsole.probing.knee import knee_of
from tests.probing.building import rung, server, step
from tests.probing.queueing import Engine, ladder, served

LOADS = (1, 2, 4, 8, 16, 32, 64)
QUEUE = [
    (1, 190, 0.05),
    (2, 380, 0.05),
    (4, 760, 0.05),
    (8, 1500, 0.05),
    (16, 2990, 0.05),
    (32, 2985, 0.73),
    (64, 2990, 2.1),
]
RUNGS = [rung(load, speed, ttft) for load, speed, ttft in QUEUE]


def slower(s: StepResult, times: float) -> StepResult:
    """The same step of a machine that takes so many times as long."""
    latencies: dict[str, Any] = {name: _longer(getattr(s, name), times) for name in ("ttft", "itl", "tpot", "e2e")}
    rates: dict[str, Any] = {name: getattr(s, name) / times for name in ("output_tokens_per_s", "requests_per_s")}
    return replace(s, **latencies, **rates)


def _longer(spread: Spread, times: float) -> Spread:
    names = ("mean", "p50", "p90", "p95", "p99", "max")
    longer: dict[str, Any] = {n: None if (v := getattr(spread, n)) is None else v * times for n in names}
    return replace(spread, **longer)


@pytest.mark.parametrize("slots", [4, 8, 16, 32])
@pytest.mark.parametrize("counts", [True, False])
def test_a_queue_in_front_of_slots(slots: int, counts: bool) -> None:  # noqa: FBT001 - with and without its numbers
    """The knee is at the slots, and the wait is why."""
    knee = knee_of(ladder(Engine(slots=slots, counts=counts), *LOADS))
    assert (knee.concurrency, knee.limit) == (slots, "queue")


def test_slots_between_two_steps() -> None:
    """The knee is within one step of them; a refinement brings it nearer."""
    engine = Engine(slots=20)
    steps = ladder(engine, *LOADS)
    assert knee_of(steps).concurrency == 32
    assert knee_of([*steps, served(engine, 24, 96, 9)]).concurrency == 24


def test_a_batch_that_decodes_slower() -> None:
    """Throughput bends without a queue."""
    knee = knee_of(ladder(Engine(per_running_s=0.001), *LOADS))
    assert (knee.concurrency, knee.limit) == (32, "decode")


def test_a_batch_that_is_about_to_be_the_limit() -> None:
    """No bend yet, so no knee; what comes is said."""
    knee = knee_of(ladder(Engine(per_running_s=0.001), 1, 2, 4, 8))
    assert (knee.concurrency, knee.limit) == (None, "decode")
    assert knee.why.startswith("throughput rises up to 8, the highest that was measured")


def test_errors_do_not_move_the_knee() -> None:
    """One request of ten is refused at any load."""
    knee = knee_of(ladder(Engine(slots=16, fails_every=10), *LOADS))
    assert (knee.concurrency, knee.limit) == (16, "queue")


def test_an_endpoint_without_a_bend() -> None:
    """It is said up to where it was measured."""
    knee = knee_of(ladder(Engine(), *LOADS))
    assert (knee.concurrency, knee.limit) == (None, "none")
    assert "rises up to 64, the highest that was measured" in knee.why


@given(st.floats(0.001, 1000.0))
def test_a_slower_machine_has_the_same_knee(times: float) -> None:
    """Only ratios count."""
    knee = knee_of([slower(s, times) for s in RUNGS])
    assert (knee.concurrency, knee.limit) == (16, "queue")


@given(st.permutations(RUNGS))
def test_the_order_of_the_steps_does_not_matter(steps: list[StepResult]) -> None:
    """Refinements come last."""
    assert knee_of(steps).concurrency == 16


def test_a_bend_that_nothing_confirms_is_none() -> None:
    """A last step may have been disturbed."""
    knee = knee_of([*RUNGS[:5], rung(32, 3000)])
    assert (knee.concurrency, knee.limit) == (None, "none")
    assert "nothing confirms a knee there" in knee.why


def test_a_bend_that_only_the_polls_confirm() -> None:
    """Something waits in the engine half of the time."""
    knee = knee_of([*RUNGS[:5], rung(32, 3000, server=server(waiting_share=0.6))])
    assert (knee.concurrency, knee.limit) == (16, "queue")


def test_a_bend_at_a_step_that_the_client_limited_is_none() -> None:
    """It may be the client's."""
    spoiled = rung(32, 2990, 0.73, valid=False, why="the client was the limit: it read 4 ms late")
    knee = knee_of([*RUNGS[:5], spoiled])
    assert (knee.concurrency, knee.limit) == (None, "client")
    assert knee.why == "throughput rises up to 16; at 32 the client was the limit: it read 4 ms late"


def test_a_limit_of_the_client_in_between_is_looked_past() -> None:
    """What is above it shows the bend."""
    spoiled = rung(32, 2000, 0.73, valid=False, why="the client was the limit")
    assert knee_of([*RUNGS[:5], spoiled, RUNGS[6]]).concurrency == 16


def test_only_steps_of_the_client() -> None:
    """Nothing was learned of the server."""
    assert knee_of([rung(1, 100, valid=False, why="busy")]).limit == "client"


def test_a_step_that_was_broken_off_bends_nothing() -> None:
    """Its rate is that of a ramp."""
    cut = rung(32, 500, valid=False, cut=True, why="broken off before its end")
    assert (knee_of([*RUNGS[:5], cut]).concurrency, knee_of([*RUNGS[:5], cut]).limit) == (None, "none")


def test_a_step_at_which_everything_fails() -> None:
    """The endpoint collapsed: above the last good one nothing pays."""
    kinds = (("timeout", 100),)
    dead = rung(32, 0.0, valid=False, errors=100, error_kinds=kinds, ttft=Spread(), e2e=Spread(), tpot=Spread())
    knee = knee_of([*RUNGS[:5], dead])
    assert (knee.concurrency, knee.limit) == (16, "queue")


def test_rates_have_a_knee_too() -> None:
    """The last rate that was kept up with."""
    rungs = [
        rung(rate, speed, ttft, step=step(rate, shape=Shape.RATE))
        for rate, speed, ttft in ((1.0, 128, 0.05), (2.0, 256, 0.05), (4.0, 500, 0.06), (8.0, 505, 9.0))
    ]
    knee = knee_of(rungs)
    assert (knee.concurrency, knee.why.startswith("500 tokens/s at 4 requests/s, +1% at 8 requests/s")) == (4.0, True)


def test_one_step_has_no_knee() -> None:
    """And no steps have none."""
    assert (
        knee_of([rung(1, 100)]).why == knee_of([]).why == "two steps of different load are the least that can show one"
    )


def test_bursts_have_no_knee() -> None:
    """They are no rising load, and it is not said that there were too few."""
    bursts = [rung(n, 100, step=step(n, shape=Shape.BURST)) for n in (8.0, 40.0)]
    assert knee_of(bursts).why == "bursts and samples are no rising load"
