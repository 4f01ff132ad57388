"""nginx: its page of stub_status, as it stands or by way of nginx-prometheus-exporter.

Traps kept in mind: stub_status is no Prometheus text and knows no errors, times, limits or upstreams; its count of
requests holds every poll of the page: the console takes its own out from the second one on; the request that asks for
the page is one of those that are being written; its numbers are read one after the other, so that they need not add up;
connections that wait idle for a next request are none of those that are held; connections that it accepted and could
not handle were refused for want of workers' slots, before there was a request. The module for virtual hosts (vts) has a
page of its own, and a table of its own.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.roles import Roles, program

_OTHERS = r"(?!.*-p\s*\S*(?:kong|apisix))"
"""Gateways that are built on it run in a folder of theirs."""

METRICS = (
    Metric("gateway.requests", "nginx_http_requests_total", counts_polls=True),
    Metric("gateway.inflight", "nginx_connections_writing", offset=-1.0),
)

ADAPTER = Adapter(
    name="nginx",
    title="nginx",
    prefixes=("nginx_http_requests_total", "nginx_connections_"),
    metrics_path="/nginx_status",
    health_path="/nginx_status",  # the page itself: every other route may lead upstream
    metrics=METRICS,
    processes=Roles(
        frontend=r"^nginx: master process",
        worker=r"^nginx: worker process",
        launcher=(rf"^nginx: master process\b{_OTHERS}", program(rf"nginx{_OTHERS}(?:\s+-|\s*$)")),
    ),
    converter="stub-status",
    pages=("/stub_status", "/basic_status", "/status"),
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
