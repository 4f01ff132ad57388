"""APISIX 2.0 to 3.18: the page of its Prometheus plugin, at a port and a path of its own.

Traps kept in mind: all times are milliseconds, and one histogram holds three kinds of them, told apart by `type`; from
3.0 on the page is built anew every 15 s only; http_requests_total is typed as a gauge and counts all that nginx was
asked, polls and the admin interface among it: it is taken only where requests by status are not there; connections that
wait idle are none of those that are held, and the look for them is one that is written. Requests stand there by code,
route, consumer and node, and are summed; one without a node was answered by APISIX itself, unless its labels were made
empty (`disabled_labels`, 3.18): then the source of the answer tells it. A node is an address without a port, or the
name of an instance of a model. Counts of tokens have no `_total`, and their distributions stand beside them. The times
of models are those to the first token, and of an answer that is no stream all of it; from 3.18 on a type tells these
apart. Health is there only with active or passive checks. The beginning of all names can be changed in its
configuration: it is not known then.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.roles import Roles, program

_MS = 1e-3
_REQUESTS = "apisix_http_status"
_TIMES = "apisix_http_latency"
_LLM_TIMES = "apisix_llm_latency"
_CODES = (("gateway.errors", "~5.."), ("gateway.rate_limited", "429"), ("gateway.client_gone", "499"))

METRICS = (
    Metric("gateway.requests", _REQUESTS, optional=True),
    Metric("gateway.requests", "apisix_http_requests_total", since="2.9"),
    *(Metric(name, _REQUESTS, where=(("code", code),), zero_with=_REQUESTS) for name, code in _CODES),
    Metric("gateway.inflight", "apisix_llm_active_connections", since="3.14", optional=True),
    Metric("gateway.inflight", "apisix_nginx_http_current_connections", where=(("state", "writing"),), offset=-1.0),
    Metric("gateway.latency", _TIMES, where=(("type", "request"),), scale=_MS),
    Metric("gateway.upstream_latency", _TIMES, where=(("type", "upstream"),), scale=_MS),
    Metric("gateway.overhead", _TIMES, where=(("type", "apisix"),), scale=_MS),
    Metric("gateway.ttft", _LLM_TIMES, where=(("type", "ttft"),), scale=_MS, since="3.18", optional=True),
    Metric(
        "gateway.ttft",
        _LLM_TIMES,
        where=(("request_type", "ai_stream"),),
        unless=(("type", "~.*"),),
        scale=_MS,
        since="3.14",
        until="3.18",
        optional=True,
    ),
    Metric("gateway.tokens_in", "apisix_llm_prompt_tokens", since="3.14", optional=True),
    Metric("gateway.tokens_out", "apisix_llm_completion_tokens", since="3.14", optional=True),
    Metric(
        "gateway.upstream_requests",
        _REQUESTS,
        unless=(("node", ""),),
        upstream="node",
        pool=("route",),
        zero_with=_REQUESTS,
    ),
    Metric(
        "gateway.upstream_requests", _REQUESTS, where=(("response_source", "upstream"),), since="3.18", optional=True
    ),
    Metric("gateway.upstream_healthy", "apisix_upstream_status", upstream="ip", since="3.4", optional=True),
)

ADAPTER = Adapter(
    name="apisix",
    title="APISIX",
    prefixes=("apisix_",),
    metrics_path="/apisix/prometheus/metrics",
    health_path="/apisix/prometheus/metrics",  # its port of requests passes everything on
    metrics=METRICS,
    processes=Roles(
        launcher=(
            r"^nginx: master process\b.*\s-p\s+\S*apisix\S*",
            program(r"(?:openresty|nginx)\s(?=.*-p\s+\S*apisix)"),
        )
    ),
    page_port=9091,
    port_flags=(),
    default_port=9080,
    proxy=True,
    config="apisix",
    config_flags=(),
    config_files=("/usr/local/apisix/conf/config.yaml",),
)
