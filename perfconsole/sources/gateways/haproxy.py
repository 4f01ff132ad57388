"""HAProxy 2.0 to 3.x: the page of its own exporter (promex), and that of the older haproxy_exporter.

Traps kept in mind: the frontend that serves the page counts every poll of it, so frontends named after a page,
statistics or monitoring do not count; a page on the frontend of the clients does. Averages are of the last 512 requests
whatever their HELP says, stay as they were while nothing comes, and begin at 0: after N requests they state 1 -
(511/512)^N of the truth (97 requests of 2.9 s: 0.51 s), which is nearly all of it after 2,000. Response time ends with
the headers. Sessions of a frontend are connections, those that wait for a next request too: what is held stands in the
backends, their queues included. A stream that its server cuts off has its good status already and is counted as an
abort only. A repeated attempt at the same server is a retry, one at another server a redispatch, never both. Servers in
maintenance are left out: templates keep empty places so. Up to 2.3 the status of a server is a number and has no state,
and those that drain or stop are left out too. Server names are unique in one backend only. In TCP mode no requests are
counted.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric, Operand
from perfconsole.sources.roles import Roles, program

_OWN = r"~(?i:(?:.*[-_.:])?(?:prom|promex|prometheus|stats?|metrics?|monitor(?:ing)?|exporter|healthz?)(?:[-_.:].*)?)"
"""Frontends that serve a page about HAProxy and no client."""
_PAGES = (("proxy", _OWN), ("frontend", _OWN))
"""The older exporter has another name for the label."""
_ANY_STATE = (("state", "~.*"),)
_FILLED = Operand("haproxy_backend_http_responses_total")
_SAMPLES = 2000.0
"""Answers from which an average of the last 512 that began at 0 is 98 % of the truth."""
_IN_SERVICE = Operand("haproxy_server_status", (("state", "~UP|DOWN|DRAIN|NOLB"),))

METRICS = (
    Metric("gateway.requests", "haproxy_frontend_http_requests_total", unless=_PAGES),
    Metric(
        "gateway.errors",
        "haproxy_frontend_http_responses_total",
        where=(("code", "5xx"),),
        unless=_PAGES,
        tag=(("part", "answered"),),
    ),
    Metric("gateway.errors", "haproxy_backend_server_aborts_total", tag=(("part", "cut_off"),)),
    Metric("gateway.rate_limited", "haproxy_frontend_requests_denied_total", unless=_PAGES),
    Metric("gateway.client_gone", "haproxy_backend_client_aborts_total"),
    Metric("gateway.retries", "haproxy_backend_retry_warnings_total", tag=(("part", "same_server"),)),
    Metric("gateway.retries", "haproxy_backend_redispatch_warnings_total", tag=(("part", "other_server"),)),
    Metric("gateway.inflight", "haproxy_backend_current_sessions"),
    Metric("gateway.inflight", "haproxy_frontend_current_sessions", unless=_PAGES),
    Metric("gateway.queue_depth", "haproxy_backend_current_queue", tag=(("part", "backend"),)),
    Metric("gateway.queue_depth", "haproxy_server_current_queue", tag=(("part", "server"),)),
    *(
        Metric(
            f"gateway.{noun}.mean",
            f"haproxy_backend_{form}{what}_time_average_seconds",
            ripe=_FILLED,
            ripe_at=_SAMPLES,
            optional=form != "",
        )
        for noun, what in (
            ("latency", "total"),
            ("queue_time", "queue"),
            ("connect_time", "connect"),
            ("upstream_latency", "response"),
        )
        for form in ("", "http_")  # of the older exporter
    ),
    Metric("gateway.upstream_requests", "haproxy_server_sessions_total", upstream="server", pool=("proxy", "backend")),
    Metric(
        "gateway.upstream_healthy",
        "haproxy_server_status",
        where=(("state", "UP"),),
        over=_IN_SERVICE,
        upstream="server",
        since="2.4",
    ),
    Metric(
        "gateway.upstream_healthy",
        "haproxy_server_status",
        unless=_ANY_STATE,
        most=1.0,
        upstream="server",
        until="2.4",
        optional=True,
    ),
    Metric("gateway.upstream_healthy", "haproxy_server_up", upstream="server", optional=True),
    *(  # pages that leave servers out (`scope=backend`) still have their number in each state
        Metric(
            "gateway.upstream_healthy",
            name,
            where=(("state", "UP"),),
            over=Operand(name, _IN_SERVICE.where),
            upstream="proxy",
            optional=True,
        )
        for name in ("haproxy_backend_agg_server_status", "haproxy_backend_agg_server_check_status")
    ),
    Metric("gateway.saturation", "haproxy_process_idle_time_percent", scale=-0.01, offset=1.0),
)

ADAPTER = Adapter(
    name="haproxy",
    title="HAProxy",
    prefixes=("haproxy_process_", "haproxy_frontend_", "haproxy_backend_", "haproxy_server_"),
    health_path="/metrics",  # the page itself: every other route may lead upstream
    started=("haproxy_process_start_time_seconds",),
    moving=("haproxy_process_requests_total", "haproxy_process_uptime_seconds"),
    metrics=METRICS,
    processes=Roles(launcher=(program(r"haproxy(?:-systemd-wrapper)?(?:\s+-|\s*$)"),)),
    pages=("/prometheus", "/haproxy/metrics"),
    port_flags=(),
    proxy=True,
    config="haproxy",
    config_flags=("-f",),
    config_files=("/etc/haproxy/haproxy.cfg", "/usr/local/etc/haproxy/haproxy.cfg"),
)
