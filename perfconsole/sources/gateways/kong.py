"""Kong 2.1 to 3.9: the page of its Prometheus plugin, which the status and the admin listener serve.

Traps kept in mind: all times are milliseconds; of the seven groups only connections and the count of nginx are there
without switches of the plugin (`status_code_metrics`, `latency_metrics`, `upstream_health_metrics`, `ai_metrics`, from
3.0 on); nginx_connections_total and nginx_requests_total are typed as gauges, and the latter counts all that nginx was
asked, polls of this page and of the admin listener among it: it is taken only where requests by status are not there,
without the console's own polls; connections that wait idle are none of those that are held, and the poll itself is one
that is written. Requests stand there by consumer, route and status, and are summed. The health of a target is four
series of which one is 1, and a target without health checks counts as healthy. Tokens have a series of their total
beside the two parts. What 2.x called `kong_latency` with three types has three names in 3.x. Only requests with source
`service` went to an upstream.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric, Operand
from perfconsole.sources.roles import Roles, program

_MS = 1e-3
_REQUESTS = "kong_http_requests_total"
_OLD_REQUESTS = "kong_http_status"
_OLD_TIMES = "kong_latency"
_CONNECTIONS = "kong_nginx_connections_total"
_OLD_CONNECTIONS = "kong_nginx_http_current_connections"
_HEALTH = "kong_upstream_target_health"
_HTTP = ("subsystem", "http")
_STREAM = ("subsystem", "stream")
_GOOD = ("state", "~healthy|healthchecks_off")
_TOKENS = "kong_ai_llm_tokens_total"
_CODES = (("gateway.errors", "~5.."), ("gateway.rate_limited", "429"), ("gateway.client_gone", "499"))

METRICS = (
    Metric("gateway.requests", _REQUESTS, since="3.0", optional=True),
    Metric("gateway.requests", _OLD_REQUESTS, until="3.0"),
    Metric("gateway.requests", "kong_nginx_requests_total", unless=(_STREAM,), since="3.0", counts_polls=True),
    Metric("gateway.requests", _OLD_CONNECTIONS, where=(("state", "total"),), until="3.0", counts_polls=True),
    *(Metric(name, _REQUESTS, where=(("code", code),), since="3.0", zero_with=_REQUESTS) for name, code in _CODES),
    *(
        Metric(name, _OLD_REQUESTS, where=(("code", code),), until="3.0", zero_with=_OLD_REQUESTS)
        for name, code in _CODES
    ),
    Metric(
        "gateway.inflight", _CONNECTIONS, where=(("state", "writing"),), unless=(_STREAM,), offset=-1.0, since="3.0"
    ),
    Metric("gateway.inflight", _OLD_CONNECTIONS, where=(("state", "writing"),), offset=-1.0, until="3.0"),
    Metric("gateway.latency", "kong_request_latency_ms", scale=_MS, since="3.0"),
    Metric("gateway.latency", _OLD_TIMES, where=(("type", "request"),), scale=_MS, until="3.0"),
    Metric("gateway.upstream_latency", "kong_upstream_latency_ms", scale=_MS, since="3.0"),
    Metric("gateway.upstream_latency", _OLD_TIMES, where=(("type", "upstream"),), scale=_MS, until="3.0"),
    Metric("gateway.upstream_latency", "kong_ai_llm_provider_latency_ms", scale=_MS, since="3.8", optional=True),
    Metric("gateway.overhead", "kong_kong_latency_ms", scale=_MS, since="3.0"),
    Metric("gateway.overhead", _OLD_TIMES, where=(("type", "kong"),), scale=_MS, until="3.0"),
    Metric("gateway.tokens_in", _TOKENS, where=(("token_type", "prompt_tokens"),), since="3.8", optional=True),
    Metric("gateway.tokens_out", _TOKENS, where=(("token_type", "completion_tokens"),), since="3.8", optional=True),
    Metric(
        "gateway.upstream_requests",
        _REQUESTS,
        where=(("source", "service"),),
        upstream="service",
        pool=("service",),
        since="3.0",
        zero_with=_REQUESTS,
    ),
    Metric(
        "gateway.upstream_requests",
        "kong_upstream_latency_ms_count",
        upstream="service",
        pool=("service",),
        since="3.0",
    ),
    Metric(
        "gateway.upstream_requests",
        f"{_OLD_TIMES}_count",
        where=(("type", "upstream"),),
        upstream="service",
        pool=("service",),
        until="3.0",
    ),
    Metric(
        "gateway.upstream_healthy",
        _HEALTH,
        where=(_GOOD, _HTTP),
        over=Operand(_HEALTH, where=(_HTTP,)),
        upstream="target",
    ),
    Metric("gateway.upstream_healthy", _HEALTH, where=(_GOOD,), over=Operand(_HEALTH), upstream="target"),
)

ADAPTER = Adapter(
    name="kong",
    title="Kong",
    prefixes=("kong_",),
    health_path="/metrics",  # its port of requests passes everything on
    metrics=METRICS,
    processes=Roles(
        launcher=(
            r"^nginx: master process\b.*\s-p\s+\S*kong\S*",
            program(r"nginx\s(?=.*-p\s+\S*kong)"),
        )
    ),
    page_port=8007,
    port_flags=(),
    default_port=8000,
    proxy=True,
    config="kong",
    config_flags=(),
    config_files=("/usr/local/kong/.kong_env", "/etc/kong/kong.conf"),
)
