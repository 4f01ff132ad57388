"""A service whose page OpenTelemetry writes: its requests by the HTTP conventions, its agents by those for GenAI.

HTTP conventions since 1.21 and before, GenAI conventions from 1.27 to those of 2026. A task is a workflow, else a
request, else one run of an agent. Traps kept in mind: those of `sources/genai.py`; an agent that another one calls is a
run of its own; an operation without an error yet has no series for one; health routes are requests too.
The names of starlette-exporter may stand beside these, and then tell the requests.
"""

from __future__ import annotations

from dataclasses import replace

from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.genai import AGENT, OPERATIONS
from perfconsole.sources.orchestrators import prometheus_client, starlette

_FLOWS = (
    "gen_ai_invoke_workflow_duration_seconds",
    "gen_ai_invoke_workflow_duration",
    "gen_ai_workflow_duration_seconds",
)
_FLOW = (("gen_ai_operation_name", "invoke_workflow"),)
_RUNS = ("gen_ai_invoke_agent_duration_seconds", "gen_ai_invoke_agent_duration")
_RUN = (("gen_ai_operation_name", "invoke_agent"),)
_POLLED = (("http_route", prometheus_client.PROBED), ("http_target", prometheus_client.PROBED))
_WEB = (
    ("http_server_request_duration_seconds", "http_response_status_code", 1.0),
    ("http_server_request_duration", "http_response_status_code", 1.0),
    ("http_server_duration_milliseconds", "http_status_code", 1e-3),
    ("http_server_duration_ms", "http_status_code", 1e-3),
    ("http_server_duration", "http_status_code", 1e-3),
)
"""Conventions since 1.21 and before, with their unit behind the name and without: that of JavaScript leaves it out."""
_FLOWS_COUNTED = tuple(f"{n}_count" for n in _FLOWS)
_WEB_COUNTED = (*(f"{n}_count" for n, _, _ in _WEB), "starlette_requests_total", "fastapi_requests_total")
"""What tells requests before runs of agents do, and then their errors too."""
_FAILED = (("error_type", "~.+"),)
_REQUESTS, _ERRORS, _LATENCY = "orchestration.requests", "orchestration.errors", "orchestration.latency"

METRICS = (
    *(Metric(_REQUESTS, f"{n}_count", optional=True) for n in _FLOWS),
    *(Metric(_REQUESTS, f"{n}_count", where=_FLOW, optional=True) for n in OPERATIONS),
    *(Metric(_REQUESTS, f"{n}_count", unless=_POLLED, optional=True) for n, _, _ in _WEB),
    *(Metric(_ERRORS, f"{n}_count", where=_FAILED, zero_with=f"{n}_count", optional=True) for n in _FLOWS),
    *(Metric(_ERRORS, f"{n}_count", where=(*_FLOW, *_FAILED), optional=True) for n in OPERATIONS),
    *(
        Metric(
            _ERRORS,
            f"{n}_count",
            where=((s, "~5.."),),
            unless=_POLLED,
            zero_with=f"{n}_count",
            instead_of=_FLOWS_COUNTED,
            optional=True,
        )
        for n, s, _ in _WEB
    ),
    *(Metric(_LATENCY, n, optional=True) for n in _FLOWS),
    *(Metric(_LATENCY, n, where=_FLOW, optional=True) for n in OPERATIONS),
    *(Metric(_LATENCY, n, unless=_POLLED, scale=scale, optional=True) for n, _, scale in _WEB),
    *(replace(row, instead_of=_FLOWS_COUNTED) if row.indicator == _ERRORS else row for row in starlette.WEB),
    *(Metric(_REQUESTS, f"{n}_count", optional=True) for n in _RUNS),
    *(Metric(_REQUESTS, f"{n}_count", where=_RUN, optional=True) for n in OPERATIONS),
    *(
        Metric(
            _ERRORS,
            f"{n}_count",
            where=which,
            unless=_POLLED,
            zero_with=f"{n}_count" if n in _RUNS else "",
            instead_of=(*_FLOWS_COUNTED, *_WEB_COUNTED),
            optional=True,
        )
        for names, which in ((_RUNS, _FAILED), (OPERATIONS, (*_RUN, *_FAILED)))
        for n in names
    ),
    *(Metric(_LATENCY, n, optional=True) for n in _RUNS),
    *(Metric(_LATENCY, n, where=_RUN, optional=True) for n in OPERATIONS),
    Metric("orchestration.inflight", "http_server_active_requests", optional=True),
    Metric("orchestration.inflight", "http_server_active_requests_requests", optional=True),
    *AGENT,
    *prometheus_client.METRICS,
)

ADAPTER = Adapter(
    name="opentelemetry",
    title="a service with OpenTelemetry metrics",
    prefixes=(
        "gen_ai_client_",
        "gen_ai_execute_tool_",
        "gen_ai_invoke_",
        "gen_ai_workflow_",
        "http_server_active_requests",
        "http_server_duration",
        "http_server_request_duration",
        "mcp_client_operation_",
    ),
    started=("process_start_time_seconds",),
    moving=("process_cpu_seconds_total",),
    metrics=METRICS,
    page_port=9464,
)
