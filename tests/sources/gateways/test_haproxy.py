"""Tests of the table of HAProxy on captured pages of 2.6, and on pages of 2.2 and of the older exporter."""

from __future__ import annotations

from functools import partial

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Absence, Missing
from perfconsole.sources.gateways import adapters
from perfconsole.sources.gateways.haproxy import ADAPTER
from perfconsole.sources.layer import GATEWAY
from tests.sources.enginepages import capture
from tests.sources.exposed import Exposed, mapped, parts, poll, target
from tests.sources.gateways import reading

HAPROXY = Entity(Kind.GATEWAY, "haproxy:28211")
P = "haproxy_"
FRONTEND = 'haproxy_frontend_http_requests_total{proxy="%s"} 5\nhaproxy_frontend_http_requests_total{proxy="llm"} 2\n'
total = partial(reading.total, ADAPTER)
by_upstream = partial(reading.by_upstream, ADAPTER)


@pytest.mark.parametrize("name", ["load", "backend_down", "after"])
def test_counts_are_those_of_the_page(name: str) -> None:
    """Read by another parser. `llm` is the frontend of the clients, `prom` that of the page."""
    body = capture(f"haproxy/{name}.prom")
    there = Exposed(body)
    aborted = there.total(P + "backend_server_aborts_total")
    expected = {
        "gateway.requests": there.total(P + "frontend_http_requests_total", proxy="llm"),
        "gateway.errors": there.total(P + "frontend_http_responses_total", proxy="llm", code="5xx") + aborted,
        "gateway.rate_limited": there.total(P + "frontend_requests_denied_total", proxy="llm"),
        "gateway.client_gone": there.total(P + "backend_client_aborts_total"),
        "gateway.inflight": there.total(P + "backend_current_sessions"),
        "gateway.queue_depth": there.total(P + "backend_current_queue") + there.total(P + "server_current_queue"),
        "gateway.upstream_requests": there.total(P + "server_sessions_total"),
    }
    assert {name: total(body, name) for name in expected} == expected


@pytest.mark.parametrize(("answers", "mean"), [(2000, 2.5), (1999, None)])
def test_an_average_counts_once_it_has_filled(answers: int, mean: float | None) -> None:
    """It began at 0: of the first requests it states a fraction of the truth."""
    body = (
        f'haproxy_backend_http_responses_total{{proxy="e",code="2xx"}} {answers}\n'
        'haproxy_backend_total_time_average_seconds{proxy="e"} 2.5\n'
    ).encode()
    found = mapped(ADAPTER, body, HAPROXY)
    assert parts(found, "gateway.latency.mean") == ([] if mean is None else [mean])
    reasons = {a.indicator: a.reason for a in found.absences}
    assert reasons.get("gateway.latency.mean") is (Missing.WARMING_UP if mean is None else None)


def test_the_loop_is_as_busy_as_it_is_not_idle() -> None:
    """99 % idle."""
    assert total(capture("haproxy/backend_down.prom"), "gateway.saturation") == pytest.approx(0.01)


def test_a_server_that_is_down_is_told_by_its_name() -> None:
    """One of two, and each with its share of the calls."""
    body = capture("haproxy/backend_down.prom")
    assert by_upstream(body, "gateway.upstream_healthy") == {"e0": 1.0, "e1": 0.0}
    assert by_upstream(body, "gateway.upstream_requests") == {"e0": 85.0, "e1": 24.0}


def test_streams_that_a_server_cut_off_are_errors() -> None:
    """Two requests ended with 502, four others had their 200 already."""
    assert total(capture("haproxy/after.prom"), "gateway.errors") == 6.0


@pytest.mark.parametrize(
    "name", ["prom", "stats", "fe_metrics", "haproxy-stats", "prometheus", "GLOBAL.stats", "prometheus-exporter:8404"]
)
def test_a_frontend_of_a_page_has_no_clients(name: str) -> None:
    """Its requests are those of the console and of others that watch."""
    assert total((FRONTEND % name).encode(), "gateway.requests") == 2.0


@pytest.mark.parametrize("name", ["prompts", "http-in", "statistician", "metricsless", "healthcare-llm"])
def test_a_name_that_only_begins_so_is_one_of_clients(name: str) -> None:
    """Whole words count."""
    assert total((FRONTEND % name).encode(), "gateway.requests") == 7.0


def test_a_server_in_maintenance_is_none_that_fails() -> None:
    """Templates keep places for servers that are not there."""
    state = 'haproxy_server_status{proxy="p",server="%s",state="%s"} %d\n'
    rows = [("a", "UP", 1), ("a", "DOWN", 0), ("b", "UP", 0), ("b", "DOWN", 1), ("c", "UP", 0), ("c", "MAINT", 1)]
    body = "".join(state % row for row in rows).encode()
    assert by_upstream(body, "gateway.upstream_healthy") == {"a": 1.0, "b": 0.0}


def test_a_page_without_servers_has_their_number_in_each_state() -> None:
    """As `scope=backend` leaves it, or a filter that drops what is large."""
    lines = capture("haproxy/after.prom").splitlines(keepends=True)
    body = b"".join(line for line in lines if not line.startswith(b"haproxy_server_"))
    assert by_upstream(body, "gateway.upstream_healthy") == {"engines": 0.5}


def test_release_2_2_says_status_in_a_number() -> None:
    """0 is down and 1 is up; 2 to 4 were taken out of service; two backends may have a server of the same name."""
    body = capture("haproxy_old/2.2.prom")
    assert parts(mapped(ADAPTER, body, HAPROXY), "gateway.upstream_healthy") == [1.0, 0.0, 1.0]
    assert (total(body, "gateway.requests"), total(body, "gateway.errors")) == (3401.0, 46.0)
    assert (total(body, "gateway.retries"), total(body, "gateway.inflight")) == (12.0, 47.0)
    assert total(body, "gateway.queue_depth") == 12.0


def test_the_older_exporter_has_the_same_table() -> None:
    """Its label has another name."""
    body = capture("haproxy_old/exporter.prom")
    assert (total(body, "gateway.requests"), total(body, "gateway.errors")) == (500.0, 8.0)
    assert by_upstream(body, "gateway.upstream_healthy") == {"a": 1.0, "b": 0.0}


@pytest.mark.parametrize("indicator", ["gateway.ttft", "gateway.tokens_out", "gateway.circuit_open"])
def test_what_it_does_not_know_is_missing_for_that(indicator: str) -> None:
    """Tokens and first tokens are nothing to it."""
    batch = target(GATEWAY, adapters()).batch(poll(capture("haproxy/load.prom")))
    assert Absence(indicator, Entity(Kind.GATEWAY, "haproxy:80"), Missing.NOT_EXPORTED) in batch.absences


def test_asking_for_its_health_is_asking_for_its_page() -> None:
    """Any other route may lead to an engine."""
    assert ADAPTER.health_path == ADAPTER.metrics_path


@pytest.mark.parametrize("label", ["proxy", "backend"])
def test_servers_of_different_backends_do_not_stand_in_for_each_other(label: str) -> None:
    """Also where they are called alike; the older exporter has another label for the backend."""
    lines = (f'haproxy_server_sessions_total{{{label}="{b}",server="{s}"}} 1\n' for b in ("llm", "web") for s in "ab")
    found = mapped(ADAPTER, "".join(lines).encode(), HAPROXY)
    told = {tuple(s.key.labels)[:2] for s in found.samples if s.key.indicator == "gateway.upstream_requests"}
    assert told == {(("upstream", name), ("pool", pool)) for name in "ab" for pool in "12"}
