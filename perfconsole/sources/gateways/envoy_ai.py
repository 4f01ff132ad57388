"""Envoy AI Gateway 0.1 to 1.x: the page of its external processor, which stands beside the Envoy that carries requests.

Traps kept in mind: names come from OpenTelemetry, so that units were appended to all of them at first and are to times
only from 0.5 on (`gen_ai_client_token_usage_token`, then `gen_ai_client_token_usage`), and exporters may leave the unit
out; nothing is on the page before the first request ends; one count a request, when it ends, so that nothing is known
of those on their way. Failures have one error type only and hold those of the caller's fault (4xx). Input tokens hold
the cached ones, which stand there once more under a type of their own, and output tokens those of reasoning. Time per
token is one mean of each answer and no gap between chunks. Models and header values stand in labels and are dropped;
the backend has a label after 1.1 only, before that the API of the provider tells upstreams apart. Programs of other
makers write `gen_ai_client_` names too.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.roles import Roles, program

_DURATION = "gen_ai_server_request_duration"
_TOKENS = "gen_ai_client_token_usage"
_FAILED = (("error_type", "~.+"),)
_INPUT = (("gen_ai_token_type", "input"),)
_OUTPUT = (("gen_ai_token_type", "output"),)
_CALLED = ("ai_backend", "gen_ai_backend", "gen_ai_provider_name", "gen_ai_system_name")
"""What tells upstreams apart, best first: backends, and the API of the provider, whose name is another since 0.4."""

METRICS = (
    Metric("gateway.requests", f"{_DURATION}_seconds_count"),
    Metric("gateway.requests", f"{_DURATION}_count", optional=True),
    Metric("gateway.errors", f"{_DURATION}_seconds_count", where=_FAILED, zero_with=f"{_DURATION}_seconds_count"),
    Metric("gateway.errors", f"{_DURATION}_count", where=_FAILED, zero_with=f"{_DURATION}_count", optional=True),
    Metric("gateway.latency", f"{_DURATION}_seconds"),
    Metric("gateway.latency", _DURATION, optional=True),
    Metric("gateway.ttft", "gen_ai_server_time_to_first_token_seconds"),
    Metric("gateway.ttft", "gen_ai_server_time_to_first_token", optional=True),
    Metric("gateway.itl", "gen_ai_server_time_per_output_token_seconds"),
    Metric("gateway.itl", "gen_ai_server_time_per_output_token", optional=True),
    Metric("gateway.tokens_in", f"{_TOKENS}_sum", where=_INPUT),
    Metric("gateway.tokens_in", f"{_TOKENS}_token_sum", where=_INPUT, optional=True),
    Metric("gateway.tokens_out", f"{_TOKENS}_sum", where=_OUTPUT),
    Metric("gateway.tokens_out", f"{_TOKENS}_token_sum", where=_OUTPUT, optional=True),
    *(
        Metric(
            "gateway.upstream_requests",
            f"{_DURATION}{unit}_count",
            where=((label, "~.+"),),
            upstream=label,
            pool=("gen_ai_request_model",),
            optional=True,
        )
        for unit in ("_seconds", "")
        for label in _CALLED
    ),
)

ADAPTER = Adapter(
    name="envoy-ai",
    title="Envoy AI Gateway",
    prefixes=("gen_ai_server_",),
    health_path="/health",
    started=("process_start_time_seconds",),
    moving=("process_cpu_seconds_total",),
    metrics=METRICS,
    processes=Roles(
        launcher=(
            program(r"aigw\s+run\b"),
            program(r"(?:ai-gateway-)?extproc\s+-"),
            r"^\S+\s(?:.*\s)?-{1,2}extProcAddr\b",  # its image calls it /app
        )
    ),
    port_flags=("--adminPort", "-adminPort", "--admin-port"),
    default_port=1064,
)
