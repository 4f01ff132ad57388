"""Tests of the table of Traefik on pages of 3.3, of 2.x with some of its labels, and of 1.7."""

from __future__ import annotations

from functools import partial
from math import fsum

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Histogram
from perfconsole.sources.gateways.traefik import ADAPTER
from tests.sources.enginepages import capture
from tests.sources.exposed import Exposed, mapped, parts
from tests.sources.gateways import reading

TRAEFIK = Entity(Kind.GATEWAY, "traefik:8080")
PAGE = "traefik/3.3.prom"
LABELS = 'code="%s",method="POST",protocol="http"'
total = partial(reading.total, ADAPTER)
by_upstream = partial(reading.by_upstream, ADAPTER)


def test_clients_come_by_web_and_websecure() -> None:
    """The page has an entry point of its own, as has the dashboard."""
    there = Exposed(capture(PAGE))
    name = "traefik_entrypoint_requests_total"
    both = sum(there.total(name, entrypoint=e) for e in ("web", "websecure"))
    assert total(PAGE, "gateway.requests") == both == 2853.0
    assert total(PAGE, "gateway.inflight") == 25.0


@pytest.mark.parametrize(
    ("indicator", "value"),
    [
        ("gateway.errors", 44.0),
        ("gateway.rate_limited", 75.0),
        ("gateway.client_gone", 31.0),
        ("gateway.retries", 17.0),
    ],
)
def test_codes_tell_how_requests_ended(indicator: str, value: float) -> None:
    """502 and 504 are errors, 429 and 499 are not."""
    assert total(PAGE, indicator) == value


def test_shares_are_those_of_services() -> None:
    """Services of its own are none; which server was called it does not count."""
    assert by_upstream(PAGE, "gateway.upstream_requests") == {"llm@file": 2669.0, "embed@file": 100.0}


def test_servers_are_up_or_down_by_place() -> None:
    """Of a URL its host and port are kept."""
    up = by_upstream(PAGE, "gateway.upstream_healthy")
    assert up == {"10.0.0.11:8000": 1.0, "10.0.0.12:8000": 0.0, "10.0.0.13:8000": 1.0, "10.0.0.20:8080": 1.0}


def test_it_names_what_it_calls() -> None:
    """By the URLs in its labels."""
    urls = mapped(ADAPTER, capture(PAGE), TRAEFIK).upstreams
    assert urls == {f"http://10.0.0.{n}" for n in ("11:8000", "12:8000", "13:8000", "20:8080")}


def test_times_are_those_of_clients() -> None:
    """Not of the page, whose requests are many and short."""
    samples = mapped(ADAPTER, capture(PAGE), TRAEFIK).samples
    times = [s.value for s in samples if s.key.indicator == "gateway.latency" and isinstance(s.value, Histogram)]
    assert fsum(t.counts[-1] for t in times) == 2853.0
    assert times[0].bounds[:4] == (0.1, 0.3, 1.2, 5.0)


def test_services_count_where_entry_points_do_not() -> None:
    """Their labels may be switched off."""
    page = "traefik_old/2.4-services.prom"
    assert (total(page, "gateway.requests"), total(page, "gateway.errors")) == (325.0, 5.0)
    assert total(page, "gateway.rate_limited") == 0.0


def test_routers_count_where_nothing_else_does() -> None:
    """One of them is for its own page."""
    rows = (
        f'{LABELS % 200},router="a@file",service="a@file"',
        f'{LABELS % 200},router="p@internal",service="p@internal"',
    )
    body = "".join(f"traefik_router_requests_total{{{row}}} 3\n" for row in rows).encode()
    assert parts(mapped(ADAPTER, body, TRAEFIK), "gateway.requests") == [3.0]


def test_release_1_7_calls_services_backends() -> None:
    """And its open connections are requests."""
    page = "traefik_old/1.7.prom"
    assert (total(page, "gateway.requests"), total(page, "gateway.errors")) == (242.0, 2.0)
    assert (total(page, "gateway.inflight"), total(page, "gateway.retries")) == (5.0, 3.0)
    assert by_upstream(page, "gateway.upstream_requests") == {"llm": 242.0}
    assert by_upstream(page, "gateway.upstream_healthy") == {"10.0.0.11:8000": 1.0}


@pytest.mark.parametrize("door", ["readiness", "healthz", "traefik"])
def test_a_door_for_probes_has_no_clients(door: str) -> None:
    """Traefik Mesh has one whose only requests are those of the cluster."""
    page = "".join(
        f'traefik_entrypoint_requests_total{{code="200",entrypoint="{name}",method="GET",protocol="http"}} {count}\n'
        for name, count in ((door, 70424), ("http-5000", 7))
    )
    assert parts(mapped(ADAPTER, page.encode(), TRAEFIK), "gateway.requests") == [7.0]


def test_an_attempt_that_was_tried_again_is_no_error() -> None:
    """The service has its 502, the entry point the 200 that came in the end."""
    page = "traefik_retry/2.11.prom"
    found = reading.Reading(ADAPTER, page)
    assert found.there.total("traefik_service_requests_total", code="502") == 21.0
    assert [found.total(noun) for noun in ("requests", "errors", "retries", "inflight")] == [503.0, 0.0, 21.0, 6.0]
    assert by_upstream(page, "gateway.upstream_requests") == {"llm@file": 521.0}


def test_routers_alone_tell_requests_and_times() -> None:
    """Where the labels of entry points and services are off; the page is a router too."""
    found = reading.Reading(ADAPTER, "traefik_routers/2.10.prom")
    assert [found.total(noun) for noun in ("requests", "errors", "rate_limited", "inflight")] == [125.0, 0.0, 5.0, 4.0]
    assert found.times("latency") == pytest.approx((125.0, 301.26))
