"""NVIDIA NIM for LLMs 1.0 to 2: bare names at /v1/metrics, at /metrics before, and the names of vLLM in newer ones.

Traps kept in mind: the names have no prefix, and MindIE writes some of them too; the cap on running requests is what
only NIM has. `_perc` is a ratio. Every ended request is in request_finish_total by its reason, the failed ones (any
reason but stop and length) among them. Some images add the cap to a page of vLLM's own names, and may leave out the
bare ones: both are read, the bare ones first.
"""

from __future__ import annotations

from dataclasses import replace

from perfconsole.sources.adapter import Adapter, InfoFact, Metric
from perfconsole.sources.engines import vllm
from perfconsole.sources.roles import Roles, program

_FINISHED = "request_finish_total"
_CORE = (("taken", "core"),)

METRICS = (
    Metric("engine.requests_running", "num_requests_running"),
    Metric("engine.requests_waiting", "num_requests_waiting"),
    Metric("engine.max_num_seqs", "num_request_max"),
    Metric("engine.requests_finished", _FINISHED),
    Metric("engine.requests_finished", "request_success_total"),
    Metric("engine.requests_failed", "request_failure_total", tag=(("seen", "core"),), zero_with=_FINISHED),
    Metric(
        "engine.requests_aborted", _FINISHED, where=(("finished_reason", "abort"),), optional=True, zero_with=_FINISHED
    ),
    Metric("engine.kv_cache_usage", "gpu_cache_usage_perc"),
    Metric("engine.prompt_tokens", "prompt_tokens_total"),
    Metric("engine.generation_tokens", "generation_tokens_total"),
    Metric("engine.ttft", "time_to_first_token_seconds"),
    Metric("engine.itl", "time_per_output_token_seconds", tag=_CORE),
    Metric("engine.e2e", "e2e_request_latency_seconds"),
    Metric("engine.prompt_length", "request_prompt_tokens"),
    Metric("engine.output_length", "request_generation_tokens"),
    *(
        replace(row, since="", until="", optional=True)
        for row in vllm.METRICS
        if row.metric.startswith("vllm:") and not row.indicator.startswith("engine.rank_")
    ),
)

ADAPTER = Adapter(
    name="nim",
    title="NVIDIA NIM",
    prefixes=("num_request", "gpu_cache_usage_perc", "request_finish_total", "vllm:"),
    requires_label="model_name",
    requires_series=("num_request_max",),
    metrics_path="/v1/metrics",
    pages=("/metrics",),
    health_path="/v1/health/ready",
    rank_label="engine",
    started=("process_start_time_seconds",),
    moving=("process_cpu_seconds_total",),
    metrics=METRICS,
    label_facts=vllm.ADAPTER.label_facts,
    label_counts=vllm.ADAPTER.label_counts,
    info_facts=(
        InfoFact("engine.version", "/v1/version", "release"),
        InfoFact("engine.model", "/v1/models", "data.0.id"),
        InfoFact("engine.max_model_len", "/v1/models", "data.0.max_model_len"),
    ),
    processes=Roles(
        launcher=(
            program(r"(?:nim_llm_sdk|nim_llm|vllm_nvext)\.entrypoints\b"),
            program(r"nim_llm(?:_sdk)?(?:/|-|\s)\S*(?:launch|start)"),
        )
    ),
    default_port=8000,
    unexported=("engine.http_inflight",),
)
