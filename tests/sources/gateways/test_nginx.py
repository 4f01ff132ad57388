"""Tests of the table of nginx on captured pages of stub_status, and on lines of its exporter."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Absence, Missing
from perfconsole.sources.gateways import adapters
from perfconsole.sources.gateways.nginx import ADAPTER
from perfconsole.sources.layer import ENGINE, GATEWAY, ORCHESTRATOR, Layer
from perfconsole.sources.recorded import read_pages
from tests.sources.enginepages import CAPTURES, capture
from tests.sources.exposed import poll, target

NGINX = Entity(Kind.GATEWAY, "nginx:80")
PAGES = ["idle", "load", "backend_down", "after"]
EXPORTER = """\
nginx_connections_accepted 5
nginx_connections_active 3
nginx_connections_handled 5
nginx_connections_reading 0
nginx_connections_waiting 1
nginx_connections_writing 2
nginx_http_requests_total 40
nginx_up 1
"""


def values(body: bytes) -> dict[str, float]:
    """Numbers of one page of a gateway that nobody knew before."""
    nginx = target(GATEWAY, adapters())
    batch = nginx.batch(poll(body))
    assert (batch.error, nginx.adapter, nginx.entity) == (None, ADAPTER, NGINX)
    return {s.key.indicator: s.value for s in batch.samples if isinstance(s.value, float)}


@pytest.mark.parametrize("name", PAGES)
def test_numbers_are_those_of_the_page(name: str) -> None:
    """Requests as they stand there; of those that are being written one is the console's own."""
    body = capture(f"nginx/{name}.txt")
    requests = re.search(rb"\n \d+ \d+ (\d+)", body)
    writing = re.search(rb"Writing: (\d+)", body)
    assert requests
    assert writing
    found = values(body)
    assert (found["gateway.requests"], found["gateway.inflight"]) == (int(requests[1]), int(writing[1]) - 1)


def test_a_whole_recording_is_read() -> None:
    """Idle, load, a backend that ends: no second is refused."""
    nginx = target(GATEWAY, (ADAPTER,))
    batches = [nginx.batch(poll(p.body, p.wall)) for p in read_pages(CAPTURES / "nginx" / "series.prom.gz")]
    assert len(batches) == 50
    assert [batch.error for batch in batches] == [None] * 50


def test_the_exporter_has_the_same_table() -> None:
    """Its own poll of nginx is the request that is being written."""
    found = values(EXPORTER.encode())
    assert (found["gateway.requests"], found["gateway.inflight"]) == (40.0, 1.0)


@pytest.mark.parametrize(
    "indicator", ["gateway.errors", "gateway.latency", "gateway.upstream_requests", "gateway.ttft"]
)
def test_what_stub_status_does_not_know_is_missing_for_that(indicator: str) -> None:
    """It has seven numbers and no more."""
    batch = target(GATEWAY, (ADAPTER,)).batch(poll(capture("nginx/load.txt")))
    assert Absence(indicator, NGINX, Missing.NOT_EXPORTED) in batch.absences


@pytest.mark.parametrize("body", [b"<html><h1>404 Not Found</h1></html>\n", capture("nginx/load.txt")[:60]])
def test_another_page_in_its_place_is_an_error_in_its_own_words(body: bytes) -> None:
    """Once it is known as nginx."""
    nginx = target(GATEWAY, (ADAPTER,))
    nginx.batch(poll(capture("nginx/idle.txt")))
    assert nginx.batch(poll(body, 1.0)).error == "it is no page of nginx's stub_status"


def test_its_page_may_turn_into_that_of_an_exporter() -> None:
    """Somebody puts one in front: the same table, and it is read as what it is."""
    nginx = target(GATEWAY, (ADAPTER,))
    nginx.batch(poll(capture("nginx/idle.txt")))
    assert nginx.batch(poll(EXPORTER.encode(), 1.0)).error is None


@pytest.mark.parametrize("layer", [ENGINE, ORCHESTRATOR], ids=["engine", "orchestrator"])
def test_where_no_table_has_a_converter_the_page_is_none(layer: Layer) -> None:
    """The error speaks of the text, as ever."""
    plain = replace(ADAPTER, converter="")
    batch = target(layer, (plain,)).batch(poll(capture("nginx/load.txt")))
    assert batch.error is not None
    assert "as Prometheus text: line 1" in batch.error


def test_asking_for_its_health_is_asking_for_its_page() -> None:
    """Any other route may lead to an engine, and one request tells both."""
    assert ADAPTER.health_path == ADAPTER.metrics_path
