"""Tests of the table of Ray Serve."""

from __future__ import annotations

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.layer import ORCHESTRATOR
from perfconsole.sources.orchestrators import adapters
from perfconsole.sources.orchestrators.ray_serve import ADAPTER
from tests.sources.enginepages import capture
from tests.sources.exposed import Exposed, mapped, parts, poll, target
from tests.sources.test_genai import observed

AGENT = Entity(Kind.ORCHESTRATOR, "127.0.0.1:8080")
NEWER, OLDER = capture("ray-serve/load.prom"), capture("ray-serve/older.prom")


@pytest.mark.parametrize("page", [NEWER, OLDER], ids=["newer", "older"])
def test_its_page_is_taken_by_it(page: bytes) -> None:
    """Of all orchestrators."""
    agent = target(ORCHESTRATOR, adapters())
    assert agent.batch(poll(page)).error is None
    assert agent.adapter is ADAPTER


def test_a_task_is_a_request_at_the_proxy() -> None:
    """It counts once in each of the deployments that it passes; the proxy's health is no task."""
    found, there = mapped(ADAPTER, NEWER, AGENT), Exposed(NEWER)
    name = "ray_serve_num_http_requests_total"
    assert sum(parts(found, "orchestration.requests")) == there.total(name, application="llm") == 36
    assert there.total("ray_serve_deployment_request_counter_total") == 72
    assert observed(found, "orchestration.latency") == 36
    assert parts(found, "orchestration.inflight") == there.values("ray_serve_num_ongoing_http_requests")


def test_without_a_proxy_deployments_tell() -> None:
    """Also under the names without `_total`."""
    found, there = mapped(ADAPTER, OLDER, AGENT), Exposed(OLDER)
    assert sum(parts(found, "orchestration.requests")) == there.total("ray_serve_deployment_request_counter")
    assert sum(parts(found, "orchestration.errors")) == there.total("ray_serve_deployment_error_counter") == 2
    assert sum(parts(found, "orchestration.inflight")) == there.total("ray_serve_replica_processing_queries")
    assert observed(found, "orchestration.queue_time", total=True) == pytest.approx(0.04)


def test_milliseconds_become_seconds() -> None:
    """All its times are in milliseconds."""
    found, there = mapped(ADAPTER, NEWER, AGENT), Exposed(NEWER)
    waited = there.total("ray_serve_request_router_fulfillment_time_ms_sum") / 1000
    assert observed(found, "orchestration.queue_time", total=True) == pytest.approx(waited)
    late = there.total("ray_serve_event_loop_scheduling_latency_ms_sum") / 1000
    assert observed(found, "orchestration.loop_delay", total=True) == pytest.approx(late)


def test_use_of_replicas_is_a_share() -> None:
    """Percent on the page, one replica a part."""
    found, there = mapped(ADAPTER, NEWER, AGENT), Exposed(NEWER)
    shares = [v / 100 for v in there.values("ray_serve_replica_utilization_percent")]
    assert parts(found, "orchestration.workers") == pytest.approx(shares)


def test_what_waits_for_a_replica_is_summed() -> None:
    """Over the deployments."""
    found, there = mapped(ADAPTER, NEWER, AGENT), Exposed(NEWER)
    waiting = there.total("ray_serve_deployment_queued_queries")
    assert sum(parts(found, "orchestration.queue_depth")) == waiting == 3


@pytest.mark.parametrize(("page", "failed"), [("http", 3.0), ("grpc", 2.0)])
def test_an_error_counts_where_the_request_does(page: str, failed: float) -> None:
    """At the proxy: each deployment that it passes has it once more; the proxy's own health is no task."""
    body = capture(f"ray-serve_proxies/{page}.prom")
    found, there = mapped(ADAPTER, body, AGENT), Exposed(body)
    assert there.total("ray_serve_deployment_error_counter_total") == 11
    assert sum(parts(found, "orchestration.requests")) == 57
    assert sum(parts(found, "orchestration.errors")) == failed


def test_a_proxy_that_is_only_asked_for_its_health_leaves_errors_to_deployments() -> None:
    """Others send their requests by handles."""
    body = (
        b'ray_serve_num_http_requests_total{route="/-/healthz",status_code="200"} 90\n'
        b'ray_serve_deployment_request_counter_total{deployment="Llm",route="/chat"} 20\n'
        b'ray_serve_deployment_error_counter_total{deployment="Llm",route="/chat"} 2\n'
    )
    found = mapped(ADAPTER, body, AGENT)
    assert [parts(found, f"orchestration.{noun}") for noun in ("requests", "errors")] == [[20.0], [2.0]]
