"""A Starlette or FastAPI service whose routes are counted by starlette-exporter, or by starlette-prometheus.

starlette-exporter 0.1 to 0.24, starlette-prometheus 0.7 to 0.10, and the copies of both with the prefix `fastapi_` that
dashboards made common. A task is an HTTP request. Traps kept in mind: the console's own polls are requests too, so the
routes that it asks do not count; what is in progress has no route, and a GET for the page is among it; the label is
`path` in the one and `path_template` in the other, and the latter counts statuses apart.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.genai import AGENT
from perfconsole.sources.orchestrators import prometheus_client

_PREFIXES = ("starlette_", "fastapi_")
_POLLED = (("path", prometheus_client.PROBED), ("path_template", prometheus_client.PROBED))
_FAILED = (("status_code", "~5..(?:\\.0)?"),)
_GET = (("method", "GET"),)
_LATENCIES = ("request_duration_seconds", "requests_processing_time_seconds", "requests_duration_seconds")

WEB = (
    *(Metric("orchestration.requests", f"{p}requests_total", unless=_POLLED, optional=True) for p in _PREFIXES),
    *(
        Metric(
            "orchestration.errors",
            f"{p}{name}_total",
            where=_FAILED,
            unless=_POLLED,
            zero_with=f"{p}requests_total",
            optional=True,
        )
        for p in _PREFIXES
        for name in ("requests", "responses")
    ),
    *(
        Metric("orchestration.latency", f"{p}{name}", unless=_POLLED, optional=True)
        for p in _PREFIXES
        for name in _LATENCIES
    ),
    *(
        Metric(
            "orchestration.inflight",
            f"{p}requests_in_progress",
            where=_GET,
            offset=-1.0,
            tag=(("part", "get"),),
            optional=True,
        )
        for p in _PREFIXES
    ),
    *(
        Metric(
            "orchestration.inflight",
            f"{p}requests_in_progress",
            unless=_GET,
            tag=(("part", "rest"),),
            optional=True,
        )
        for p in _PREFIXES
    ),
)
"""What both say of requests: also for the table of a page that has OpenTelemetry's names beside."""

ADAPTER = Adapter(
    name="starlette",
    title="a Starlette service",
    prefixes=("starlette_", "fastapi_request", "fastapi_responses_"),
    started=("process_start_time_seconds",),
    moving=("process_cpu_seconds_total",),
    metrics=(*WEB, *AGENT, *prometheus_client.METRICS),
    default_port=8000,
)
