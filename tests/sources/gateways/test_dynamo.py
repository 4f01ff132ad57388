"""Tests of the table of Dynamo's frontend: two models of one page, errors by type, and the names of 0.3."""

from __future__ import annotations

from math import fsum

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Histogram
from perfconsole.sources.gateways import adapters
from perfconsole.sources.gateways.dynamo import ADAPTER
from perfconsole.sources.layer import GATEWAY
from tests.sources.enginepages import capture
from tests.sources.exposed import Exposed, mapped, parts, poll, target

FRONT = Entity(Kind.GATEWAY, "dynamo:8000")
NEW, OLD = "dynamo_gateway/load.prom", "dynamo_gateway_old/0.3.prom"


def total(name: str, indicator: str) -> float:
    """Sum of the parts of one indicator of a page."""
    found = parts(mapped(ADAPTER, capture(name), FRONT), indicator)
    assert found
    return fsum(found)


@pytest.mark.parametrize(
    ("indicator", "name"),
    [
        ("gateway.requests", "requests_total"),
        ("gateway.inflight", "inflight_requests"),
        ("gateway.tokens_in", "input_sequence_tokens_sum"),
        ("gateway.tokens_out", "output_tokens_total"),
        ("gateway.rate_limited", "model_rejection_total"),
        ("gateway.retries", "model_migration_total"),
        ("gateway.client_gone", "model_cancellation_total"),
        ("gateway.queue_depth", "router_queue_pending_requests"),
    ],
)
def test_numbers_are_those_of_the_page(indicator: str, name: str) -> None:
    """Summed over models; read by another parser."""
    assert total(NEW, indicator) == pytest.approx(Exposed(capture(NEW)).total(f"dynamo_frontend_{name}"))


def test_what_waits_and_runs_is_told_without_the_gauges_that_go() -> None:
    """Their successors are by stage and phase, and a stage after the first token does not wait."""
    gone = (b"inflight_requests", b"queued_requests", b"router_queue_pending")
    kept = [line for line in capture(NEW).splitlines() if not any(name in line for name in gone)]
    page = b"\n".join(
        [
            *kept,
            b'dynamo_frontend_active_requests{model="m"} 41',
            b'dynamo_frontend_stage_requests{phase="",stage="preprocess"} 2',
            b'dynamo_frontend_stage_requests{phase="decode",stage="route"} 3',
            b'dynamo_frontend_stage_requests{phase="decode",stage="dispatch"} 4',
            b'dynamo_frontend_stage_requests{phase="",stage="postprocess"} 8',
            b"",
        ]
    )
    found = mapped(ADAPTER, page, FRONT)
    assert fsum(parts(found, "gateway.inflight")) == 41.0
    assert fsum(parts(found, "gateway.queue_depth")) == 9.0


def test_an_error_is_the_gateway_s_own_or_its_worker_s() -> None:
    """5 internal ones and 2 without a worker; a mistake of the caller, a refusal and a caller that left are none."""
    assert total(NEW, "gateway.errors") == 7.0


def test_errors_without_a_type_all_count() -> None:
    """As 0.3 tells them, under another prefix."""
    assert total(OLD, "gateway.errors") == 30.0
    assert total(OLD, "gateway.requests") == Exposed(capture(OLD)).total("nv_llm_http_service_requests_total")


@pytest.mark.parametrize(
    ("indicator", "count"),
    [("gateway.inflight", 37.0), ("gateway.queue_depth", 9.0), ("gateway.client_gone", 6.0), ("gateway.errors", 12.0)],
)
def test_gauges_of_0_5_end_like_counters(indicator: str, count: float) -> None:
    """And callers that left are counted under another name."""
    assert total("dynamo_gateway_old/0.5.prom", indicator) == count


@pytest.mark.parametrize("indicator", ["gateway.rate_limited", "gateway.retries"])
def test_what_a_release_does_not_count_is_not_0(indicator: str) -> None:
    """Refusals and moved requests are counted by newer releases."""
    assert parts(mapped(ADAPTER, capture("dynamo_gateway_old/0.5.prom"), FRONT), indicator) == []


@pytest.mark.parametrize("indicator", ["gateway.latency", "gateway.ttft", "gateway.itl"])
@pytest.mark.parametrize("name", [NEW, OLD])
def test_latencies_have_a_part_for_each_model(name: str, indicator: str) -> None:
    """In seconds."""
    found = [s for s in mapped(ADAPTER, capture(name), FRONT).samples if s.key.indicator == indicator]
    assert len(found) == 2
    assert all(isinstance(s.value, Histogram) for s in found)


def test_own_time_is_the_sum_of_the_own_stages_of_a_request() -> None:
    """The round trip to the worker is none of them."""
    page = Exposed(capture(NEW))
    own = fsum(
        page.total("dynamo_frontend_stage_duration_seconds_sum", stage=s)
        for s in ("preprocess", "route", "postprocess")
    )
    (found,) = [s.value for s in mapped(ADAPTER, capture(NEW), FRONT).samples if s.key.indicator == "gateway.overhead"]
    assert isinstance(found, Histogram)
    assert found.total == pytest.approx(own)
    assert found.counts[-1] == 800.0


def test_the_delay_of_its_loop_has_buckets() -> None:
    """Every look of its canary."""
    samples = mapped(ADAPTER, capture(NEW), FRONT).samples
    (found,) = [s.value for s in samples if s.key.indicator == "gateway.loop_delay"]
    assert isinstance(found, Histogram)
    assert found.counts[-1] == Exposed(capture(NEW)).total("dynamo_frontend_event_loop_delay_seconds_count")


def test_health_is_that_of_its_models() -> None:
    """Both can be answered."""
    assert parts(mapped(ADAPTER, capture(NEW), FRONT), "gateway.upstream_healthy") == [1.0, 1.0]


@pytest.mark.parametrize("name", [NEW, OLD])
def test_its_page_is_taken_by_it(name: str) -> None:
    """By either prefix."""
    front = target(GATEWAY, adapters())
    front.batch(poll(capture(name)))
    assert front.adapter is ADAPTER
