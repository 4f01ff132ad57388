"""Ray Serve: its proxies and replicas, on the page of a node's metrics agent.

Ray 2.3 to 2.60. A task is a request at a proxy, else one that a deployment has processed. Traps kept in mind: in an
application of several deployments a request counts once in each, and so does its error, so that the proxies' counters
come first; counters got `_total` in later releases; times are in milliseconds; utilisation is in percent; health checks
of the proxy are requests too; where both protocols are served those by gRPC do not count; each node has a page of its
own, with the replicas of that node; the page moves only every ten seconds. vLLM's names behind `ray_vllm_` on the same
page are those of an engine.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric

_S = "ray_serve_"
_CHECKS = (("route", "~/-/.*"),)
_PROTOCOLS = ("http", "grpc")
_BY_HTTP, _BY_GRPC = (tuple(f"{_S}num_{p}_requests{end}" for end in ("_total", "")) for p in _PROTOCOLS)
_FAILED = ("~5..", r"~(?:StatusCode\.)?(?:UNKNOWN|INTERNAL|UNAVAILABLE|DEADLINE_EXCEEDED|DATA_LOSS)")
"""What is no fault of the caller: a status of HTTP, and one of gRPC."""
_MS = 1e-3

METRICS = (
    *(
        Metric("orchestration.requests", f"{_S}num_{p}_requests{end}", unless=_CHECKS, optional=True)
        for p in _PROTOCOLS
        for end in ("_total", "")
    ),
    Metric("orchestration.requests", f"{_S}deployment_request_counter_total", optional=True),
    Metric("orchestration.requests", f"{_S}deployment_request_counter", optional=True),
    *(
        Metric(
            "orchestration.errors",
            f"{_S}num_{p}_error_requests{end}",
            where=(("error_code", failed),),
            unless=_CHECKS,
            zero_with=f"{_S}num_{p}_requests{end}",
            instead_of=_BY_HTTP if p == "grpc" else (),
            optional=True,
        )
        for p, failed in zip(_PROTOCOLS, _FAILED, strict=True)
        for end in ("_total", "")
    ),
    *(
        Metric(
            "orchestration.errors",
            f"{_S}deployment_error_counter{end}",
            unless=_CHECKS,
            zero_with=f"{_S}deployment_request_counter{end}",
            instead_of=(*_BY_HTTP, *_BY_GRPC),
            optional=True,
        )
        for end in ("_total", "")
    ),
    *(
        Metric("orchestration.latency", f"{_S}{name}", unless=_CHECKS, scale=_MS, optional=True)
        for name in ("http_request_latency_ms", "grpc_request_latency_ms", "deployment_processing_latency_ms")
    ),
    *(
        Metric("orchestration.queue_time", f"{_S}{name}", scale=_MS, optional=True)
        for name in ("request_router_fulfillment_time_ms", "deployment_queuing_latency_ms")
    ),
    Metric("orchestration.queue_depth", f"{_S}deployment_queued_queries", optional=True),
    Metric("orchestration.queue_depth", f"{_S}replica_queued_queries", optional=True),
    Metric("orchestration.inflight", f"{_S}num_ongoing_http_requests", optional=True),
    Metric("orchestration.inflight", f"{_S}num_ongoing_grpc_requests", optional=True),
    Metric("orchestration.inflight", f"{_S}replica_processing_queries", optional=True),
    Metric("orchestration.inflight", f"{_S}num_ongoing_requests_at_replicas", optional=True),
    Metric("orchestration.workers", f"{_S}replica_utilization_percent", scale=0.01, optional=True),
    Metric("orchestration.loop_delay", f"{_S}event_loop_scheduling_latency_ms", scale=_MS, optional=True),
)

ADAPTER = Adapter(
    name="ray-serve",
    title="Ray Serve",
    prefixes=(_S,),
    metrics=METRICS,
    unexported=("orchestration.process_cpu",),
    page_port=8080,
    page_flags=("--metrics-export-port",),
)
