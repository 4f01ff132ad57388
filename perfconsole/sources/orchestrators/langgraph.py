"""LangGraph's server (langgraph-api), and what it says of runs.

Releases 0.2 to 0.16. A task is a run: counted by the server's own histogram of runs where it exports its internal
metrics (EXPOSE_INTERNAL_METRICS_PROMETHEUS, since 0.11), else by the requests that start one, and by no others. Traps
kept in mind: latencies are seconds up to 0.10 and milliseconds since, under a name without a unit; a background run is
answered at once, so that only the routes that wait or stream take as long as a run; the API server has the runs and
each queue worker the slots, on pages of their own; a retry is an execution of its own; the page has HTTP requests since
0.4. Model calls and tools are told by no metric of the server: they come from GenAI names that the graph may export
beside.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric, Operand
from perfconsole.sources.genai import AGENT
from perfconsole.sources.orchestrators import prometheus_client
from perfconsole.sources.roles import Roles, program

_RUN = "lg_api_run_execution_latency"
_SUCCEEDED = "lg_api_run_success_counter_total"
_HTTP = "lg_api_http_requests_total"
_STARTS = (("method", "POST"), ("path", "~.*/runs(?:/wait|/stream|/batch)?"))
_WHOLE = (("method", "POST"), ("path", "~.*/runs/(?:wait|stream)"))
_QUEUED = "lg_api_run_queue_wait_time_1st_attempt"

METRICS = (
    Metric("orchestration.requests", f"{_RUN}_count", since="0.11", optional=True),
    Metric("orchestration.requests", _HTTP, where=_STARTS, zero_with=_HTTP, optional=True),
    Metric(
        "orchestration.errors",
        "lg_api_run_failed_after_retry_counter_total",
        zero_with=_SUCCEEDED,
        since="0.11",
        optional=True,
    ),
    Metric(
        "orchestration.errors",
        _HTTP,
        where=(*_STARTS, ("status", "~5..")),
        zero_with=_HTTP,
        instead_of=(_SUCCEEDED, f"{_RUN}_count"),
        optional=True,
    ),
    Metric("orchestration.latency", _RUN, scale=1e-3, since="0.11", optional=True),
    Metric("orchestration.latency", "lg_api_http_requests_latency", where=_WHOLE, scale=1e-3, optional=True),
    Metric("orchestration.latency", "lg_api_http_requests_latency_seconds", where=_WHOLE, until="0.11", optional=True),
    Metric("orchestration.queue_time", _QUEUED, scale=1e-3, since="0.11", optional=True),
    Metric("orchestration.queue_depth", "lg_api_num_pending_runs", optional=True),
    Metric("orchestration.inflight", "lg_api_num_running_runs", optional=True),
    Metric("orchestration.workers", "lg_api_workers_active", over=Operand("lg_api_workers_max"), optional=True),
    *AGENT,
    *prometheus_client.METRICS,
)

ADAPTER = Adapter(
    name="langgraph",
    title="LangGraph's server",
    prefixes=("lg_api_",),
    health_path="/ok",
    started=("process_start_time_seconds",),
    moving=("process_cpu_seconds_total",),
    metrics=METRICS,
    processes=Roles(launcher=(program(r"langgraph\s+(?:up|dev)\b"), program(r"langgraph_api\b"))),
    default_port=8000,
)
