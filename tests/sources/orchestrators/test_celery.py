"""Tests of the table of Celery's workers."""

from __future__ import annotations

from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.layer import ORCHESTRATOR
from perfconsole.sources.orchestrators import adapters
from perfconsole.sources.orchestrators.celery import ADAPTER
from tests.sources.enginepages import capture
from tests.sources.exposed import Exposed, mapped, parts, poll, target
from tests.sources.test_genai import observed

WORKERS = Entity(Kind.ORCHESTRATOR, "127.0.0.1:9808")
PAGE = capture("celery/load.prom")


def test_its_page_is_taken_by_it() -> None:
    """Of all orchestrators."""
    workers = target(ORCHESTRATOR, adapters())
    assert workers.batch(poll(PAGE)).error is None
    assert workers.adapter is ADAPTER


def test_a_task_is_done_when_it_succeeded_or_failed() -> None:
    """A failed one made its calls as well."""
    found, there = mapped(ADAPTER, PAGE, WORKERS), Exposed(PAGE)
    failed = there.total("celery_task_failed_total")
    done = there.total("celery_task_succeeded_total") + failed
    assert sum(parts(found, "orchestration.requests")) == done == 61
    assert sum(parts(found, "orchestration.errors")) == failed == 5


def test_run_and_wait_are_histograms() -> None:
    """Of those that succeeded, and of those that began."""
    found, there = mapped(ADAPTER, PAGE, WORKERS), Exposed(PAGE)
    assert observed(found, "orchestration.latency") == there.total("celery_task_runtime_count")
    assert observed(found, "orchestration.queue_time") == there.total("celery_task_queue_wait_time_count")


def test_workers_hold_tasks_and_queues_messages() -> None:
    """Over all of them."""
    found, there = mapped(ADAPTER, PAGE, WORKERS), Exposed(PAGE)
    assert sum(parts(found, "orchestration.inflight")) == there.total("celery_worker_tasks_active") == 5
    assert sum(parts(found, "orchestration.queue_depth")) == there.total("celery_queue_length") == 9
    assert parts(found, "orchestration.workers") == [5 / there.total("celery_active_process_count")]


def test_the_cpu_of_the_exporter_is_not_that_of_a_worker() -> None:
    """Its page may have it."""
    found = mapped(ADAPTER, PAGE + b"process_cpu_seconds_total 12\n", WORKERS)
    assert parts(found, "orchestration.process_cpu") == []


def test_flower_says_the_same_in_other_names() -> None:
    """By events."""
    page = b"""\
flower_events_total{task="a",type="task-succeeded",worker="w"} 8
flower_events_total{task="a",type="task-failed",worker="w"} 2
flower_events_total{task="a",type="task-received",worker="w"} 11
flower_worker_number_of_currently_executing_tasks{worker="w"} 1
"""
    found = mapped(ADAPTER, page, WORKERS)
    assert parts(found, "orchestration.requests") == [8.0, 2.0]
    assert (parts(found, "orchestration.errors"), parts(found, "orchestration.inflight")) == ([2.0], [1.0])


def test_the_exporter_of_ovalmoney_counts_states() -> None:
    """What was received, began or is tried again is no task that is done."""
    page = capture("celery_ovalmoney/load.prom")
    found, there = mapped(ADAPTER, page, WORKERS), Exposed(page)
    assert sum(parts(found, "orchestration.requests")) == 55 + 3 + 7
    assert sum(parts(found, "orchestration.errors")) == there.total("celery_tasks_total", state="FAILURE") == 3
    assert observed(found, "orchestration.latency") == there.total("celery_tasks_runtime_seconds_count")
    assert observed(found, "orchestration.queue_time") == there.total("celery_tasks_latency_seconds_count")
