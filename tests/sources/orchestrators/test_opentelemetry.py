"""Tests of the table of services that OpenTelemetry writes the page of."""

from __future__ import annotations

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.layer import ORCHESTRATOR
from perfconsole.sources.orchestrators import adapters
from perfconsole.sources.orchestrators.opentelemetry import ADAPTER
from tests.sources.enginepages import capture
from tests.sources.exposed import Exposed, mapped, parts, poll, target
from tests.sources.test_genai import observed

AGENT = Entity(Kind.ORCHESTRATOR, "127.0.0.1:9464")
PAGES = {name: capture(f"opentelemetry/{name}.prom") for name in ("load", "agents")}
OPERATION = "gen_ai_client_operation_duration_seconds_count"
STARLETTE = capture("starlette/load.prom")


@pytest.mark.parametrize("name", PAGES)
def test_its_page_is_taken_by_it(name: str) -> None:
    """Of all orchestrators."""
    agent = target(ORCHESTRATOR, adapters())
    assert agent.batch(poll(PAGES[name])).error is None
    assert agent.adapter is ADAPTER


def test_a_request_is_a_task() -> None:
    """Where the service counts them; health checks are none."""
    found, there = mapped(ADAPTER, PAGES["load"], AGENT), Exposed(PAGES["load"])
    count = "http_server_request_duration_seconds_count"
    assert sum(parts(found, "orchestration.requests")) == there.total(count, http_route="/v1/run") == 12
    assert parts(found, "orchestration.errors") == there.values(count, http_response_status_code="500")
    assert observed(found, "orchestration.latency") == 12
    assert parts(found, "orchestration.inflight") == there.values("http_server_active_requests")


def test_a_workflow_is_a_task() -> None:
    """It is the outermost of all that run."""
    found, there = mapped(ADAPTER, PAGES["agents"], AGENT), Exposed(PAGES["agents"])
    count = "gen_ai_invoke_workflow_duration_seconds_count"
    assert sum(parts(found, "orchestration.requests")) == there.total(count) == 12
    assert parts(found, "orchestration.errors") == there.values(count, error_type="TimeoutError")


def test_else_a_run_of_an_agent_is_a_task() -> None:
    """Told from other operations by its name alone; the label of errors is empty where there is none."""
    page = b"\n".join(line for line in PAGES["load"].splitlines() if b"http_server" not in line) + b"\n"
    found, there = mapped(ADAPTER, page, AGENT), Exposed(page)
    runs = there.total(OPERATION, gen_ai_operation_name="invoke_agent")
    assert sum(parts(found, "orchestration.requests")) == runs == observed(found, "orchestration.latency") == 12
    assert parts(found, "orchestration.errors") == [1.0]


def test_older_http_names_are_in_milliseconds() -> None:
    """And name route and status otherwise."""
    page = b"""\
http_server_duration_milliseconds_bucket{http_target="/run",http_status_code="500",le="+Inf"} 4
http_server_duration_milliseconds_count{http_target="/run",http_status_code="500"} 4
http_server_duration_milliseconds_sum{http_target="/run",http_status_code="500"} 8000
http_server_duration_milliseconds_count{http_target="/metrics",http_status_code="200"} 90
"""
    found = mapped(ADAPTER, page, AGENT)
    assert (parts(found, "orchestration.requests"), parts(found, "orchestration.errors")) == ([4.0], [4.0])
    assert observed(found, "orchestration.latency", total=True) == 8.0


def test_starlette_names_beside_are_not_lost() -> None:
    """Whoever takes such a page has the requests of the one and the model calls of the other."""
    agent = target(ORCHESTRATOR, adapters())
    page = STARLETTE + b"\n".join(x for x in PAGES["load"].splitlines() if x.startswith(b"gen_ai_")) + b"\n"
    names = {s.key.indicator for s in agent.batch(poll(page)).samples}
    assert agent.adapter is ADAPTER
    assert {"orchestration.llm_call_latency", "orchestration.requests", "orchestration.latency"} <= names
    assert sum(parts(mapped(ADAPTER, page, AGENT), "orchestration.requests")) == 23


def test_only_a_model_server_is_no_orchestrator() -> None:
    """What a server of models says of itself belongs to another layer."""
    agent = target(ORCHESTRATOR, adapters())
    assert agent.batch(poll(b"gen_ai_server_request_duration_seconds_count 3\n")).error is not None


@pytest.mark.parametrize(
    ("page", "tasks", "failed", "took"), [("javascript", 32, 2, 90.2546), ("python", 20, 2, 52.226)]
)
def test_old_conventions_are_milliseconds_whatever_stands_behind_the_name(
    page: str, tasks: float, failed: float, took: float
) -> None:
    """A unit, the unit as it was given, or nothing."""
    found = mapped(ADAPTER, capture(f"opentelemetry_units/{page}.prom"), AGENT)
    assert sum(parts(found, "orchestration.requests")) == tasks
    assert sum(parts(found, "orchestration.errors")) == failed
    assert observed(found, "orchestration.latency", total=True) == pytest.approx(took)


def test_a_unit_that_stands_as_it_was_given_is_one() -> None:
    """Of model calls and of their tokens too."""
    found = mapped(ADAPTER, capture("opentelemetry_units/python.prom"), AGENT)
    assert observed(found, "orchestration.llm_call_latency", total=True) == 121.5
    assert sum(parts(found, "orchestration.llm_tokens")) == 31210 + 8120


def test_errors_are_those_of_what_a_task_is() -> None:
    """No workflow failed; an agent in one did and was tried again, and the door refused what was none yet."""
    found = mapped(ADAPTER, capture("opentelemetry_units/workflows.prom"), AGENT)
    assert sum(parts(found, "orchestration.requests")) == 15
    assert parts(found, "orchestration.errors") == [0.0]
