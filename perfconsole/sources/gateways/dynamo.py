"""NVIDIA Dynamo 0.3 to 1.6, the frontend: names of its page, which is at its port of requests.

Traps kept in mind: until 0.4 the names begin with `nv_llm_http_service_`, and the prefix may still be set to that; in
0.5 the gauges of what runs and waits end in `_total`. Refusals and moved requests are counted by newer releases only. A
request ends as success or error; errors have a type in newer releases, and those of the caller's own fault (validation,
not found), a caller that left and a refusal are no errors of the gateway. The queue has every request without a first
token in it, those whose prompt is being computed too; the router's own queue is used where there is one. Inflight has
both. Both gauges are to be removed: active requests, and the stages before the first token, say the same. Disconnected
clients are a gauge that only rises. Counters of a label appear at their first event. A stage counts every request once,
so that the own stages of one request are summed; the round trip to the worker is none of them. What a model may do at
most (sequences, blocks, context) is the worker's and stands on this page only.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric, Operand
from perfconsole.sources.roles import Roles, program

_P = "dynamo_frontend_"
_OLD = "nv_llm_http_service_"
_REQUESTS = f"{_P}requests_total"
_ACTIVE = f"{_P}active_requests"
"""There from the first request on, in the releases that count refusals."""
_FAILED = (("status", "error"),)
_NO_FAULT_OF_ITS = (("error_type", "~validation|not_found|cancelled|overload"),)
_STAGE = f"{_P}stage_duration_seconds"
_OWN_STAGES = (("stage", "~preprocess|route|postprocess"),)

METRICS = (
    Metric("gateway.requests", _REQUESTS),
    Metric("gateway.errors", _REQUESTS, where=_FAILED, unless=_NO_FAULT_OF_ITS, optional=True, zero_with=_REQUESTS),
    Metric("gateway.rate_limited", f"{_P}model_rejection_total", zero_with=_ACTIVE),
    Metric(
        "gateway.rate_limited",
        _REQUESTS,
        where=(("error_type", "overload"),),
        optional=True,
    ),
    Metric("gateway.retries", f"{_P}model_migration_total", zero_with=f"{_P}tokenizer_latency_ms_count"),
    Metric("gateway.client_gone", f"{_P}model_cancellation_total", optional=True),
    Metric("gateway.client_gone", f"{_P}disconnected_clients"),
    Metric("gateway.client_gone", f"{_P}client_disconnects", optional=True),
    Metric("gateway.client_gone", _REQUESTS, where=(("error_type", "cancelled"),), optional=True),
    Metric("gateway.inflight", f"{_P}inflight_requests"),
    Metric("gateway.inflight", _ACTIVE, optional=True),
    Metric("gateway.inflight", f"{_P}inflight_requests_total", optional=True),
    Metric("gateway.queue_depth", f"{_P}router_queue_pending_requests", optional=True),
    Metric("gateway.queue_depth", f"{_P}queued_requests"),
    Metric("gateway.queue_depth", f"{_P}queued_requests_total", optional=True),
    Metric(
        "gateway.queue_depth", f"{_P}stage_requests", where=(("stage", "~preprocess|route|dispatch"),), optional=True
    ),
    Metric("gateway.latency", f"{_P}request_duration_seconds"),
    Metric("gateway.ttft", f"{_P}time_to_first_token_seconds"),
    Metric("gateway.itl", f"{_P}inter_token_latency_seconds"),
    Metric("gateway.tokens_in", f"{_P}input_sequence_tokens_sum"),
    Metric("gateway.tokens_out", f"{_P}output_tokens_total"),
    Metric("gateway.tokens_out", f"{_P}output_sequence_tokens_sum"),
    Metric(
        "gateway.overhead",
        f"{_STAGE}_sum",
        where=_OWN_STAGES,
        count=Operand(f"{_STAGE}_count", (("stage", "preprocess"),)),
        optional=True,
    ),
    Metric("gateway.overhead", "dynamo_router_overhead_total_ms", scale=1e-3, optional=True),
    Metric("gateway.upstream_healthy", f"{_P}model_ready", optional=True),
    Metric("gateway.loop_delay", f"{_P}event_loop_delay_seconds", optional=True),
    Metric("gateway.requests", f"{_OLD}requests_total", optional=True),
    Metric("gateway.errors", f"{_OLD}requests_total", where=_FAILED, optional=True, zero_with=f"{_OLD}requests_total"),
    Metric("gateway.inflight", f"{_OLD}inflight_requests", optional=True),
    Metric("gateway.latency", f"{_OLD}request_duration_seconds", optional=True),
    Metric("gateway.ttft", f"{_OLD}time_to_first_token_seconds", optional=True),
    Metric("gateway.itl", f"{_OLD}inter_token_latency_seconds", optional=True),
    Metric("gateway.tokens_in", f"{_OLD}input_sequence_tokens_sum", optional=True),
    Metric("gateway.tokens_out", f"{_OLD}output_sequence_tokens_sum", optional=True),
)

ADAPTER = Adapter(
    name="dynamo",
    title="Dynamo frontend",
    prefixes=(_P, _OLD),
    health_path="/live",
    metrics=METRICS,
    processes=Roles(launcher=(program(r"dynamo\.frontend\b"), program(r"dynamo-run\s+(?:.*\s)?in=http\b"))),
    port_flags=("--http-port",),
    default_port=8000,
)
