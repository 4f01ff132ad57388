"""Higress 1.4 to 2.2: figures of its plugin for models beside those of the Envoy in it, at /stats/prometheus of 15020.

Traps kept in mind: without the plugin ai-statistics its page is that of any Envoy, and is taken for one; the plugin has
sums of milliseconds and counts beside them, which make means and no quantiles; it counts a request once its answer has
told the tokens, so that what failed, and a stream without usage, is not in it: requests are those and the answers from
500 on that Envoy counted. Of Envoy the labels are those of Istio (`cluster_name`, `http_conn_manager_prefix`, the class
as `5xx`), and in other builds Envoy's own. Connection managers `admin`, `agent`, `stats` and the clusters of Istio's
own are not the traffic of models; nor are the polls of this page. Names of 2.0 lack the part `consumer`, those up to
2.0.0 the part `metric` too: there the plugin counts tokens only.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric, Operand
from perfconsole.sources.roles import Roles, program

_MS = 1e-3
_PLUGIN = ("route_upstream_model_consumer_metric_", "route_upstream_model_metric_")
"""Beginnings of the names of the plugin, the newest first."""
_OLDEST = "route_upstream_model_"
"""What came before these has tokens alone."""
_DOOR = "~(?i:agent|.*(?:admin|stats|prometheus|metrics|health|ready).*)"
_OWN_DOORS = (("http_conn_manager_prefix", _DOOR), ("envoy_http_conn_manager_prefix", _DOOR))
_OWN = r"~(?i:agent|.*(?:[xs]ds-grpc|prometheus|zipkin|skywalking|BlackHole|Passthrough|InternalRouter|inbound).*)"
_CLUSTERS = ("cluster_name", "envoy_cluster_name")
_FAILED = (
    ("envoy_http_downstream_rq", ("response_code_class", "5xx")),
    ("envoy_http_downstream_rq_xx", ("envoy_response_code_class", "5")),
)
"""What Istio and what Envoy itself makes of answers from 500 on."""
_ANSWERED = (
    ("envoy_http_downstream_rq", ("response_code_class", "~[1-4]xx")),
    ("envoy_http_downstream_rq_xx", ("envoy_response_code_class", "~[1-4]")),
)
"""And of others, where the plugin counts none."""
_LIMITED = (("envoy_http_downstream_rq", ("response_code", "429")),)
_ALL = "envoy_http_downstream_rq_total"

METRICS = (
    *(Metric("gateway.requests", f"{p}llm_duration_count", tag=(("part", "answered"),)) for p in _PLUGIN),
    *(
        Metric("gateway.requests", name, where=(code,), unless=_OWN_DOORS, tag=(("part", "answered"),), optional=True)
        for name, code in _ANSWERED
    ),
    *(
        Metric("gateway.requests", name, where=(code,), unless=_OWN_DOORS, tag=(("part", "failed"),), zero_with=_ALL)
        for name, code in _FAILED
    ),
    *(Metric("gateway.errors", name, where=(code,), unless=_OWN_DOORS, zero_with=_ALL) for name, code in _FAILED),
    *(Metric("gateway.rate_limited", name, where=(code,), unless=_OWN_DOORS, optional=True) for name, code in _LIMITED),
    *(
        Metric(
            "gateway.rate_limited",
            "envoy_cluster_upstream_rq_pending_overflow",
            where=((c, "~.+"),),
            unless=((c, _OWN),),
        )
        for c in _CLUSTERS
    ),
    *(
        Metric("gateway.retries", "envoy_cluster_upstream_rq_retry", where=((c, "~.+"),), unless=((c, _OWN),))
        for c in _CLUSTERS
    ),
    Metric("gateway.client_gone", "envoy_http_downstream_cx_destroy_remote_active_rq", unless=_OWN_DOORS),
    Metric("gateway.inflight", "envoy_http_downstream_rq_active", unless=_OWN_DOORS),
    *(
        Metric(
            "gateway.queue_depth",
            "envoy_cluster_upstream_rq_pending_active",
            where=((c, "~.+"),),
            unless=((c, _OWN),),
            upstream=c,
        )
        for c in _CLUSTERS
    ),
    *(
        Metric(
            "gateway.latency",
            f"{p}llm_service_duration",
            count=Operand(f"{p}llm_duration_count"),
            scale=_MS,
            optional=True,
        )
        for p in _PLUGIN
    ),
    Metric("gateway.latency", "envoy_http_downstream_rq_time", unless=_OWN_DOORS, scale=_MS),
    *(
        Metric(
            "gateway.ttft",
            f"{p}llm_first_token_duration",
            count=Operand(f"{p}llm_stream_duration_count"),
            scale=_MS,
            optional=True,
        )
        for p in _PLUGIN
    ),
    *(
        Metric(
            "gateway.upstream_latency",
            "envoy_cluster_upstream_rq_time",
            where=((c, "~.+"),),
            unless=((c, _OWN),),
            scale=_MS,
        )
        for c in _CLUSTERS
    ),
    *(
        Metric(
            "gateway.connect_time",
            "envoy_cluster_upstream_cx_connect_ms",
            where=((c, "~.+"),),
            unless=((c, _OWN),),
            scale=_MS,
            optional=True,
        )
        for c in _CLUSTERS
    ),
    *(Metric("gateway.tokens_in", f"{p}input_token") for p in _PLUGIN),
    Metric("gateway.tokens_in", f"{_OLDEST}input_token", optional=True),
    *(Metric("gateway.tokens_out", f"{p}output_token") for p in _PLUGIN),
    Metric("gateway.tokens_out", f"{_OLDEST}output_token", optional=True),
    *(
        Metric(
            "gateway.upstream_requests",
            "envoy_cluster_upstream_rq_total",
            where=((c, "~.+"),),
            unless=((c, _OWN),),
            upstream=c,
            pool=(c,),
        )
        for c in _CLUSTERS
    ),
    *(
        Metric("gateway.upstream_requests", f"{p}llm_duration_count", upstream="ai_cluster", pool=("ai_cluster",))
        for p in _PLUGIN
    ),
    *(
        Metric(
            "gateway.upstream_healthy",
            "envoy_cluster_membership_healthy",
            where=((c, "~.+"),),
            unless=((c, _OWN),),
            over=Operand("envoy_cluster_membership_total"),
            upstream=c,
        )
        for c in _CLUSTERS
    ),
    *(
        Metric(
            "gateway.circuit_open",
            "envoy_cluster_circuit_breakers_default_rq_open",
            where=((c, "~.+"),),
            unless=((c, _OWN),),
            upstream=c,
        )
        for c in _CLUSTERS
    ),
)

ADAPTER = Adapter(
    name="higress",
    title="Higress",
    prefixes=(*_PLUGIN, f"{_OLDEST}input_token", f"{_OLDEST}output_token"),
    metrics_path="/stats/prometheus",
    health_path="/stats/prometheus",  # its port of requests passes everything on
    metrics=METRICS,
    processes=Roles(
        launcher=(
            program(r"pilot-agent\s+proxy\s+router\s(?=.*higress)"),
            program(r"envoy\s(?=.*higress)"),
        )
    ),
    page_port=15020,
    port_flags=(),
    default_port=80,
    proxy=True,
)
