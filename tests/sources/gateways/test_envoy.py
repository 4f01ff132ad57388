"""Tests of the table of Envoy on captured pages of 1.40, and on one as Envoy Gateway has it."""

from __future__ import annotations

import re
from functools import partial
from math import fsum, inf

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Absence, Missing
from perfconsole.sources.gateways import adapters
from perfconsole.sources.gateways.envoy import ADAPTER
from perfconsole.sources.layer import GATEWAY
from tests.sources.enginepages import capture
from tests.sources.exposed import Exposed, mapped, parts, poll, target
from tests.sources.gateways import reading
from tests.sources.gateways.reading import Reading

ENVOY = Entity(Kind.GATEWAY, "envoy:28221")
P = "envoy_"
LLM = {"envoy_http_conn_manager_prefix": "llm"}
GATEWAY_PAGE = "envoy_gateway/1.38.prom"
total = partial(reading.total, ADAPTER)
by_upstream = partial(reading.by_upstream, ADAPTER)
observed = partial(reading.observed, ADAPTER)


@pytest.mark.parametrize("name", ["backend_down", "after"])
def test_counts_are_those_of_the_page(name: str) -> None:
    """`llm` takes the requests of clients, `admin` those for the page.

    Read by another parser, which takes the counter `..upstream_rq` for `..upstream_rq_total`.
    """
    body = capture(f"envoy/{name}.prom")
    there = Exposed(body)
    expected = {
        "gateway.requests": there.total(P + "http_downstream_rq_total", **LLM),
        "gateway.errors": there.total(P + "http_downstream_rq_xx", envoy_response_code_class="5", **LLM),
        "gateway.inflight": there.total(P + "http_downstream_rq_active", **LLM),
        "gateway.upstream_requests": float(re.findall(rb"envoy_cluster_upstream_rq_total\{.*\} (\d+)", body)[0]),
        "gateway.queue_depth": there.total(P + "cluster_upstream_rq_pending_active"),
        "gateway.retries": there.total(P + "cluster_upstream_rq_retry"),
        "gateway.rate_limited": there.total(P + "cluster_upstream_rq_pending_overflow"),
        "gateway.circuit_open": 0.0,
        "gateway.upstream_healthy": 0.5,
    }
    assert {name: total(body, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("indicator", "metric"),
    [
        ("gateway.latency", "http_downstream_rq_time"),
        ("gateway.upstream_latency", "cluster_upstream_rq_time"),
        ("gateway.connect_time", "cluster_upstream_cx_connect_ms"),
    ],
)
def test_times_are_seconds(indicator: str, metric: str) -> None:
    """Milliseconds on the page, in bounds and in sums, and none of the admin port."""
    body = capture("envoy/after.prom")
    there, (found,) = Exposed(body), observed(body, indicator)
    own = {} if "cluster" in metric else LLM
    assert found.bounds[:3] == (0.0005, 0.001, 0.005)
    assert found.bounds[-1] == inf
    assert found.counts[-1] == there.total(f"{P}{metric}_count", **own)
    assert found.total == pytest.approx(there.total(f"{P}{metric}_sum", **own) / 1000)


def test_doors_for_those_who_watch_have_no_clients() -> None:
    """Nor are calls to the control plane and to filters calls to models."""
    body = capture(GATEWAY_PAGE)
    assert total(body, "gateway.requests") == 5213.0 + 302.0
    assert total(body, "gateway.errors") == 50.0
    assert total(body, "gateway.inflight") == 25.0
    assert total(body, "gateway.client_gone") == 15.0
    assert total(body, "gateway.retries") == 42.0
    assert len(observed(body, "gateway.latency")) == 2


def test_every_kind_of_refusal_counts() -> None:
    """A full queue, a full breaker of active requests, a limit."""
    assert total(capture(GATEWAY_PAGE), "gateway.rate_limited") == 7.0 + 11.0 + 33.0


def test_breakers_that_are_open_are_counted() -> None:
    """Of requests and of those that wait."""
    assert total(capture(GATEWAY_PAGE), "gateway.circuit_open") == 2.0


def test_hosts_tell_upstreams_apart_where_they_are_counted() -> None:
    """By place; what a cluster says is second best."""
    body = capture(GATEWAY_PAGE)
    shares = by_upstream(body, "gateway.upstream_requests")
    assert shares["10.0.0.11:8000"] == 1710.0
    assert (len(shares), fsum(shares.values())) == (5, 5420.0)
    assert by_upstream(body, "gateway.upstream_healthy")["10.0.0.14:8000"] == 0.0


def test_clusters_tell_them_apart_where_hosts_are_not() -> None:
    """Three of four are healthy in one, and all in the other."""
    lines = capture(GATEWAY_PAGE).splitlines(keepends=True)
    body = b"".join(line for line in lines if b"envoy_cluster_endpoint_" not in line)
    healthy = by_upstream(body, "gateway.upstream_healthy")
    assert healthy == {"httproute/default/llm/rule/0": 0.75, "httproute/default/embed/rule/0": 1.0}
    assert set(by_upstream(body, "gateway.upstream_requests")) == set(healthy)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("xds-grpc", False),
        ("sds-grpc", False),
        ("otel_collector", False),
        ("ratelimit_cluster", False),
        ("zipkin", False),
        ("prometheus_stats", False),
        ("consul-dataplane", False),
        ("outbound|8000||llm.default.svc.cluster.local", True),
        ("engines", True),
        ("grads-model", True),
    ],
)
def test_clusters_of_its_own_are_no_upstreams(name: str, counts: bool) -> None:  # noqa: FBT001 - a parametrized expectation
    """They are known by words in their names."""
    body = f'envoy_cluster_upstream_rq_total{{envoy_cluster_name="{name}"}} 4\n'.encode()
    assert bool(parts(mapped(ADAPTER, body, ENVOY), "gateway.upstream_requests")) is counts


