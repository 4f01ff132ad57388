"""Envoy 1.18 to 1.40, the proxies of Envoy Gateway, Istio and Contour among them: /stats/prometheus of its admin port.

Traps kept in mind: times are milliseconds, and their histograms move every 5 s only (`stats_flush_interval`) where
counters move at once; a histogram is not there before its first flush with something in it. The admin port counts the
polls of its own page, as do listeners that serve it to others. Clusters of the control plane, of traces and of rate
limits are no upstreams of models. Counts of a listener, of `external` and of `canary` requests repeat those that are
read here. Refusals by a full breaker are 503 too, so they are errors and refusals; from 1.38 on those of active
requests have a counter of their own. Without health checks a dead host stays healthy. A stream that the upstream cuts
off has its good status already, and counts of resets hold both sides' and our own: no error is read from them, and as
gone counts a client whose connection ended during a request, over HTTP/2 once for all of its streams. Istio calls
labels otherwise (`cluster_name`, `http_conn_manager_prefix`, the class as `5xx`) and leaves most of Envoy's own names
out: then `istio_requests_total` counts, each request once at a gateway. Other gateways are built on Envoy and have its
series beside their own, so that they are asked first.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric, Operand
from perfconsole.sources.roles import Roles, program

_CLUSTERS = ("envoy_cluster_name", "cluster_name")
"""As Envoy calls it, and as Istio does."""
_HOST = "envoy_endpoint_address"
_DOOR = r"~(?i:agent|(?:.*[-_.])?(?:admin|stats|ready|readiness|prometheus|metrics|healthz?)(?:[-_.].*)?)"
_OWN_DOORS = (("envoy_http_conn_manager_prefix", _DOOR), ("http_conn_manager_prefix", _DOOR))
"""Connection managers that answer those who watch: Envoy's `admin`, `eg-stats-http`, Istio's `agent`."""
_WATCHERS = (
    r"[xals]ds|prometheus|stats|admin|zipkin|jaeger|otel|opentelemetry|als|access[-_]?log|skywalking|datadog|statsd|jwks"
    r"|rate_?limit|ratelimiter|ext[-_]?(?:authz|proc)|contour|consul[-_]dataplane"
)
_OWN = rf"~(?i:agent|sds-grpc|(?:.*[-_./])?(?:{_WATCHERS})(?:[-_./].*)?)"
_OWN_CLUSTERS = tuple((label, _OWN) for label in _CLUSTERS)
"""Clusters that Envoy calls for itself."""
_PER_HOST = "envoy_cluster_endpoint_rq_total"
_ISTIO = "istio_requests_total"
_OPEN = "envoy_cluster_circuit_breakers_default_"
_MS = 1e-3

METRICS = (
    Metric("gateway.requests", "envoy_http_downstream_rq_total", unless=_OWN_DOORS),
    Metric("gateway.requests", _ISTIO, optional=True),
    Metric(
        "gateway.errors",
        "envoy_http_downstream_rq_xx",
        where=(("envoy_response_code_class", "5"),),
        unless=_OWN_DOORS,
        zero_with="envoy_http_downstream_rq_total",
    ),
    Metric(
        "gateway.errors",
        "envoy_http_downstream_rq",
        where=(("response_code_class", "5xx"),),
        unless=_OWN_DOORS,
        optional=True,
    ),
    Metric("gateway.errors", _ISTIO, where=(("response_code", "~5.."),), zero_with=_ISTIO),
    Metric(
        "gateway.rate_limited", _ISTIO, where=(("response_code", "429"),), tag=(("part", "answered"),), optional=True
    ),
    Metric(
        "gateway.rate_limited",
        "envoy_cluster_upstream_rq_pending_overflow",
        unless=_OWN_CLUSTERS,
        tag=(("part", "pending"),),
    ),
    Metric(
        "gateway.rate_limited",
        "envoy_cluster_upstream_rq_active_overflow",
        unless=_OWN_CLUSTERS,
        tag=(("part", "active"),),
        since="1.38",
        optional=True,
    ),
    Metric(
        "gateway.rate_limited",
        "envoy_http_local_rate_limit_enforced",
        tag=(("part", "local_limit"),),
        optional=True,
    ),
    Metric(
        "gateway.rate_limited",
        "envoy_cluster_ratelimit_over_limit",
        tag=(("part", "global_limit"),),
        optional=True,
    ),
    Metric("gateway.retries", "envoy_cluster_upstream_rq_retry", unless=_OWN_CLUSTERS),
    Metric("gateway.client_gone", "envoy_http_downstream_cx_destroy_remote_active_rq", unless=_OWN_DOORS),
    Metric("gateway.client_gone", _ISTIO, where=(("response_flags", "~(?:.*,)?DC(?:,.*)?"),), zero_with=_ISTIO),
    Metric("gateway.inflight", "envoy_http_downstream_rq_active", unless=_OWN_DOORS),
    *(
        Metric(
            "gateway.queue_depth",
            "envoy_cluster_upstream_rq_pending_active",
            where=((label, "~.+"),),
            unless=_OWN_CLUSTERS,
            upstream=label,
        )
        for label in _CLUSTERS
    ),
    Metric("gateway.latency", "envoy_http_downstream_rq_time", unless=_OWN_DOORS, scale=_MS),
    Metric("gateway.latency", "istio_request_duration_milliseconds", scale=_MS, optional=True),
    Metric("gateway.upstream_latency", "envoy_cluster_upstream_rq_time", unless=_OWN_CLUSTERS, scale=_MS),
    Metric("gateway.connect_time", "envoy_cluster_upstream_cx_connect_ms", unless=_OWN_CLUSTERS, scale=_MS),
    Metric("gateway.upstream_requests", _PER_HOST, unless=_OWN_CLUSTERS, upstream=_HOST, pool=_CLUSTERS, optional=True),
    *(
        Metric(
            "gateway.upstream_requests",
            "envoy_cluster_upstream_rq_total",
            where=((label, "~.+"),),
            unless=_OWN_CLUSTERS,
            upstream=label,
            pool=(label,),
        )
        for label in _CLUSTERS
    ),
    Metric(
        "gateway.upstream_requests",
        _ISTIO,
        upstream="destination_service",
        pool=("destination_service",),
        optional=True,
    ),
    Metric(
        "gateway.upstream_healthy",
        "envoy_cluster_endpoint_healthy",
        unless=_OWN_CLUSTERS,
        upstream=_HOST,
        optional=True,
    ),
    *(
        Metric(
            "gateway.upstream_healthy",
            "envoy_cluster_membership_healthy",
            where=((label, "~.+"),),
            unless=_OWN_CLUSTERS,
            over=Operand("envoy_cluster_membership_total"),
            upstream=label,
        )
        for label in _CLUSTERS
    ),
    *(
        Metric("gateway.circuit_open", f"{_OPEN}{part}_open", unless=_OWN_CLUSTERS, tag=(("part", part),))
        for part in ("cx", "rq", "rq_pending", "rq_retry")
    ),
)

ADAPTER = Adapter(
    name="envoy",
    title="Envoy",
    prefixes=("envoy_",),
    metrics_path="/stats/prometheus",
    health_path="/stats/prometheus",  # the page itself: at the port of requests every route may lead upstream
    moving=("envoy_server_uptime",),
    metrics=METRICS,
    processes=Roles(launcher=(program(r"envoy(?:-static|-contrib)?(?:\s+-|\s*$)"),)),
    generic=True,
    page_port=9901,
    port_flags=(),
    default_port=10000,
    proxy=True,
    config="envoy",
    config_flags=("-c", "--config-path"),
    config_files=("/etc/envoy/envoy.yaml",),
)
