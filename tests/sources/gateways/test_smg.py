"""Tests of the table of SMG on pages of its releases, and of the router of SGLang before it."""

from __future__ import annotations

import pytest

from perfconsole.sources.gateways.smg import ADAPTER
from tests.sources.gateways.reading import Reading

NEW = ["smg/load.prom", "smg/1.0.prom"]
CALLERS = ("/v1/chat/completions", "/v1/embeddings")
ONE, TWO, THREE, GONE = (f"10.20.0.{n}:30000" for n in (11, 12, 13, 10))


@pytest.mark.parametrize("page", NEW)
def test_requests_are_those_of_callers(page: str) -> None:
    """Probes of health, lists of models and new workers are none."""
    found = Reading(ADAPTER, page)
    assert found.total("requests") == sum(found.there.total("smg_http_requests_total", path=path) for path in CALLERS)


@pytest.mark.parametrize("page", NEW)
def test_errors_are_answers_from_500_on(page: str) -> None:
    """A refusal at the limit is none, nor is a probe that was told the truth."""
    found = Reading(ADAPTER, page)
    assert (found.total("errors"), found.total("rate_limited")) == (40.0, 402.0)


def test_a_model_that_nobody_serves_is_the_callers_error() -> None:
    """The router counts its errors of 404 and 400 too, and attempts that were tried again."""
    found = Reading(ADAPTER, "smg/1.7.prom")
    assert found.there.total("smg_router_request_errors_total") == 15.0
    assert [found.total(noun) for noun in ("requests", "errors", "retries")] == [131.0, 0.0, 2.0]


@pytest.mark.parametrize("page", NEW)
def test_times_are_those_of_the_page(page: str) -> None:
    """Of callers, in seconds."""
    found = Reading(ADAPTER, page)
    name = "smg_http_request_duration_seconds"
    expected = [sum(found.there.total(f"{name}_{end}", path=path) for path in CALLERS) for end in ("count", "sum")]
    assert found.times("latency") == pytest.approx(tuple(expected))
    assert found.times("ttft") == pytest.approx(
        tuple(found.there.total(f"smg_router_ttft_seconds_{end}") for end in ("count", "sum"))
    )


@pytest.mark.parametrize("page", NEW)
def test_each_worker_has_its_share(page: str) -> None:
    """A worker that was taken away has no health."""
    found = Reading(ADAPTER, page)
    assert found.shares("inflight") == {ONE: 31.0, TWO: 8.0, THREE: 25.0, GONE: 0.0}
    assert found.shares("upstream_requests") == {ONE: 9120.0, TWO: 2278.0, THREE: 6301.0}
    assert found.shares("upstream_healthy") == {ONE: 1.0, TWO: 0.0, THREE: 1.0}
    assert found.shares("circuit_open") == {ONE: 0.0, TWO: 1.0, THREE: 0.0}


@pytest.mark.parametrize("page", NEW)
def test_a_request_that_prefill_and_decode_tried_again_is_one(page: str) -> None:
    """Both workers count it."""
    assert Reading(ADAPTER, page).total("retries") == 61.0


def test_what_waits_for_admission_is_the_queue() -> None:
    """And what was refused there is already among the decisions of the limit."""
    found = Reading(ADAPTER, "smg/load.prom")
    assert (found.total("queue_depth"), found.total("rate_limited")) == (7.0, 402.0)


def test_a_scheduler_by_priority_tells_queue_load_and_who_left() -> None:
    """A load above 1 is full, as any ratio."""
    found = Reading(ADAPTER, "smg/scheduler.prom")
    nouns = ("queue_depth", "inflight", "client_gone", "saturation")
    assert [found.total(noun) for noun in nouns] == [21.0, 68.0, 6.0, 1.0]
    assert found.times("queue_time") == pytest.approx((100.0, 123.1), rel=1e-3)


@pytest.mark.parametrize("noun", ["errors", "retries", "upstream_requests", "circuit_open"])
def test_a_router_without_a_request_has_zeros(noun: str) -> None:
    """Its counters do not exist before their first event."""
    assert Reading(ADAPTER, b'smg_worker_health{worker="http://h:1"} 1\n').total(noun) == 0.0


def test_the_old_names_of_sglang_say_the_same() -> None:
    """Answered and lost together are the requests; the list of models is none."""
    found = Reading(ADAPTER, "smg_old/0.1.9.prom")
    assert [found.total(noun) for noun in ("requests", "errors", "retries")] == [1297.0, 6.0, 19.0]
    assert found.shares("inflight") == {ONE: 12.0, TWO: 3.0}
    assert found.shares("circuit_open") == {ONE: 0.0, TWO: 1.0}
    assert found.times("ttft") is not None


NOUNS = ("requests", "errors", "rate_limited", "client_gone", "retries")


@pytest.mark.parametrize(
    ("page", "numbers"),
    [
        ("2026", [912.0, 9.0 + 6.0 + 2.0, 3.0, 7.0, 0.0]),
        ("retries", [912.0, 9.0 + 6.0 + 2.0 + 3.0, 3.0 + 6.0, 7.0, 14.0]),
    ],
)
def test_the_router_that_was_written_anew_counts_what_comes_in(page: str, numbers: list[float]) -> None:
    """Refused and lost requests are in its count already; its probes are no requests and no errors."""
    found = Reading(ADAPTER, f"smg_rewritten/{page}.prom")
    assert [found.total(noun) for noun in NOUNS] == numbers


def test_its_queue_and_its_gaps_are_told() -> None:
    """What waits, how long, what the router adds, and the time between chunks."""
    found = Reading(ADAPTER, "smg_rewritten/retries.prom")
    assert found.total("queue_depth") == 4.0
    assert [found.times(noun) for noun in ("queue_time", "overhead", "itl")] == [
        (72.0, 41.5),
        (895.0, 52.25),
        (91200.0, 1810.5),
    ]


def test_its_workers_are_called_by_their_urls() -> None:
    """A request that was refused before a worker was chosen went to none."""
    found = Reading(ADAPTER, "smg_rewritten/2026.prom")
    assert found.shares("upstream_requests") == {ONE: 580.0, TWO: 300.0}
    assert found.shares("upstream_healthy") == {ONE: 1.0, TWO: 0.0}
    assert found.shares("circuit_open") == {ONE: 0.0, TWO: 1.0}
    assert found.shares("inflight") == {ONE: 16.0, TWO: 2.0}
    assert found.mapped.upstreams == {f"http://{ONE}", f"http://{TWO}"}


def test_its_durations_last_as_long_as_the_streams() -> None:
    """And the first token has a histogram of its own."""
    found = Reading(ADAPTER, "smg_rewritten/2026.prom")
    assert (found.times("latency"), found.times("ttft")) == ((871.0, 3919.5), (820.0, 147.6))
