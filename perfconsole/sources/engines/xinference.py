"""Xinference 1 to 3: names of its worker's and supervisor's pages; 2.8 renamed what it had.

Traps kept in mind: it runs other engines as models and counts before and after them; a request that is refused at the
limit counts as a request and as an error, and a limit of -1 is none, and then all have none; the duration of a stream
ends where its first part is handed on, so that its mean says little of streams; tokens count when an answer ends;
before 2.8 the first token is a gauge of the last request, in milliseconds, and there is no count of requests. Several
models on one page are summed. GPU figures are of its own kind and are left to the hardware layer. Counters appear at
the first request.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, InfoFact, Metric
from perfconsole.sources.roles import Roles, program

_REQUESTS = "xinference:model_request_total"
_AT_FINISH = (("counted", "at-finish"),)
_NEW = "2.8"

METRICS = (
    Metric("engine.requests_running", "xinference:model_serve_count", since=_NEW),
    Metric("engine.max_num_seqs", "xinference:model_request_limit", summed=True, since=_NEW, optional=True),
    Metric("engine.requests_finished", _REQUESTS, since=_NEW),
    Metric("engine.requests_failed", "xinference:model_request_errors_total", since=_NEW, zero_with=_REQUESTS),
    Metric("engine.e2e", "xinference:model_request_duration_seconds", since=_NEW),
    Metric("engine.ttft", "xinference:time_to_first_token_seconds", since=_NEW),
    Metric("engine.ttft.mean", "xinference:time_to_first_token_ms", scale=1e-3, until="2.8"),
    Metric("engine.prompt_tokens", "xinference:input_tokens_total_counter", tag=_AT_FINISH),
    Metric("engine.generation_tokens", "xinference:generate_tokens_total", tag=_AT_FINISH, since=_NEW),
    Metric("engine.generation_tokens", "xinference:output_tokens_total_counter", tag=_AT_FINISH),
    Metric("engine.uptime", "xinference:supervisor_uptime_seconds", since=_NEW, optional=True),
    Metric("engine.startup_time", "xinference:model_last_load_duration_seconds", since="2.9", optional=True),
)

ADAPTER = Adapter(
    name="xinference",
    title="Xinference",
    prefixes=("xinference:",),
    health_path="/status",
    metrics=METRICS,
    info_facts=(
        InfoFact("engine.version", "/v1/cluster/version", "version"),
        InfoFact("engine.model", "/v1/models", "data.0.id"),
    ),
    processes=Roles(
        launcher=(
            program(r"xinference-(?:local|worker)\b"),
            program(r"xinference\.deploy\.(?:local|worker)\b"),
        )
    ),
    page_flags=("--metrics-exporter-port", "-MEP"),
    port_flags=("--port", "-p"),
    default_port=9997,
    unexported=(
        "engine.http_inflight",
        "engine.kv_cache_capacity",
        "engine.prefix_cache_hit_ratio",
        "engine.spec_accept_ratio",
    ),
)
