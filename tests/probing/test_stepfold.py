"""One step, from its events to its result."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.probeload import Part, Trouble
from perfconsole.model.probeplan import Shape
from perfconsole.probing.stepfold import fold
from tests.probing.building import PLAN, T0, counts, folded, record, request, server, step, tick, ticks

LATENCIES = ("ttft", "ttfo", "itl", "tpot", "e2e", "burst")
TIMES = st.builds(
    request,
    intended=st.floats(T0, T0 + 2.0),
    ttft=st.floats(0.001, 1.0),
    e2e=st.floats(1.0, 3.0),
    tokens=st.integers(2, 300),
    burst=st.booleans(),
)
ERRORS = st.builds(
    request,
    ttft=st.floats(0.0001, 50.0),
    e2e=st.floats(0.001, 60.0),
    burst=st.booleans(),
    trouble=st.sampled_from(list(Trouble)),
    part=st.just(Part.COUNTED),
)


def test_a_quiet_step() -> None:
    """Latencies of the requests behind the burst, rates of the steady window."""
    found = folded()
    assert (found.index, found.run, found.requests, found.errors, found.valid) == (0, 1, 32, 0, True)
    assert (found.ttft.n, found.ttft.p50, found.burst.n) == pytest.approx((24, 0.05, 8))
    assert (found.e2e.p50, found.tpot.p50) == pytest.approx((0.685, 0.005))
    assert (found.itl.n, found.itl.p50) == pytest.approx((6000, 0.005))
    assert (found.output_tokens_per_s, found.requests_per_s) == pytest.approx((2000, 2000 / 128))
    assert (found.goodput_ratio, found.tokens_per_event, found.output_tokens) == (1.0, 1.0, 128.0)
    assert (found.connect.n, found.connect.p50) == pytest.approx((8, 0.0003))


@given(st.lists(TIMES, min_size=1, max_size=20), st.lists(ERRORS, max_size=20))
def test_errors_never_change_a_latency(good: list[object], failed: list[object]) -> None:
    """They are in the requests and in the errors, and nowhere else."""
    clean, dirty = folded(good), folded([*failed, *good])  # type: ignore[arg-type, list-item]  # records
    assert all(getattr(clean, name) == getattr(dirty, name) for name in LATENCIES)
    assert (dirty.requests, dirty.errors) == (len(good) + len(failed), len(failed))


@given(st.lists(TIMES, min_size=1, max_size=30))
def test_latencies_lie_among_those_of_the_requests(records: list[object]) -> None:
    """Whatever they are."""
    found = folded(records)  # type: ignore[arg-type]  # records
    seen = [r.ttft for r in records]  # type: ignore[attr-defined]  # records
    assert found.ttft.p50 is not None
    assert min(seen) <= found.ttft.p50 <= max(seen)


def test_time_per_token_of_the_burst_counts() -> None:
    """It began together, but it decodes like any other."""
    found = folded([request(burst=True), request(burst=True), request()])
    assert (found.tpot.n, found.ttft.n, found.e2e.n) == (3, 1, 1)


def test_a_lone_burst_stands_in() -> None:
    """Its TTFT is in both, and the step says so."""
    found = folded([request(burst=True)] * 8)
    assert (found.ttft, found.e2e.n) == (found.burst, 8)
    assert "burst" in found.why


def test_the_first_token_of_the_answer_itself() -> None:
    """Only where reasoning comes before it."""
    assert folded([request(first_answer=T0 + 0.4)]).ttfo.p50 == pytest.approx(0.4)
    assert folded().ttfo.n == 0


def test_what_a_usage_tells() -> None:
    """Tokens of a prompt, and how many of them were cached."""
    found = folded([request(prompt_tokens=200, cached_tokens=50), request(prompt_tokens=100, cached_tokens=None)])
    assert (found.prompt_tokens, found.cached_ratio) == (150.0, 0.25)
    assert folded([request(prompt_tokens=None, cached_tokens=None)]).prompt_tokens is None


def test_several_tokens_in_an_event() -> None:
    """A gap is then longer than a time per token."""
    assert folded([request(events=64)]).tokens_per_event == 2.0


def test_events_close_behind_each_other() -> None:
    """A share of those that have one before them."""
    assert folded([request(events=101, close_behind=60), request(events=101, close_behind=20)]).close_ratio == 0.4
    assert folded([request(events=1, tokens=1)]).close_ratio is None


def test_a_fresh_connection_is_resolved_too() -> None:
    """Each request has one of its own."""
    records = [request(connect_s=0.02, resolve_s=0.01, sent=T0 + 0.03)] * 3
    found = folded(records, asked=step(fresh=True))
    assert (found.connect.p50, found.connect.n, found.resolve.p50) == pytest.approx((0.03, 3, 0.01))


def test_a_connection_is_no_part_of_the_first_token() -> None:
    """TTFT begins when the connection is there."""
    slow = request(connect_s=0.5, sent=T0 + 0.5, first=T0 + 0.55, last=T0 + 1.2)
    assert folded([slow]).ttft.p50 == pytest.approx(0.05)


def test_gaps_are_laid_together() -> None:
    """Of all ticks of the step."""
    beats = [tick(T0 + 0.5, gaps=counts((1000, 2))), tick(T0 + 1.0, gaps=counts((1000, 1), (3000, 1)))]
    found = folded(beats=beats)
    assert (found.itl.n, found.itl.max) == pytest.approx((4, 0.003))


def test_the_engines_side_is_kept() -> None:
    """As it was handed in."""
    held = server(0.1, 0.05)
    assert folded(server=held).server is held


def test_kinds_of_error_are_told() -> None:
    """And time-outs counted."""
    found = folded([request(), request(trouble=Trouble.TIMEOUT), request(trouble=Trouble.STATUS, detail="429")])
    assert (found.errors, found.timeouts, found.error_kinds) == (2, 1, (("status 429", 1), ("timeout", 1)))


def test_a_step_that_was_broken_off_is_kept_and_not_valid() -> None:
    """And it is no fault of the client."""
    found = fold(step(), 2, 1, [request()], ticks(1.0), None, None, PLAN)
    assert (found.valid, found.cut, found.client_limited, found.why) == (
        False,
        True,
        False,
        "broken off before its end",
    )
    assert (found.requests, found.output_tokens_per_s) == pytest.approx((1, 2000))
    assert fold(step(), 2, 1, [], [], None, None, PLAN).window_s == 0.0


def test_an_open_loop_counts_its_arrivals() -> None:
    """Tokens between the time of a request and the last start."""
    records = [request(T0 + 0.1 * i) for i in range(25)]
    found = folded(records, asked=step(10.0, shape=Shape.RATE), told=record(full=None, closed=T0 + 2.5))
    assert found.window_s == pytest.approx(2.5 - 0.685)
    assert found.client.delivered is None


def test_fillers_are_in_the_tokens_alone() -> None:
    """They keep the load up, and nothing is measured on them."""
    busy = [request(), replace(request(ttft=9.0, e2e=9.9), part=Part.FILLER)]
    found = folded(busy)
    assert (found.requests, found.ttft.max) == pytest.approx((1, 0.05))
