"""Tests of the table of LangGraph's server."""

from __future__ import annotations

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.layer import ORCHESTRATOR
from perfconsole.sources.orchestrators import adapters
from perfconsole.sources.orchestrators.langgraph import ADAPTER
from tests.sources.enginepages import capture
from tests.sources.exposed import Exposed, mapped, parts, poll, target
from tests.sources.test_genai import observed

AGENT = Entity(Kind.ORCHESTRATOR, "127.0.0.1:8123")
OLDER, RUNS = capture("langgraph/seconds.prom"), capture("langgraph/runs.prom")
HTTP = "lg_api_http_requests_total"


@pytest.mark.parametrize("page", [OLDER, RUNS], ids=["seconds", "runs"])
def test_its_page_is_taken_by_it(page: bytes) -> None:
    """Of all orchestrators."""
    agent = target(ORCHESTRATOR, adapters())
    assert agent.batch(poll(page)).error is None
    assert agent.adapter is ADAPTER


def test_a_task_is_a_request_that_starts_a_run() -> None:
    """Reading a state or making a thread is none."""
    found, there = mapped(ADAPTER, OLDER, AGENT), Exposed(OLDER)
    starts = [there.total(HTTP, path=f"/threads/{{thread_id}}/runs{end}") for end in ("", "/stream")]
    assert sum(parts(found, "orchestration.requests")) == sum(starts) == 29
    assert parts(found, "orchestration.errors") == there.values(HTTP, status="500")


def test_only_answers_that_wait_for_a_run_take_as_long() -> None:
    """A background run is answered at once."""
    found, there = mapped(ADAPTER, OLDER, AGENT), Exposed(OLDER)
    count = "lg_api_http_requests_latency_seconds_count"
    assert observed(found, "orchestration.latency") == there.total(count, path="/threads/{thread_id}/runs/stream")


def test_runs_are_counted_where_the_server_exports_them() -> None:
    """In milliseconds since 0.11."""
    found, there = mapped(ADAPTER, RUNS, AGENT), Exposed(RUNS)
    run = "lg_api_run_execution_latency"
    assert sum(parts(found, "orchestration.requests")) == there.total(f"{run}_count") == 40
    assert parts(found, "orchestration.errors") == there.values("lg_api_run_failed_after_retry_counter_total")
    assert observed(found, "orchestration.latency", total=True) == pytest.approx(there.total(f"{run}_sum") / 1000)
    waited = there.total("lg_api_run_queue_wait_time_1st_attempt_sum") / 1000
    assert observed(found, "orchestration.queue_time", total=True) == pytest.approx(waited)


@pytest.mark.parametrize("page", [OLDER, RUNS], ids=["seconds", "runs"])
def test_runs_wait_and_run(page: bytes) -> None:
    """Under the same names in all releases."""
    found, there = mapped(ADAPTER, page, AGENT), Exposed(page)
    assert parts(found, "orchestration.queue_depth") == there.values("lg_api_num_pending_runs")
    assert parts(found, "orchestration.inflight") == there.values("lg_api_num_running_runs")
    assert parts(found, "orchestration.workers") == [
        there.total("lg_api_workers_active") / there.total("lg_api_workers_max")
    ]


def test_a_page_without_requests_has_the_queue_alone() -> None:
    """Up to 0.3, and on every queue worker."""
    found = mapped(ADAPTER, b"lg_api_workers_max 10\nlg_api_workers_active 0\n", AGENT)
    assert parts(found, "orchestration.workers") == [0.0]
    assert "orchestration.requests" in {a.indicator for a in found.absences}


def test_requests_that_start_no_run_are_no_tasks() -> None:
    """Before the first run there are zero, however often threads and assistants were read."""
    found = mapped(ADAPTER, capture("langgraph_before/0.16.prom"), AGENT)
    assert [parts(found, f"orchestration.{noun}") for noun in ("requests", "errors")] == [[0.0], [0.0]]


def test_a_refused_request_is_no_run_that_failed() -> None:
    """Where runs are counted their failures are, and answers of the door are not."""
    found = mapped(ADAPTER, capture("langgraph_before/runs.prom"), AGENT)
    assert sum(parts(found, "orchestration.requests")) == 12
    assert parts(found, "orchestration.errors") == [0.0]
