"""SMG 1.x and the routers of SGLang: sglang-router 0.3 has the names `smg_`, 0.1 and 0.2 `sgl_router_`.

So has the router that SGLang wrote anew in 2026 (`sgl-router`), on the page at its port of requests and with
`worker_url` for what was `worker`: it counts all that comes in, answered or not, and its durations end with the stream.
What its full queue sheds is a 503, so that it is an error and a refusal, and its overhead holds the wait in that queue.

Traps kept in mind: the page has a port of its own and no series before its first event; the times of HTTP end where an
answer begins, so that a stream counts until its head, and times to the first token are taken over gRPC only; requests
of consoles and probes are counted by HTTP beside those of callers; prefill and decode each count a retry of one
request; what was refused at admission is a part of the decisions of the limit; a worker that was taken away says -1; a
breaker that tries again has state 2; connections_active leaves out streams whose head is sent, and requests_active
what waits; figures of the engines are there again, and stay theirs. The old page counts what was answered, and is
read like that of the router of vLLM, which came from it.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.roles import Roles, program

_UP = "smg_worker_health"
"""Is on the page since a worker is known."""
_OLD_UP = "sgl_router_worker_health"
_OLD_FAILED = "sgl_router_retries_exhausted_total"
_OWN = (
    (
        "path",
        (
            "~/?(liveness|readiness|health.*|metrics|engine_metrics|version|(server|model)_info|get_.*|v1/models|workers?.*|"
            "(list|add|remove)_worker.*|flush_cache|(start|stop)_profile|v1/loads|wasm.*)?/?"
        ),
    ),
)
"""Routes of probes, consoles and operators."""
_POLLED = (("route", "~/(metrics|health.*|version|get_.*|v1/models)?/?"),)
_ANSWERED = (("part", "answered"),)
_CUT_OFF = (("part", "cut_off"),)
_PLACED = (("worker_url", "~.+"),)
_REPLIES = "sgl_router_responses_total"
_STREAMS = "sgl_router_stream_outcome_total"
_LOST = (("part", "failed"),)
_REWRITTEN = (("model_id", "~.*"),)
"""Label of the router that was written anew, whose requests hold those that failed."""

METRICS = (
    Metric("gateway.requests", "smg_http_requests_total", unless=_OWN, zero_with=_UP),
    Metric("gateway.requests", "smg_router_requests_total", optional=True),
    Metric(
        "gateway.requests",
        "sgl_router_requests_total",
        unless=_POLLED,
        tag=_ANSWERED,
        until="0.3",
        zero_with=_OLD_UP,
    ),
    Metric("gateway.requests", _OLD_FAILED, unless=_REWRITTEN, tag=_LOST, until="0.3", zero_with=_OLD_UP),
    Metric("gateway.errors", "smg_http_responses_total", where=(("status_code", "~5.."),), unless=_OWN, zero_with=_UP),
    Metric(
        "gateway.errors",
        "smg_router_request_errors_total",
        unless=(("error_type", "validation_error"),),
        instead_of=("smg_http_responses_total",),
        optional=True,
    ),
    Metric("gateway.errors", _REPLIES, where=(("status_code", "~5.."),), unless=_POLLED, zero_with=_REPLIES),
    Metric("gateway.errors", "sgl_router_requests_total", where=(("outcome", "error"),), optional=True),
    Metric("gateway.errors", _OLD_FAILED, unless=_REWRITTEN, until="0.3", zero_with=_OLD_UP),
    Metric(
        "gateway.errors",
        _STREAMS,
        where=(("outcome", "~upstream_error|stream_error_event|inband_error|aborted|expired"),),
        tag=_CUT_OFF,
        zero_with=_STREAMS,
    ),
    Metric("gateway.rate_limited", _REPLIES, where=(("status_code", "429"),), zero_with=_REPLIES),
    Metric("gateway.rate_limited", "smg_http_rate_limit_total", where=(("result", "rejected"),), zero_with=_UP),
    Metric("gateway.rate_limited", "smg_http_rate_limit_total", where=(("decision", "rejected"),), optional=True),
    Metric("gateway.rate_limited", "smg_admission_queue_rejected_total", optional=True),
    Metric("gateway.rate_limited", "sgl_router_backpressure_rejected_total", tag=(("part", "queue"),), optional=True),
    Metric("gateway.retries", "smg_worker_retries_total", unless=(("worker_type", "decode"),), zero_with=_UP),
    Metric("gateway.retries", "sgl_router_retries_total", until="0.3", zero_with=_OLD_UP),
    Metric("gateway.client_gone", "smg_scheduler_admit_total", where=(("outcome", "client_cancelled"),), optional=True),
    Metric("gateway.client_gone", _STREAMS, where=(("outcome", "client_disconnect"),), zero_with=_STREAMS),
    Metric("gateway.inflight", "smg_worker_requests_active", upstream="worker"),
    Metric("gateway.inflight", "smg_admission_inflight", optional=True),
    Metric("gateway.inflight", "smg_scheduler_inflight", since="1.5", optional=True),
    Metric("gateway.inflight", "smg_http_connections_active"),
    Metric("gateway.inflight", "sgl_router_running_requests", upstream="worker", until="0.3"),
    Metric("gateway.inflight", "sgl_router_worker_load", upstream="worker", until="0.3", optional=True),
    Metric("gateway.inflight", "sgl_router_worker_inflight_requests", upstream="worker_url"),
    Metric("gateway.queue_depth", "smg_admission_queue_depth", optional=True),
    Metric("gateway.queue_depth", "smg_scheduler_queue_depth", since="1.5", optional=True),
    Metric("gateway.queue_depth", "sgl_router_queued_requests", optional=True),
    Metric("gateway.queue_time", "smg_scheduler_queue_wait_seconds", since="1.5", optional=True),
    Metric("gateway.queue_time", "sgl_router_admission_wait_seconds", optional=True),
    Metric("gateway.itl", "sgl_router_itl_seconds", optional=True),
    Metric("gateway.latency", "smg_http_request_duration_seconds", unless=_OWN),
    Metric("gateway.latency", "smg_router_request_duration_seconds", optional=True),
    Metric("gateway.latency", "sgl_router_request_duration_seconds", where=(("model_id", "~.*"),)),
    Metric("gateway.upstream_latency", "smg_router_generation_duration_seconds", optional=True),
    Metric(
        "gateway.overhead",
        "smg_router_stage_duration_seconds",
        unless=(("stage", "request_execution"),),
        optional=True,
    ),
    Metric("gateway.overhead", "sgl_router_ttft_overhead_seconds", optional=True),
    Metric("gateway.ttft", "smg_router_ttft_seconds", optional=True),
    Metric("gateway.ttft", "smg_pd_ttft_seconds", since="1.9", optional=True),
    Metric("gateway.ttft", "sgl_router_ttft_seconds"),
    Metric("gateway.ttft", "sgl_router_generate_duration_seconds", until="0.3"),
    Metric("gateway.tokens_in", "smg_router_tokens_total", where=(("token_type", "input"),), optional=True),
    Metric("gateway.tokens_out", "smg_router_tokens_total", where=(("token_type", "output"),), optional=True),
    Metric("gateway.upstream_requests", "smg_worker_cb_outcomes_total", upstream="worker", zero_with=_UP),
    Metric("gateway.upstream_requests", "smg_router_upstream_responses_total", optional=True),
    *(
        Metric(
            "gateway.upstream_requests", name, where=_PLACED, upstream="worker_url", pool=("model_id",), optional=True
        )
        for name in ("sgl_router_worker_requests_total", "sgl_router_requests_total")
    ),
    Metric(
        "gateway.upstream_requests",
        "sgl_router_processed_requests_total",
        upstream="worker",
        until="0.3",
        zero_with=_OLD_UP,
    ),
    Metric("gateway.upstream_healthy", _UP, upstream="worker"),
    Metric("gateway.upstream_healthy", _OLD_UP, where=_PLACED, upstream="worker_url"),
    Metric("gateway.upstream_healthy", _OLD_UP, upstream="worker", until="0.3"),
    Metric("gateway.circuit_open", "smg_worker_cb_state", ceiling=1.0, upstream="worker", zero_with=_UP),
    Metric("gateway.circuit_open", "sgl_router_worker_cb_state", ceiling=1.0, upstream="worker_url", zero_with=_OLD_UP),
    Metric(
        "gateway.circuit_open", "sgl_router_cb_state", ceiling=1.0, upstream="worker", until="0.3", zero_with=_OLD_UP
    ),
    Metric("gateway.saturation", "smg_scheduler_utilization", ceiling=1.0, since="1.5", optional=True),
)

ADAPTER = Adapter(
    name="smg",
    title="SMG",
    prefixes=("smg_", "sgl_router_", "sglang_router_"),
    health_path="/health",
    metrics=METRICS,
    processes=Roles(
        launcher=(
            r"^(?:sglang|smg)::router$",
            program(r"(?:smg|amg|sglang-router|sgl-router)\s+(?:(?:launch|serve)(?=\s|$)|-)"),
            program(r"(?:sglang_router|smg)[./]launch_router(?:\.py)?(?=\s|$)"),
            program(r"sglang_router[./]launch_server(?:\.py)?(?=\s|$)"),
            program(r"(?:sglang_router|smg)\s+launch(?=\s|$)"),
        )
    ),
    page_port=29000,
    page_flags=("--prometheus-port", "--router-prometheus-port"),
    default_port=30000,
    upstream_labels=("worker", "worker_url"),
    upstream_flags=("--worker-urls", "--prefill", "--decode", "--encode"),
)
