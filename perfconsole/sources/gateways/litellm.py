"""LiteLLM proxy 1.55 to 1.110: names of its metrics page.

Traps kept in mind: /metrics redirects to /metrics/; /health calls every model, only /health/liveliness is free; the
scrape itself counts among the requests in flight; nothing but the gauges exists before the first request, and before
1.82 not even that of requests in flight; an upstream call counts when it ends; a model that is not configured counts
as an upstream call without an address; failures include refusals (4xx), and callers that went away (499), of which not
every one is noticed; tokens had names without `_metric` up to 1.7x. Overhead is seconds, whatever its help text says.
A deployment that cools down has state 2 under its public name and recovers under that of its model, so that the former
stays, perhaps for good: of what is said of one deployment the best counts. Times of a stream's first token are those
of streams only.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.roles import Roles, program

_REQUESTS = "litellm_proxy_total_requests_metric_total"
_FAILED = "litellm_proxy_failed_requests_metric_total"
_UPSTREAM = "litellm_deployment_total_requests_total"
_UP = "litellm_in_flight_requests"
"""Is on the page from the start, where everything else waits for its first event."""
_CALLERS_FAULT = ("400", "401", "403", "404", "405", "413", "415", "422", "429", "499")
_THERE = (_UP, _REQUESTS)
"""What tells that a counter without an event is 0: from the start, or, in older releases, since the first request."""
_ANSWERED = (("fallback", "answered"),)
_LOST = (("fallback", "lost"),)

METRICS = (
    Metric("gateway.requests", _REQUESTS, zero_with=_UP),
    Metric("gateway.requests", "litellm_requests_metric_total", optional=True),
    *(
        Metric(
            "gateway.errors",
            _FAILED,
            unless=tuple(("exception_status", code) for code in _CALLERS_FAULT),
            zero_with=there,
        )
        for there in _THERE
    ),
    *(Metric("gateway.rate_limited", _FAILED, where=(("exception_status", "429"),), zero_with=z) for z in _THERE),
    Metric("gateway.client_gone", _FAILED, where=(("exception_status", "499"),), optional=True),
    *(
        Metric(
            "gateway.upstream_requests",
            _UPSTREAM,
            unless=(("api_base", ""),),
            upstream="api_base",
            pool=("requested_model",),
            zero_with=z,
        )
        for z in _THERE
    ),
    *(
        Metric(name, f"litellm_deployment_{how}_fallbacks_total", tag=tag, zero_with=there)
        for name in ("gateway.retries", "gateway.fallbacks")
        for how, tag in (("successful", _ANSWERED), ("failed", _LOST))
        for there in _THERE
    ),
    Metric("gateway.inflight", _UP, offset=-1.0, since="1.82", optional=True),
    Metric("gateway.queue_time", "litellm_request_queue_time_seconds", since="1.81", optional=True),
    Metric("gateway.latency", "litellm_request_total_latency_metric"),
    Metric("gateway.upstream_latency", "litellm_llm_api_latency_metric"),
    Metric("gateway.overhead", "litellm_overhead_latency_metric", since="1.60", optional=True),
    Metric("gateway.overhead", "litellm_overhead_with_guardrails_latency_metric", since="1.86", optional=True),
    Metric("gateway.ttft", "litellm_llm_api_time_to_first_token_metric", optional=True),
    Metric("gateway.tokens_in", "litellm_input_tokens_metric_total", zero_with=_UP),
    Metric("gateway.tokens_in", "litellm_input_tokens_total", until="1.80"),
    Metric("gateway.tokens_out", "litellm_output_tokens_metric_total", zero_with=_UP),
    Metric("gateway.tokens_out", "litellm_output_tokens_total", until="1.80"),
    Metric(
        "gateway.upstream_healthy",
        "litellm_deployment_state",
        scale=-0.5,
        offset=1.0,
        echo="model_id",
        upstream="api_base",
        optional=True,
    ),
    *(
        Metric(
            "gateway.store_timeouts",
            f"litellm_{store}_failed_requests_total",
            where=(("error_class", "~.*[Tt]imeout.*"),),
            tag=(("part", store),),
            optional=True,
        )
        for store in ("postgres", "batch_write_to_db", "redis")
    ),
)

ADAPTER = Adapter(
    name="litellm",
    title="LiteLLM",
    prefixes=("litellm_",),
    metrics_path="/metrics/",
    health_path="/health/liveliness",
    started=("process_start_time_seconds",),
    moving=("process_cpu_seconds_total",),
    metrics=METRICS,
    processes=Roles(launcher=(program(r"litellm(?:\s+-|\s*$)"), r"\blitellm[./]proxy[./]proxy_(?:server|cli)\b")),
    default_port=4000,
    upstream_labels=("api_base",),
    upstream_flags=("--api-base", "--api_base"),
    config="litellm",
)
