"""nginx: its page of stub_status, nginx-prometheus-exporter, and the module for virtual hosts (vts).

Traps kept in mind: stub_status is no Prometheus text and knows no errors, times or upstreams; its count of requests
holds every poll of the page, as does that of vts: of stub_status the console takes its own out from the second one on;
the request that asks for the page is one of those that are being written; its numbers are read one after the other, so
that they need not add up.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.roles import Roles, program

_VTS = "nginx_vts_server_requests_total"
_ALL_HOSTS = (("host", "*"),)

METRICS = (
    Metric("gateway.requests", "nginx_http_requests_total"),
    Metric("gateway.requests", _VTS, where=_ALL_HOSTS, unless=(("code", "total"),), optional=True),
    Metric("gateway.errors", _VTS, where=(*_ALL_HOSTS, ("code", "5xx")), optional=True),
    Metric("gateway.inflight", "nginx_connections_writing", offset=-1.0),
    Metric(
        "gateway.inflight", "nginx_vts_main_connections", where=(("status", "writing"),), offset=-1.0, optional=True
    ),
    Metric("gateway.latency", "nginx_vts_server_request_duration_seconds", where=_ALL_HOSTS, optional=True),
    Metric(
        "gateway.upstream_requests", "nginx_vts_upstream_requests_total", unless=(("code", "total"),), optional=True
    ),
)

ADAPTER = Adapter(
    name="nginx",
    title="nginx",
    prefixes=("nginx_http_requests_total", "nginx_connections_", "nginx_vts_"),
    requires_label="",
    metrics_path="/nginx_status",
    health_path="/nginx_status",  # the page itself: every other route may lead upstream
    version_route="",
    rank_label="",
    started=(),
    moving=(),
    metrics=METRICS,
    unexported=(
        "gateway.circuit_open",
        "gateway.client_gone",
        "gateway.fallbacks",
        "gateway.overhead",
        "gateway.queue_depth",
        "gateway.queue_time",
        "gateway.rate_limited",
        "gateway.retries",
        "gateway.tokens_in",
        "gateway.tokens_out",
        "gateway.ttft",
        "gateway.upstream_healthy",
        "gateway.upstream_latency",
    ),
    processes=Roles(
        frontend=r"^nginx: master process",
        worker=r"^nginx: worker process",
        launcher=(r"^nginx: master process\b", program(r"nginx(?:\s+-|\s*$)")),
    ),
    counts_polls=True,
    converter="stub-status",
    pages=("/stub_status", "/basic_status", "/status", "/status/format/prometheus"),
    port_flags=(),
    default_port=80,
    proxy=True,
    config="nginx",
    config_flags=("-c",),
    config_files=(  # of packages, of builds by hand, and of OpenResty
        "/etc/nginx/nginx.conf",
        "/usr/local/nginx/conf/nginx.conf",
        "/usr/local/openresty/nginx/conf/nginx.conf",
    ),
)
