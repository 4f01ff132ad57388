"""The highest rate within the promise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.probeplan import Shape, Slo, Step
from perfconsole.model.proberesult import Spread
from perfconsole.probing.goodput import goodput_of, wilson
from tests.probing.building import rung, spread

SLO = Slo(1.5, 0.08)


def test_the_best_of_those_that_keep_it() -> None:
    """More goes through at 32, and too late."""
    steps = [rung(8, 1280), rung(16, 2560), rung(32, 2700, first=1.6), rung(64, 2800, each=0.09)]
    found = goodput_of(steps, SLO)
    assert (found.requests_per_s, found.concurrency) == (20.0, 16.0)


def test_its_share_has_an_interval() -> None:
    """Of the requests whose latency counts, and the failed ones."""
    found = goodput_of([rung(16, 2560, goodput_ratio=0.9, ttft=spread(0.05, 90), errors=10)], SLO)
    assert (found.low, found.high) == pytest.approx(wilson(90, 100))


def test_a_step_that_is_not_valid_keeps_nothing() -> None:
    """The client's rate is none of the server's."""
    found = goodput_of([rung(8, 1280), rung(16, 2560, valid=False)], SLO)
    assert found.concurrency == 8
    assert goodput_of([rung(16, 2560, valid=False)], SLO).why.endswith(": none is valid")


@pytest.mark.parametrize(
    ("ttft", "kept", "word"),
    [
        (Spread(9, 1.0, 1.0, 1.2, None, None, 1.4), True, "9 samples are too few for p95, the maximum counts"),
        (Spread(9, 1.0, 1.0, 1.2, None, None, 1.6), False, "already TTFT 1.6 s"),
        (Spread(12, 1.0, 1.0, 1.2, None, None, 1.6), True, "12 samples are too few for p95, p90 counts"),
    ],
)
def test_a_withheld_p95_has_a_stand_in(ttft: Spread, kept: bool, word: str) -> None:  # noqa: FBT001 - a table
    """p90 from ten samples on, the maximum below, and it is said."""
    found = goodput_of([rung(4, 1280, ttft=ttft)], SLO)
    assert (found.concurrency is not None, word in found.why) == (kept, True)


def test_a_burst_is_no_rate() -> None:
    """It is not said that no step was valid."""
    burst = rung(8, 1280, step=Step(Shape.BURST, 8.0, 8))
    assert goodput_of([burst], SLO).why == "bursts and samples are no rising load"


def test_a_promise_that_is_never_kept() -> None:
    """It says how far the gentlest step was from it."""
    found = goodput_of([rung(1, 128, each=0.1), rung(2, 200, each=0.2)], SLO)
    assert (found.requests_per_s, found.concurrency) == (None, None)
    assert found.why == "no step kept TTFT p95 1.5 s and TPOT p90 80 ms: at 1 already TPOT 120 ms"


def test_single_tokens_have_no_time_per_token() -> None:
    """The first token is all that is promised."""
    assert goodput_of([rung(1, 128, tpot=Spread())], SLO).concurrency == 1


def test_an_interval_of_ten() -> None:
    """As tables give it: 8 of 10 is 49% to 94%."""
    assert wilson(8, 10) == pytest.approx((0.4901, 0.9433), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_its_share(seen: tuple[int, int]) -> None:
    """And stays a share."""
    low, high = wilson(*seen)
    assert 0.0 <= low <= seen[0] / seen[1] <= high <= 1.0
