"""LiteLLM proxy 1.7x to 1.100: names of its metrics page.

Traps kept in mind: /metrics redirects to /metrics/; /health calls every model, only /health/liveliness is free; the
scrape itself counts among the requests in flight; nothing but the gauges exists before the first request; an upstream
call counts when it ends; a model that is not configured counts as an upstream call without an address; failures include
refusals (4xx).
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.roles import Roles, program

_REQUESTS = "litellm_proxy_total_requests_metric_total"
_FAILED = "litellm_proxy_failed_requests_metric_total"
_UPSTREAM = "litellm_deployment_total_requests_total"
_UP = "litellm_in_flight_requests"
"""Is on the page from the start, where everything else waits for its first event."""
_CALLERS_FAULT = ("400", "401", "403", "404", "405", "413", "415", "422", "429")
_ANSWERED = (("fallback", "answered"),)
_LOST = (("fallback", "lost"),)

METRICS = (
    Metric("gateway.requests", _REQUESTS, zero_with=_UP),
    Metric(
        "gateway.errors", _FAILED, unless=tuple(("exception_status", code) for code in _CALLERS_FAULT), zero_with=_UP
    ),
    Metric("gateway.rate_limited", _FAILED, where=(("exception_status", "429"),), zero_with=_UP),
    Metric(
        "gateway.upstream_requests",
        _UPSTREAM,
        unless=(("api_base", ""),),
        zero_with=_UP,
    ),
    Metric("gateway.retries", "litellm_deployment_successful_fallbacks_total", tag=_ANSWERED, zero_with=_UP),
    Metric("gateway.retries", "litellm_deployment_failed_fallbacks_total", tag=_LOST, zero_with=_UP),
    Metric("gateway.fallbacks", "litellm_deployment_successful_fallbacks_total", tag=_ANSWERED, zero_with=_UP),
    Metric("gateway.fallbacks", "litellm_deployment_failed_fallbacks_total", tag=_LOST, zero_with=_UP),
    Metric("gateway.inflight", _UP, offset=-1.0),
    Metric("gateway.queue_time", "litellm_request_queue_time_seconds", optional=True),
    Metric("gateway.latency", "litellm_request_total_latency_metric"),
    Metric("gateway.upstream_latency", "litellm_llm_api_latency_metric"),
    Metric("gateway.overhead", "litellm_overhead_latency_metric", optional=True),
    Metric("gateway.ttft", "litellm_llm_api_time_to_first_token_metric", optional=True),
    Metric("gateway.tokens_in", "litellm_input_tokens_metric_total", zero_with=_UP),
    Metric("gateway.tokens_out", "litellm_output_tokens_metric_total", zero_with=_UP),
    Metric("gateway.upstream_healthy", "litellm_deployment_state", scale=-0.5, offset=1.0, optional=True),
)

ADAPTER = Adapter(
    name="litellm",
    title="LiteLLM",
    prefixes=("litellm_",),
    requires_label="",
    metrics_path="/metrics/",
    health_path="/health/liveliness",
    version_route="",
    rank_label="",
    started=("process_start_time_seconds",),
    moving=("process_cpu_seconds_total",),
    metrics=METRICS,
    unexported=("gateway.circuit_open", "gateway.client_gone", "gateway.itl", "gateway.queue_depth"),
    processes=Roles(launcher=(program(r"litellm(?:\s+-|\s*$)"), r"\blitellm[./]proxy[./]proxy_(?:server|cli)\b")),
    default_port=4000,
    upstream_labels=("api_base",),
    upstream_flags=("--api-base", "--api_base"),
    config="litellm",
)
