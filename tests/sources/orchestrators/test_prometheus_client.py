"""Tests of what a page of prometheus_client says of any Python process, and of who is asked before."""

from __future__ import annotations

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Absence, Missing
from perfconsole.sources.layer import ORCHESTRATOR
from perfconsole.sources.mapping.labelmatch import matches
from perfconsole.sources.orchestrators import adapters
from perfconsole.sources.orchestrators.fastapi import ADAPTER as FASTAPI
from perfconsole.sources.orchestrators.prometheus_client import ADAPTER, PROBED
from tests.sources.enginepages import capture
from tests.sources.exposed import Exposed, mapped, parts, poll, target

AGENT = Entity(Kind.ORCHESTRATOR, "127.0.0.1:9000")
PROCESS = "".join(
    f"{line}\n"
    for line in capture("litellm/idle.prom").decode().splitlines()
    if line.startswith(("process_", "python_"))
).encode()
"""The lines about the process on the page of a real one."""


def test_the_page_of_a_plain_process_is_no_fastapi() -> None:
    """It has no routes that anybody counts."""
    agent = target(ORCHESTRATOR, adapters())
    assert agent.batch(poll(PROCESS)).error is None
    assert agent.adapter is ADAPTER


def test_routes_make_it_a_fastapi() -> None:
    """The same page with an empty histogram of requests, as it is before the first one."""
    agent = target(ORCHESTRATOR, adapters())
    agent.batch(poll(PROCESS + b"http_request_duration_highr_seconds_count 0\n"))
    assert agent.adapter is FASTAPI


def test_cpu_time_and_collections_are_those_of_the_page() -> None:
    """Of the collections only those of the oldest generation."""
    found, there = mapped(ADAPTER, PROCESS, AGENT), Exposed(PROCESS)
    assert parts(found, "orchestration.process_cpu") == there.values("process_cpu_seconds_total")
    assert parts(found, "orchestration.gc") == there.values("python_gc_collections_total", generation="2")


def test_cpu_time_is_the_part_that_a_formula_reads() -> None:
    """Seconds, to be made a rate of."""
    (sample,) = [s for s in mapped(ADAPTER, PROCESS, AGENT).samples if s.key.indicator == "orchestration.process_cpu"]
    assert sample.key.labels == (("part", "seconds"),)


@pytest.mark.parametrize("indicator", ["orchestration.requests", "orchestration.errors", "orchestration.latency"])
def test_requests_are_missing_for_good(indicator: str) -> None:
    """Such a page never has them."""
    assert Absence(indicator, AGENT, Missing.NOT_EXPORTED) in mapped(ADAPTER, PROCESS, AGENT).absences


def test_memory_is_left_to_the_kernel() -> None:
    """It is a figure of a process, and the page knows no number of one."""
    assert {s.key.indicator for s in mapped(ADAPTER, PROCESS, AGENT).samples} == {
        "orchestration.process_cpu",
        "orchestration.gc",
    }


@pytest.mark.parametrize(
    ("route", "probed"),
    [
        *((route, True) for route in ("/metrics", "/metrics/", "/health", "/healthz", "/health/live", "/health-check")),
        *((route, True) for route in ("/ready", "/readyz", "/readiness", "/livez", "/health/liveliness", "/ping")),
        *((route, False) for route in ("/livechat", "/healthcare/plans", "/readings", "/metrics/daily", "/chat", "/")),
    ],
)
def test_routes_of_probers_are_told_from_those_of_a_team(route: str, probed: bool) -> None:  # noqa: FBT001
    """A task is what a caller waits for."""
    assert matches((("handler", PROBED),), (), {"handler": route}) is probed
