"""Router of vLLM's production stack, charts 0.1.0 to 0.1.12: its page, which re-uses names of vLLM.

Traps kept in mind: its own series carry `server` or `model`, those of an engine `model_name` and `engine`; of the names
that both have, the running requests are read with `server` only, and the waiting ones not at all, as it declares them
and never fills them; -1 is how it says that nothing was measured; averages are those of a window, and no quantile can
be had from them; healthy_pods_total is a gauge of 0 or 1 for each engine; an engine that ended keeps its counters and
loses its gauges; the prefix cache is that of engines before 0.12. The counter of requests came with 0.1.8, those
of errors and tokens with 0.1.10, the times with 0.1.11: before, the page knows how many requests run, and not how many
there were; tokens are counted of answers only that state their usage.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.roles import Roles, program

_AS_OLD_AS_ERRORS = (
    "vllm:request_latency_seconds_count",
    "vllm:output_tokens_total",
    "vllm:input_tokens_total",
)
"""What tells that the release counts errors: requests were counted before."""
_SERVED = (("server", "~.+"),)

METRICS = (
    Metric("gateway.requests", "vllm:num_incoming_requests_total", since="0.1.8", optional=True),
    *(
        Metric("gateway.errors", "vllm:request_errors_total", where=_SERVED, since="0.1.10", zero_with=there)
        for there in _AS_OLD_AS_ERRORS
    ),
    Metric("gateway.inflight", "vllm:num_requests_running", where=_SERVED, upstream="server"),
    Metric("gateway.latency", "vllm:request_latency_seconds", where=_SERVED, since="0.1.11", optional=True),
    Metric("gateway.latency.mean", "vllm:avg_latency", where=_SERVED),
    Metric("gateway.itl.mean", "vllm:avg_itl", where=_SERVED),
    Metric("gateway.tokens_in", "vllm:input_tokens_total", where=_SERVED, since="0.1.10", optional=True),
    Metric("gateway.tokens_out", "vllm:output_tokens_total", where=_SERVED, since="0.1.10", optional=True),
    Metric(
        "gateway.upstream_requests",
        "vllm:request_latency_seconds_count",
        where=_SERVED,
        upstream="server",
        pool=("model",),
        since="0.1.11",
        optional=True,
    ),
    Metric("gateway.upstream_healthy", "vllm:healthy_pods_total", where=_SERVED, upstream="server"),
)

ADAPTER = Adapter(
    name="production-stack",
    title="vLLM production stack",
    prefixes=(
        "vllm:current_qps",
        "vllm:avg_decoding_length",
        "vllm:num_prefill_requests",
        "vllm:num_decoding_requests",
        "vllm:healthy_pods_total",
    ),
    requires_label="server",
    health_path="/health",
    started=("process_start_time_seconds",),
    moving=("process_cpu_seconds_total",),
    metrics=METRICS,
    processes=Roles(
        launcher=(
            program(r"vllm-router(?=.*\s--(?:static-|routing-logic|engine-stats-interval))"),
            program(r"vllm_router[./]app(?:\.py)?(?=\s|$)"),
        )
    ),
    default_port=8001,
    upstream_labels=("server",),
    upstream_flags=("--static-backends",),
)
