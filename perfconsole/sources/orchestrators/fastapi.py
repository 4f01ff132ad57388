"""A Python web service whose routes are counted by prometheus-fastapi-instrumentator.

Releases 4 to 8. A task is an HTTP request. Traps kept in mind: a service that chose its instrumentation may have the
coarse histogram alone, then with the status in it; the console's own polls are requests too, so the routes that it or a
prober asks do not count; the fine histogram (highr) has no label for the route and holds those polls. It is not read:
by default it comes with the coarse one, which is empty until the first request for another route. Streaming time is
part of a duration unless the service leaves it out. What its agent does stands beside, by the GenAI conventions.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.genai import AGENT
from perfconsole.sources.orchestrators import prometheus_client
from perfconsole.sources.roles import Roles, program

POLLED = (("handler", prometheus_client.PROBED), ("handler", "none"))
"""Routes that a console or a prober asks, and what instrumentation calls a route that does not exist."""
_REQUESTS = "http_requests_total"
_FAILED = (("status", "~5.."),)
"""`5xx`, or the status itself where they are not grouped."""
_LATENCY = "http_request_duration_seconds"
_HELD = "http_requests_inprogress"
_ROUTED = (("handler", "~.*"),)
"""The route is a label where the service asks for it; without it the request for the page counts too."""

METRICS = (
    Metric("orchestration.requests", _REQUESTS, unless=POLLED, zero_with="http_request_duration_highr_seconds_count"),
    Metric("orchestration.requests", f"{_LATENCY}_count", unless=POLLED, optional=True),
    Metric("orchestration.errors", _REQUESTS, where=_FAILED, unless=POLLED, zero_with=_REQUESTS),
    Metric("orchestration.errors", f"{_LATENCY}_count", where=_FAILED, unless=POLLED, optional=True),
    Metric("orchestration.latency", _LATENCY, unless=POLLED),
    Metric("orchestration.inflight", _HELD, where=_ROUTED, unless=POLLED, optional=True),
    Metric("orchestration.inflight", _HELD, unless=_ROUTED, offset=-1.0, optional=True),
    *AGENT,
    *prometheus_client.METRICS,
)

ADAPTER = Adapter(
    name="fastapi",
    title="a FastAPI service",
    prefixes=("http_request",),
    started=("process_start_time_seconds",),
    moving=("process_cpu_seconds_total",),
    metrics=METRICS,
    processes=Roles(launcher=(program(r"fastapi\s+(?:run|dev)\b"),)),
    default_port=8000,
)
