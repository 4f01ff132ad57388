"""Traefik 1.7 to 3.x: its page at the entry point `traefik` (port 8080), or at the one that somebody named for it.

Traps kept in mind: entry points that serve the page, the dashboard or the ping count the polls of it, as does Traefik
Mesh's `readiness`; its own services end in `@internal`. Labels of entry points may be switched off: then services,
then routers count the requests, and only then, as a service counts each attempt of one that is tried again, with its
502. A request that no router takes counts at the entry point only (404). Each count ends with its request, and there
is no series before the first one. Buckets end at 5 s by default, so that quantiles of long answers are at least that.
Open connections are requests on their way up to 2.x, and TCP connections, idle ones too, from 3.0 on. A caller who left
has the status 499. Servers are up or down only where a health check is set. Labels may hold headers, which are dropped.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric, Pairs
from perfconsole.sources.roles import Roles, program

_ENTRY = "traefik_entrypoint_requests_total"
_SERVICE = "traefik_service_requests_total"
_ROUTER = "traefik_router_requests_total"
_BACKEND = "traefik_backend_requests_total"
_OWN_DOORS = (
    ("entrypoint", r"~(?i:traefik|(?:.*[-_.])?(?:metrics?|prometheus|ping|dashboard|readiness|healthz?)(?:[-_.].*)?)"),
)
_OWN_SERVICES = (("service", "~.*@internal|readiness@.*"),)
_COUNTS: tuple[tuple[str, Pairs, tuple[str, ...]], ...] = (
    (_ENTRY, _OWN_DOORS, ()),
    (_SERVICE, _OWN_SERVICES, (_ENTRY,)),
    (_ROUTER, _OWN_SERVICES, (_ENTRY, _SERVICE)),
)
"""What counts requests, best first: it, what of it is Traefik's own, and what it stands in for."""

METRICS = (
    *(
        Metric("gateway.requests", name, unless=own, instead_of=better, optional=better != ())
        for name, own, better in _COUNTS
    ),
    *(
        Metric(
            indicator,
            name,
            where=(("code", code),),
            unless=own,
            zero_with=name,
            instead_of=better,
            optional=better != (),
        )
        for indicator, code in (
            ("gateway.errors", "~5.."),
            ("gateway.rate_limited", "429"),
            ("gateway.client_gone", "499"),
        )
        for name, own, better in _COUNTS
    ),
    Metric("gateway.latency", "traefik_entrypoint_request_duration_seconds", unless=_OWN_DOORS),
    Metric("gateway.latency", "traefik_service_request_duration_seconds", unless=_OWN_SERVICES),
    Metric("gateway.latency", "traefik_router_request_duration_seconds", unless=_OWN_SERVICES, optional=True),
    Metric("gateway.upstream_latency", "traefik_service_request_duration_seconds", unless=_OWN_SERVICES),
    Metric("gateway.upstream_latency", "traefik_backend_request_duration_seconds", until="2.0", optional=True),
    Metric("gateway.inflight", "traefik_open_connections", unless=_OWN_DOORS, since="3.0"),
    Metric("gateway.inflight", "traefik_entrypoint_open_connections", unless=_OWN_DOORS, until="3.0", optional=True),
    *(
        Metric(
            "gateway.inflight",
            f"traefik_{part}_open_connections",
            unless=_OWN_SERVICES,
            until="3.0",
            instead_of=("traefik_entrypoint_open_connections",),
            optional=True,
        )
        for part in ("service", "router")
    ),
    Metric("gateway.upstream_requests", _SERVICE, unless=_OWN_SERVICES, upstream="service", pool=("service",)),
    Metric("gateway.upstream_requests", _BACKEND, upstream="backend", pool=("backend",), until="2.0", optional=True),
    Metric("gateway.retries", "traefik_service_retries_total", zero_with=_SERVICE, optional=True),
    Metric("gateway.retries", "traefik_backend_retries_total", zero_with=_BACKEND, until="2.0", optional=True),
    Metric("gateway.upstream_healthy", "traefik_service_server_up", upstream="url", optional=True),
    Metric("gateway.upstream_healthy", "traefik_backend_server_up", upstream="url", until="2.0", optional=True),
)

ADAPTER = Adapter(
    name="traefik",
    title="Traefik",
    prefixes=("traefik_",),
    health_path="/metrics",  # the page itself: the ping is off by default, and other routes may lead upstream
    started=("process_start_time_seconds",),
    moving=("process_cpu_seconds_total",),
    metrics=METRICS,
    processes=Roles(launcher=(program(r"traefik(?:\s+-|\s*$)"),)),
    page_port=8080,
    port_flags=(),
    default_port=80,
    upstream_labels=("url",),
    proxy=True,
    config="traefik",
    config_flags=("--configfile", "--configFile", "-c"),
    config_files=(
        "/etc/traefik/traefik.yml",
        "/etc/traefik/traefik.yaml",
        "/etc/traefik/traefik.toml",
    ),
)
