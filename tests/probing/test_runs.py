"""Several runs of the same steps."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.proberesult import Spread, StepResult
from perfconsole.probing.runs import marked, medians, run_spread
from tests.probing.building import CLEAN, rung, server, spread


def runs(*speeds: float, amount: float = 8.0, **more: object) -> list[StepResult]:
    """One step as often as there are speeds."""
    return [rung(amount, speed, **more, run=i + 1) for i, speed in enumerate(speeds)]  # type: ignore[arg-type]  # as rung


def test_the_middle_of_three() -> None:
    """Number by number."""
    first, second, third = runs(1000, 1040, 1020)
    slow = replace(second, ttft=spread(0.052), client=replace(CLEAN, cpu=0.4))
    (found,) = medians([first, slow, third])
    assert (found.output_tokens_per_s, found.ttft.p50, found.client.cpu) == (1020, 0.05, 0.1)
    assert (found.run, found.runs) == (0, 3)
    assert found.run_spread == pytest.approx(20 / 1020)


def test_errors_and_samples_are_of_all_runs() -> None:
    """An error in one of three is still an error."""
    broken = rung(8, 1000, errors=3, timeouts=1, error_kinds=(("reset", 2), ("timeout", 1)))
    (found,) = medians([*runs(1000, 1000), broken])
    assert (found.requests, found.errors, found.timeouts, found.ttft.n) == (300, 3, 1, 300)
    assert found.error_kinds == (("reset", 2), ("timeout", 1))


def test_steps_keep_their_order_and_one_run_stays_as_it_is() -> None:
    """Runs go through all steps before the next one begins."""
    every = [rung(16, 1), rung(8, 1), rung(16, 3)]
    found = medians(every)
    assert [s.step.amount for s in found] == [16, 8]
    assert found[1] is not None
    assert found[1] == every[1]


def test_a_run_that_the_client_limited_is_left_out() -> None:
    """And it is said; where all are it stays at that."""
    spoiled = rung(8, 500, valid=False, why="the client was the limit")
    (found,) = medians([*runs(1000, 1020), spoiled])
    assert (found.valid, found.output_tokens_per_s, found.requests) == (True, 1010, 200)
    assert found.why == "1 of 3 runs left out, as not valid"
    (bad,) = medians([spoiled, spoiled])
    assert (bad.valid, bad.why, bad.client_limited) == (False, "the client was the limit", True)


@pytest.mark.parametrize(
    ("speeds", "off"),
    [
        ((1000, 1001, 1400), [False, False, True]),
        ((1000, 1001, 1050), [False, False, False]),
        ((900, 1000, 1300), [False, False, False]),
        ((500, 1000, 1000), [True, False, False]),
        ((500, 1000), [False, False]),
    ],
)
def test_far_from_the_median_is_an_outlier(speeds: tuple[float, ...], off: list[bool]) -> None:
    """Three deviations, and a tenth; of two nobody knows which one is."""
    assert [s.outlier for s in marked(runs(*speeds))] == off


def test_an_outlier_is_said_and_is_not_in_the_spread() -> None:
    """It would widen what it is measured against."""
    (found,) = medians(runs(1000, 1010, 1500))
    assert found.why == "1 of 3 runs is an outlier"
    assert found.run_spread == pytest.approx(5 / 1005)
    assert not found.outlier


def test_late_first_tokens_make_an_outlier_too() -> None:
    """Throughput is not all."""
    every = [rung(8, 1000), rung(8, 1000), rung(8, 1000, 0.2)]
    assert [s.outlier for s in marked(every)] == [False, False, True]


def test_the_engines_side_is_in_the_middle_too() -> None:
    """Where it is known; a spread inside is one number by number."""
    held = [rung(8, 1, server=server(q, waiting=w)) for q, w in ((0.1, 1.0), (0.3, None), (0.2, 4.0))]
    (found,) = medians([*held, rung(8, 1)])
    assert found.server is not None
    assert (found.server.queue.p50, found.server.waiting, found.server.running) == (0.2, 2.5, None)
    assert medians(runs(1, 1))[0].server is None


def test_a_p95_that_only_some_runs_have() -> None:
    """The middle of those."""
    few, many = rung(8, 1, ttft=spread(0.1, 10)), rung(8, 1, ttft=spread(0.2, 30))
    (found,) = medians([few, many, few])
    assert (found.ttft.p50, found.ttft.p95, found.ttft.n) == (0.1, 0.24, 50)


def test_spread_of_runs_needs_two() -> None:
    """And a middle that is not 0."""
    speed = lambda s: s.output_tokens_per_s  # noqa: E731 - a metric
    assert run_spread(runs(1000), speed) is None
    assert run_spread(runs(0, 0), speed) is None
    assert run_spread([], speed) is None


@given(st.lists(st.floats(1.0, 1e5), min_size=1, max_size=6))
def test_the_median_lies_among_the_runs(speeds: list[float]) -> None:
    """Whatever they are."""
    (found,) = medians(runs(*speeds))
    assert found.output_tokens_per_s is not None
    assert min(speeds) <= found.output_tokens_per_s <= max(speeds)


@given(st.lists(st.floats(0.001, 10.0), min_size=2, max_size=5))
def test_quantiles_still_rise(tails: list[float]) -> None:
    """The middle of several spreads is one."""
    (found,) = medians([rung(8, 1, ttft=spread(0.001, tail=1 + tail)) for tail in tails])
    told = [found.ttft.p50, found.ttft.p90, found.ttft.p95, found.ttft.p99, found.ttft.max]
    assert told == sorted(v for v in told if v is not None)


def test_of_nothing_there_is_no_median() -> None:
    """A probe that was stopped before its first step."""
    assert medians([]) == marked([]) == ()
    assert medians([rung(8, None, ttft=Spread())] * 2)[0].output_tokens_per_s is None
