"""Celery's workers, as an exporter beside them tells: celery-exporter of danihodovic or of OvalMoney, or Flower's page.

The former 0.2 to 0.12 and later (`celery_task_queue_wait_time` is younger), that of OvalMoney (`celery_tasks_`) 1.5 and
1.6: before, it told states as a gauge, which is not read. Flower 1.x and 2.x. A task is one of
Celery's. Traps kept in mind: CPU time and memory on the page are the exporter's own and not those of a worker; only
tasks that succeeded have a run time; a worker that takes several queues stands with all its processes in each, so that
the share of busy ones is too low there; the counters of failed and retried tasks appear, at 0, with the first event of
a task; the wait in the queue leaves out a delay that was asked for; workers send events only with `-E`.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric, Operand
from perfconsole.sources.roles import Roles, program

_DONE = (("part", "succeeded"),)
_LOST = (("part", "failed"),)
_EVENTS = "flower_events_total"
_STATES = "celery_tasks_total"
_FAILED = (("type", "task-failed"),)

METRICS = (
    Metric("orchestration.requests", "celery_task_succeeded_total", tag=_DONE, optional=True),
    Metric("orchestration.requests", "celery_task_failed_total", tag=_LOST, optional=True),
    Metric("orchestration.requests", _EVENTS, where=(("type", "task-succeeded"),), tag=_DONE, optional=True),
    Metric("orchestration.requests", _EVENTS, where=_FAILED, tag=_LOST, optional=True),
    *(
        Metric("orchestration.requests", _STATES, where=(("state", state),), tag=tag, optional=True)
        for state, tag in (("SUCCESS", _DONE), ("FAILURE", _LOST))
    ),
    Metric("orchestration.errors", _STATES, where=(("state", "FAILURE"),), zero_with=_STATES, optional=True),
    Metric("orchestration.errors", "celery_task_failed_total", zero_with="celery_task_succeeded_total", optional=True),
    Metric("orchestration.errors", _EVENTS, where=_FAILED, zero_with=_EVENTS, optional=True),
    Metric("orchestration.latency", "celery_task_runtime", optional=True),
    Metric("orchestration.latency", "flower_task_runtime_seconds", optional=True),
    Metric("orchestration.latency", "celery_tasks_runtime_seconds", optional=True),
    *(
        Metric("orchestration.queue_time", name, optional=True)
        for name in ("celery_task_queue_wait_time", "celery_tasks_latency_seconds", "celery_task_latency")
    ),
    Metric("orchestration.queue_depth", "celery_queue_length", optional=True),
    Metric("orchestration.inflight", "celery_worker_tasks_active", optional=True),
    Metric("orchestration.inflight", "flower_worker_number_of_currently_executing_tasks", optional=True),
    Metric(
        "orchestration.workers",
        "celery_worker_tasks_active",
        over=Operand("celery_active_process_count"),
        optional=True,
    ),
)

ADAPTER = Adapter(
    name="celery",
    title="Celery's workers",
    prefixes=(
        "celery_task_",
        "celery_tasks_",
        "celery_worker_",
        "celery_queue_",
        "celery_active_",
        "flower_events_",
        "flower_task_",
        "flower_worker_",
    ),
    health_path="/health",
    started=("process_start_time_seconds",),
    metrics=METRICS,
    unexported=("orchestration.process_cpu",),
    processes=Roles(launcher=(program(r"celery-exporter\b"), program(r"celery_exporter\b"))),
    default_port=9808,
)
