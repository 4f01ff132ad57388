"""A Python web service: prometheus-fastapi-instrumentator, and what prometheus_client says of any Python process.

Traps kept in mind: the console's own polls are requests too, so the routes that it asks do not count; the fine
histogram (highr) has no label for the route and holds those polls, the coarse one leaves them out.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric

POLLED = tuple(("handler", route) for route in ("/metrics", "/metrics/", "/health", "/healthz", "/health/", "none"))
"""Routes that a console or a prober asks, and what instrumentation calls a route that does not exist."""
_REQUESTS = "http_requests_total"
_FAILED = (("status", "5xx"),)
_SECONDS = (("part", "seconds"),)

METRICS = (
    Metric("orchestration.requests", _REQUESTS, unless=POLLED),
    Metric("orchestration.errors", _REQUESTS, where=_FAILED, unless=POLLED, zero_with=_REQUESTS),
    Metric("orchestration.latency", "http_request_duration_seconds", unless=POLLED),
    Metric("orchestration.latency", "http_request_duration_highr_seconds", optional=True),
    Metric("orchestration.inflight", "http_requests_inprogress", unless=POLLED, optional=True),
    Metric("orchestration.process_cpu", "process_cpu_seconds_total", tag=_SECONDS, optional=True),
)

ADAPTER = Adapter(
    name="fastapi",
    title="a FastAPI service",
    prefixes=("http_request", "process_", "python_"),
    requires_label="",
    metrics_path="/metrics",
    health_path="",
    version_route="",
    rank_label="",
    started=("process_start_time_seconds",),
    moving=("process_cpu_seconds_total",),
    metrics=METRICS,
)
