"""vllm-router (Rust) 0.1: names of its metrics page, which has a port of its own.

Traps kept in mind, all seen on 0.1.17: the page has no HELP lines, and no series before its first event; requests_total
counts what was answered, once its answer begins, and leaves out what failed; request_errors counts attempts that found
no worker, and refusals of the caller's own fault; a request that failed for good is one of retries_exhausted, retries
or not; durations end where an answer begins, so that a stream of 15 s counts as 10 ms: they are times to the first byte
and no latency, and of an answer that is no stream they are all of it; processed_requests counts each attempt that goes
upstream; running_requests and worker_load are there with policies only that balance by load; active_workers still
counts workers that are unhealthy; a breaker that tries again has state 2; what agents wait in are programs, of which
each has one request. A route that it does not know, /metrics too, goes to a worker at its port of
requests and counts. It calls itself `vllm::router` and erases its command line. The program of the same name in vLLM's
production stack has other pages and other flags, and is not meant.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.roles import Roles, program

_UP = "vllm_router_worker_health"
"""Is on the page from the first health check of a worker, long before the first request."""
_REQUESTS = "vllm_router_requests_total"
_FAILED = "vllm_router_retries_exhausted_total"
_POLLED = (("route", "~/(metrics|health.*|version|get_.*|v1/models)?/?"),)
"""Routes that a console or a prober asks; those that it does not answer itself go to a worker."""
_REFUSED = (("error_type", "non_retryable_error"),)

METRICS = (
    Metric("gateway.requests", _REQUESTS, unless=_POLLED, tag=(("part", "answered"),), zero_with=_UP),
    Metric("gateway.requests", "vllm_router_pd_requests_total", tag=(("part", "answered"),), optional=True),
    Metric("gateway.requests", _FAILED, tag=(("part", "failed"),), zero_with=_UP),
    Metric(
        "gateway.requests",
        "vllm_router_request_errors_total",
        where=_REFUSED,
        tag=(("part", "refused"),),
        zero_with=_UP,
    ),
    Metric("gateway.errors", _FAILED, zero_with=_UP),
    Metric("gateway.retries", "vllm_router_retries_total", zero_with=_UP),
    Metric("gateway.inflight", "vllm_router_running_requests", upstream="worker", optional=True),
    Metric("gateway.inflight", "vllm_router_worker_load", upstream="worker", optional=True),
    Metric("gateway.queue_depth", "vllm_router_agent_aware_rank_queue_size", upstream="target", optional=True),
    Metric("gateway.queue_time", "vllm_router_agent_aware_queue_wait_seconds", optional=True),
    Metric("gateway.ttft", "vllm_router_generate_duration_seconds"),
    Metric("gateway.ttft", "vllm_router_pd_request_duration_seconds", optional=True),
    Metric("gateway.overhead", "vllm_tokenizer_encode_duration_seconds", optional=True),
    Metric("gateway.upstream_requests", "vllm_router_processed_requests_total", upstream="worker", zero_with=_UP),
    Metric("gateway.upstream_healthy", _UP, upstream="worker"),
    Metric("gateway.circuit_open", "vllm_router_cb_state", ceiling=1.0, upstream="worker", zero_with=_UP),
)

ADAPTER = Adapter(
    name="vllm-router",
    title="vllm-router",
    prefixes=("vllm_router_",),
    health_path="/health",
    metrics=METRICS,
    processes=Roles(
        launcher=(
            r"^vllm::router$",
            program(r"vllm-router(?!.*\s--(?:static-|routing-logic|engine-stats-interval))(?=\s|$)"),
            program(r"vllm_router\.launch_(?:router|server)\b"),
        )
    ),
    page_port=29000,
    page_flags=("--prometheus-port",),
    default_port=30000,
    upstream_labels=("worker",),
    upstream_flags=("--worker-urls", "--prefill", "--decode"),
)
