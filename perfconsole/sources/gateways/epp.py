"""Endpoint picker of llm-d and of the Gateway API inference extension 0.3 to 1.5, llm-d router 0.9 and 0.10.

Traps kept in mind: its page often wants a token, and no series is there before its first event; the names have moved
from `inference_model_` to `inference_objective_` (1.1), and to `llm_d_epp_` in 0.9, which writes the old ones beside
them: of each only the newest counts; requests are counted once they have an endpoint, errors at any time, those of the
caller among them; ready pods are a number of those that are ready, and what is not ready is not counted: it says that
there are some, or none; a pool that is more than full says so with numbers above 1, and counts as full; the size of a
prompt and of an answer are histograms of tokens, whose sums are what is counted; a first token is that of a stream
where the page tells one. It sends nothing itself: a pick is what the proxy in front of it then calls. What it says of
its engines they say better themselves.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.roles import Roles, program

_OBJECTIVES = ("llm_d_epp_", "llm_d_router_epp_", "inference_objective_", "inference_model_")
"""Beginnings of names of requests, newest first."""
_EXTENSIONS = ("llm_d_epp_", "llm_d_router_epp_", "inference_extension_")
_LIMIT = "~.*ResourceExhausted|429"
_CALLERS_FAULT = ("error_code", f"{_LIMIT}|BadRequest|Unauthorized|Forbidden|NotFound|4[0-9][0-9]")
_RUNNING = (
    "llm_d_epp_request_running",
    "llm_d_router_epp_running_requests",
    "inference_objective_running_requests",
    "inference_model_running_requests",
)
_INPUT = (
    "llm_d_epp_request_input_tokens_sum",
    "llm_d_router_epp_input_tokens_sum",
    "inference_objective_input_tokens_sum",
    "inference_model_input_tokens_sum",
)
_OUTPUT = (
    "llm_d_epp_request_output_tokens_sum",
    "llm_d_router_epp_output_tokens_sum",
    "inference_objective_output_tokens_sum",
    "inference_model_output_tokens_sum",
)
_SIZES = ("llm_d_epp_response_size_bytes", "inference_objective_response_sizes", "inference_model_response_sizes")
_READY = ("llm_d_epp_ready_endpoints", "llm_d_router_epp_ready_endpoints", "inference_pool_ready_pods")
_PICKED = (
    ("llm_d_epp_scheduler_attempts_total", "endpoint_name"),
    ("llm_d_router_epp_scheduler_attempts_total", "endpoint_name"),
    ("inference_extension_scheduler_attempts_total", "pod_name"),
)
_WAITED = "flow_control_request_queue_duration_seconds"

METRICS = (
    *(Metric("gateway.requests", f"{p}request_total", optional=True) for p in _OBJECTIVES),
    *(
        Metric("gateway.errors", f"{p}request_error_total", unless=(_CALLERS_FAULT,), zero_with=f"{p}request_total")
        for p in _OBJECTIVES
    ),
    *(
        Metric(
            "gateway.rate_limited",
            f"{p}request_error_total",
            where=(("error_code", _LIMIT),),
            zero_with=f"{p}request_total",
        )
        for p in _OBJECTIVES
    ),
    *(
        Metric(
            "gateway.client_gone",
            f"{p}{_WAITED}_count",
            where=(("outcome", "EvictedContextCancelled"),),
            zero_with=f"{p}{_WAITED}_count",
        )
        for p in _EXTENSIONS
    ),
    *(Metric("gateway.inflight", name, optional=True) for name in _RUNNING),
    *(Metric("gateway.queue_depth", f"{p}flow_control_queue_size", optional=True) for p in _EXTENSIONS),
    *(Metric("gateway.queue_time", f"{p}{_WAITED}", optional=True) for p in _EXTENSIONS),
    *(Metric("gateway.latency", f"{p}request_duration_seconds", optional=True) for p in _OBJECTIVES),
    *(
        Metric("gateway.ttft", f"{p}request_ttft_seconds", unless=(("streaming", "false"),), optional=True)
        for p in _OBJECTIVES
    ),
    Metric("gateway.itl", "llm_d_epp_request_streaming_itl_seconds", optional=True),
    *(Metric("gateway.overhead", f"{p}scheduler_e2e_duration_seconds", optional=True) for p in _EXTENSIONS),
    *(Metric("gateway.tokens_in", name, optional=True) for name in _INPUT),
    *(Metric("gateway.tokens_out", name, optional=True) for name in _OUTPUT),
    *(Metric("gateway.response_size", name, optional=True) for name in _SIZES),
    *(
        Metric("gateway.upstream_requests", name, where=(("status", "success"),), upstream=label, optional=True)
        for name, label in _PICKED
    ),
    *(Metric("gateway.upstream_healthy", name, ceiling=1.0, optional=True) for name in _READY),
    *(
        Metric("gateway.saturation", f"{p}flow_control_pool_saturation", ceiling=1.0, optional=True)
        for p in _EXTENSIONS
    ),
)

ADAPTER = Adapter(
    name="epp",
    title="inference endpoint picker",
    prefixes=(
        "llm_d_epp_",
        "llm_d_router_epp_",
        "inference_objective_",
        "inference_model_",
        "inference_pool_",
        "inference_extension_",
    ),
    health_path="/metrics",  # its ports of requests and of health speak gRPC
    started=("process_start_time_seconds",),
    moving=("process_cpu_seconds_total",),
    metrics=METRICS,
    processes=Roles(
        launcher=(
            program(
                r"epp(?=\s.*?--?(?:pool-?[Nn]ame|grpc-?[Pp]ort|grpc-?[Hh]ealth|config-?(?:[Ff]ile|[Tt]ext)|"
                r"endpoint-selector|metrics-?[Pp]ort|metrics-endpoint-auth)\b)"
            ),
        )
    ),
    port_flags=("--metrics-port", "-metrics-port", "--metricsPort", "-metricsPort"),
    default_port=9090,
)
