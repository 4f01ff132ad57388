"""Tests of the table of vllm-router on captured pages: idle, under load, with errors, second by second."""

from __future__ import annotations

from math import fsum
from pathlib import Path
from statistics import fmean

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Absence, Missing
from perfconsole.sources.gateways import adapters
from perfconsole.sources.gateways.vllm_router import ADAPTER
from perfconsole.sources.layer import GATEWAY
from perfconsole.sources.recorded import read_pages
from tests.sources.enginepages import CAPTURES, capture
from tests.sources.exposed import Exposed, mapped, parts, poll, target
from tests.sources.gateways.reading import Reading

ROUTER = Entity(Kind.GATEWAY, "vllm-router:30000")
PAGES = ["idle", "load", "backend_down", "after", "errors"]
P = "vllm_router_"
RECORDED = Path(CAPTURES / "vllm-router" / "series.prom.gz")


def page(name: str) -> bytes:
    """A captured page."""
    return capture(f"vllm-router/{name}.prom")


@pytest.mark.parametrize("name", PAGES)
def test_counts_are_those_of_the_page(name: str) -> None:
    """Read by another parser; a counter that is not there yet is 0."""
    found, there = mapped(ADAPTER, page(name), ROUTER), Exposed(page(name))
    failed = there.total(P + "retries_exhausted_total")
    refused = there.total(P + "request_errors_total", error_type="non_retryable_error")
    answered = there.total(P + "requests_total", route="/v1/chat/completions")
    expected = {
        "gateway.requests": answered + failed + refused,
        "gateway.errors": failed,
        "gateway.retries": there.total(P + "retries_total"),
        "gateway.upstream_requests": there.total(P + "processed_requests_total"),
        "gateway.circuit_open": float(sum(state != 0 for state in there.values(P + "cb_state"))),
    }
    assert {name: fsum(parts(found, name)) for name in expected} == expected
    assert all(parts(found, name) for name in expected)


def test_every_request_counts_once_however_it_ended() -> None:
    """3 answered, 2 refused, 10 failed: each of these tried twice, half of the attempts without a worker to go to."""
    found = mapped(ADAPTER, page("errors"), ROUTER)
    names = ("gateway.requests", "gateway.errors", "gateway.retries", "gateway.circuit_open", "gateway.inflight")
    assert [fsum(parts(found, name)) for name in names] == [15.0, 10.0, 10.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("route", "counts"),
    [("/metrics", False), ("/health", False), ("/v1/models", False), ("/", False), ("/v1/completions", True)],
)
def test_a_question_of_a_console_is_no_request(route: str, counts: bool) -> None:  # noqa: FBT001 - a parametrized expectation
    """The router passes it to a worker and counts it."""
    body = f'{P}requests_total{{route="{route}"}} 7\n'.encode()
    assert fsum(parts(mapped(ADAPTER, body, ROUTER), "gateway.requests")) == (7.0 if counts else 0.0)


@pytest.mark.parametrize(("name", "ratio"), [("idle", 1.0), ("load", 1.0), ("backend_down", 0.5)])
def test_health_is_the_mean_over_the_workers(name: str, ratio: float) -> None:
    """Not the count of active workers, which still says 2 with one of two down."""
    assert fmean(parts(mapped(ADAPTER, page(name), ROUTER), "gateway.upstream_healthy")) == ratio
    assert Exposed(page(name)).total(P + "active_workers") == 2


@pytest.mark.parametrize("state", [0, 1, 2])
def test_a_breaker_that_tries_again_is_no_closed_one(state: int) -> None:
    """Half open is 2 on the page, and one breaker."""
    body = f'{P}cb_state{{worker="http://a"}} {state}\n{P}cb_state{{worker="http://b"}} 0\n'.encode()
    assert fsum(parts(mapped(ADAPTER, body, ROUTER), "gateway.circuit_open")) == min(state, 1)


def test_requests_and_retries_and_those_on_their_way_are_the_calls_upstream() -> None:
    """With 12 callers, in every second of idle, load and a worker's end: what calls upstream means."""
    for recorded in read_pages(RECORDED):
        found = mapped(ADAPTER, recorded.body, ROUTER)
        ended = fsum(parts(found, "gateway.requests")) + fsum(parts(found, "gateway.retries"))
        assert 0 <= fsum(parts(found, "gateway.upstream_requests")) - ended <= 12


def test_each_worker_has_its_share() -> None:
    """One of two takes as many, answers fewer, and then ends."""
    found = Reading(ADAPTER, "vllm-router/backend_down.prom")
    assert found.shares("upstream_requests") == {"127.0.0.1:28000": 37.0, "127.0.0.1:28080": 34.0}
    assert found.shares("upstream_healthy") == {"127.0.0.1:28000": 1.0, "127.0.0.1:28080": 0.0}


def test_the_beginning_of_an_answer_is_its_first_byte() -> None:
    """Durations end there."""
    found = Reading(ADAPTER, "vllm-router/load.prom")
    name = P + "generate_duration_seconds"
    assert found.times("ttft") == (found.there.total(f"{name}_count"), found.there.total(f"{name}_sum"))


def test_prefill_and_decode_workers_are_upstreams_alike() -> None:
    """Each request has one of either; what they hold is there where load decides."""
    found = Reading(ADAPTER, "vllm-router_pd/0.1.9.prom")
    assert (found.total("requests"), found.total("upstream_requests")) == (1810.0, 3638.0)
    assert found.shares("inflight") == {"10.4.0.41:8000": 4.0, "10.4.0.42:8000": 19.0, "10.4.0.43:8000": 3.0}
    assert found.times("ttft") == pytest.approx((200.0, found.there.total(P + "pd_request_duration_seconds_sum")))


def test_programs_of_agents_wait_in_the_router() -> None:
    """A summary without quantiles of ours is a count and a sum."""
    found = Reading(ADAPTER, "vllm-router_agents/0.1.17.prom")
    assert found.shares("queue_depth") == {"10.4.0.41:8000": 6.0, "10.4.0.42:8000": 1.0}
    assert found.times("queue_time") == (61.0, 80.5)


def test_its_workers_are_known_by_their_place_only() -> None:
    """Their URLs stand in a label; of one a sample keeps host and port."""
    router = target(GATEWAY, adapters())
    batch = router.batch(poll(page("load")))
    assert router.adapter is ADAPTER
    assert router.upstreams == {"http://127.0.0.1:28000", "http://127.0.0.1:28080"}
    assert "://" not in repr(batch.samples)


def test_a_page_that_fails_keeps_the_workers_of_the_last_good_one() -> None:
    """A link does not come and go with a page."""
    router = target(GATEWAY, adapters())
    router.batch(poll(page("load")))
    router.batch(poll(b"", 1.0))
    assert router.upstreams


@pytest.mark.parametrize("indicator", ["gateway.inflight", "gateway.latency", "gateway.rate_limited"])
def test_what_it_does_not_export_is_missing_for_that(indicator: str) -> None:
    """And not for want of an event."""
    assert Absence(indicator, ROUTER, Missing.NOT_EXPORTED) in mapped(ADAPTER, page("load"), ROUTER).absences
