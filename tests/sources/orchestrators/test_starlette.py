"""Tests of the table of Starlette services."""

from __future__ import annotations

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Histogram
from perfconsole.sources.layer import ORCHESTRATOR
from perfconsole.sources.orchestrators import adapters
from perfconsole.sources.orchestrators.starlette import ADAPTER
from tests.sources.enginepages import capture
from tests.sources.exposed import Exposed, mapped, parts, poll, target

AGENT = Entity(Kind.ORCHESTRATOR, "127.0.0.1:9000")
PAGE = capture("starlette/load.prom")
TASK = "/v1/agent/{name}"
OTHER = b"""\
starlette_requests_total{method="POST",path_template="/run"} 9
starlette_requests_total{method="GET",path_template="/metrics"} 70
starlette_responses_total{method="POST",path_template="/run",status_code="200"} 7
starlette_responses_total{method="POST",path_template="/run",status_code="500"} 2
"""
"""Of starlette-prometheus."""


def test_its_page_is_taken_by_it() -> None:
    """Of all orchestrators."""
    agent = target(ORCHESTRATOR, adapters())
    assert agent.batch(poll(PAGE)).error is None
    assert agent.adapter is ADAPTER


def test_counts_are_those_of_the_page() -> None:
    """Read by another parser, without what a console asks."""
    found, there = mapped(ADAPTER, PAGE, AGENT), Exposed(PAGE)
    assert sum(parts(found, "orchestration.requests")) == there.total("starlette_requests_total", path=TASK) == 23
    assert parts(found, "orchestration.errors") == there.values("starlette_requests_total", status_code="500")
    assert sum(parts(found, "orchestration.inflight")) == there.total("starlette_requests_in_progress") - 1


def test_durations_are_those_of_tasks() -> None:
    """Statuses are series of their own."""
    found = [s.value for s in mapped(ADAPTER, PAGE, AGENT).samples if s.key.indicator == "orchestration.latency"]
    assert sum(h.count for h in found if isinstance(h, Histogram)) == 23


@pytest.mark.parametrize("prefix", [b"starlette", b"fastapi"])
def test_the_other_exporter_counts_statuses_apart(prefix: bytes) -> None:
    """And names the route otherwise."""
    found = mapped(ADAPTER, OTHER.replace(b"starlette", prefix), AGENT)
    assert (parts(found, "orchestration.requests"), parts(found, "orchestration.errors")) == ([9.0], [2.0])


def test_no_error_yet_is_zero() -> None:
    """The series of a status appears with its first answer."""
    page = b'starlette_requests_total{method="POST",path="/run",status_code="200"} 8\n'
    assert parts(mapped(ADAPTER, page, AGENT), "orchestration.errors") == [0.0]