@pytest.mark.parametrize("indicator", ["gateway.queue_time", "gateway.ttft", "gateway.saturation"])
def test_what_it_does_not_know_is_missing_for_that(indicator: str) -> None:
    """Time in a queue is in no histogram of it."""
    batch = target(GATEWAY, adapters()).batch(poll(capture("envoy/after.prom")))
    assert Absence(indicator, Entity(Kind.GATEWAY, "envoy:80"), Missing.NOT_EXPORTED) in batch.absences


def test_gateways_that_are_built_on_it_are_asked_first() -> None:
    """Their pages have all of its series."""
    assert ADAPTER.generic
    assert adapters()[-1] is ADAPTER


def test_a_gateway_of_istio_is_read_by_its_own_count() -> None:
    """It leaves Envoy's names of listeners and of most clusters out."""
    found = Reading(ADAPTER, "envoy_istio/gateway.prom")
    nouns = ("requests", "errors", "rate_limited", "client_gone")
    assert [found.total(noun) for noun in nouns] == [2487.0, 21.0, 9.0, 14.0]
    chat, embed = (f"{name}.llm.svc.cluster.local" for name in ("chat", "embed"))
    assert found.shares("upstream_requests") == {chat: 1835.0, embed: 649.0, "unknown": 3.0}
    assert found.times("latency") == (2440.0, 6152.0)


def test_what_istio_calls_otherwise_is_the_same() -> None:
    """Its labels lack the beginning, and a class of answers is one of them."""
    found = Reading(ADAPTER, "envoy_istio/all.prom")
    assert [found.total(noun) for noun in ("requests", "errors", "inflight")] == [2487.0, 21.0, 17.0]
    chat, embed = (f"outbound|8000||{name}.llm.svc.cluster.local" for name in ("chat", "embed"))
    assert found.shares("upstream_requests") == {chat: 1856.0, embed: 640.0}
    assert found.shares("queue_depth") == {chat: 3.0}
    assert found.shares("upstream_healthy") == {chat: 0.75}
