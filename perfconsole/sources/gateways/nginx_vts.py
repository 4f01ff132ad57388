"""nginx with nginx-module-vts 0.1.17 to 0.2.x: the Prometheus form of its page of virtual hosts.

Traps kept in mind: each host has its rows and the host `*` their sum, which has no histogram; up to 0.1.18 the code
`total` is the sum of the classes; filters count the same requests once more; the page's own polls count as requests
unless `vhost_traffic_status_bypass_stats` is on, which the page does not say, so that they are left in. Times that are
called an average move with the last requests, so the sums are taken; histograms are there only with
`vhost_traffic_status_histogram_buckets`. Single status codes (429, and 499 for callers who left) are counted from 0.2.5
on and only with `vhost_traffic_status_measure_status_codes`; their classes hold them too. A call that was passed on to
a next upstream counts for each. A backend is a place, and `::nogroups` holds those that stand in no upstream block.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric, Operand
from perfconsole.sources.roles import Roles

_REQUESTS = "nginx_vts_server_requests_total"
_UPSTREAM = "nginx_vts_upstream_requests_total"
_CODES = "nginx_vts_status_code_requests_total"
_SUM = (("host", "*"),)
_CLASSES = (("code", "~[1-5]xx"),)
_MAIN = "nginx_vts_main_connections"

METRICS = (
    Metric("gateway.requests", _REQUESTS, where=(*_SUM, *_CLASSES)),
    Metric("gateway.requests", _MAIN, where=(("status", "requests"),)),
    Metric("gateway.errors", _REQUESTS, where=(*_SUM, ("code", "5xx"))),
    Metric("gateway.rate_limited", _CODES, where=(*_SUM, ("code", "429")), since="0.2.5", optional=True),
    Metric("gateway.client_gone", _CODES, where=(*_SUM, ("code", "499")), since="0.2.5", optional=True),
    Metric("gateway.inflight", _MAIN, where=(("status", "writing"),), offset=-1.0),
    Metric("gateway.latency", "nginx_vts_server_request_duration_seconds", unless=_SUM, since="0.1.17", optional=True),
    Metric(
        "gateway.latency",
        "nginx_vts_server_request_seconds_total",
        where=_SUM,
        count=Operand(_REQUESTS, (*_SUM, *_CLASSES)),
    ),
    Metric("gateway.upstream_latency", "nginx_vts_upstream_response_duration_seconds", since="0.1.17", optional=True),
    Metric("gateway.upstream_latency", "nginx_vts_upstream_response_seconds_total", count=Operand(_UPSTREAM, _CLASSES)),
    Metric("gateway.upstream_requests", _UPSTREAM, where=_CLASSES, upstream="backend", pool=("upstream",)),
)

ADAPTER = Adapter(
    name="nginx-vts",
    title="nginx with vts",
    prefixes=("nginx_vts_",),
    metrics_path="/status/format/prometheus",
    health_path="/status/format/prometheus",  # the page itself: every other route may lead upstream
    metrics=METRICS,
    processes=Roles(),
    pages=("/vts_status/format/prometheus", "/vts/format/prometheus"),
    port_flags=(),
    default_port=80,
    proxy=True,
)
