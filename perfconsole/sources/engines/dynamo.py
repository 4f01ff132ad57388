"""NVIDIA Dynamo 0.4 to 1.6, a worker: its own names on the system port, and those of the engine that it runs.

Traps kept in mind: the port is off by default (DYN_SYSTEM_PORT). Names of vLLM, SGLang and TensorRT-LLM pass through
with labels of Dynamo added; 0.7 writes `trtllm:` where later ones write `trtllm_`. Of what both count, requests and
their whole time are Dynamo's, for it knows every engine alike; what runs and waits is the engine's where that says it,
for Dynamo's own count has those that wait in it. A worker also answers questions of the router (`load_metrics`,
`clear_kv_blocks`, the queries of its KV index): only `generate` counts. `_percent` is a ratio. Errors and cancellations
are among the requests. A caller that left is an error too, as an answer that could not be handed on: that is no failure
of the engine, and before 0.9, which counts no cancellations, it is all that tells of it. The size of a block stands on
the page of the frontend, so that the blocks here make no capacity. The router's own counts
(`dynamo_component_router_*`) stand on pages of frontends: such a page is no worker's.
"""

from __future__ import annotations

from dataclasses import replace

from perfconsole.sources.adapter import Adapter, Flag, Metric
from perfconsole.sources.engines import sglang, trtllm, vllm
from perfconsole.sources.roles import Roles, program

_REQUESTS = "dynamo_component_requests_total"
_RUNNING = "dynamo_component_inflight_requests"
_RUNNING_BEFORE = "dynamo_component_concurrent_requests"
"""Its first name, in 0.4."""
_ERRORS = "dynamo_component_errors_total"
_CANCELLED = "dynamo_component_cancellation_total"
_TOOK = "dynamo_component_request_duration_seconds"
_AT_WORK = (("seen", "worker"),)
_PAGE = (("seen", "page"),)
_GENERATE = (("dynamo_endpoint", "generate"),)
_OTHERS = tuple(
    (label, r"~clear_kv_blocks|load_metrics|worker_kv_indexer_query.*|.*_lora.*")
    for label in ("dynamo_endpoint", "endpoint")
)
_LEFT = ("error_type", "~publish_response|publish_final")
"""The answer could not be handed on: that is where a caller that left shows."""
_ARGV = (("origin", "argv"),)

METRICS = (
    Metric("engine.requests_finished", _REQUESTS, where=_GENERATE),
    Metric("engine.requests_finished", _REQUESTS, unless=_OTHERS),
    Metric("engine.requests_failed", _ERRORS, where=_GENERATE, unless=(_LEFT,), tag=_AT_WORK, zero_with=_REQUESTS),
    Metric("engine.requests_failed", _ERRORS, unless=(*_OTHERS, _LEFT), tag=_AT_WORK, zero_with=_REQUESTS),
    Metric("engine.requests_aborted", _CANCELLED, where=_GENERATE, since="0.9", optional=True),
    Metric("engine.requests_aborted", _ERRORS, where=(_LEFT,), unless=_OTHERS, optional=True),
    Metric("engine.requests_aborted", "trtllm_num_aborted_requests_total", optional=True),
    Metric("engine.e2e", _TOOK, where=_GENERATE),
    Metric("engine.e2e", _TOOK, unless=_OTHERS),
    Metric("engine.http_inflight", _RUNNING, where=_GENERATE, tag=_PAGE),
    Metric("engine.http_inflight", _RUNNING, unless=_OTHERS, tag=_PAGE),
    Metric("engine.http_inflight", _RUNNING_BEFORE, unless=_OTHERS, tag=_PAGE, optional=True),
    Metric("engine.kv_transfer_time", "trtllm_kv_transfer_latency_seconds", optional=True),
    *(
        replace(row, since="", until="", optional=True)
        for row in vllm.METRICS
        if row.metric.startswith("vllm:") and not row.indicator.startswith("engine.rank_")
    ),
    *(replace(row, since="", until="", optional=True) for row in sglang.METRICS),
    *(
        replace(row, zero_with="", since="", until="", optional=True)
        for row in trtllm.METRICS
        if row.metric.startswith("trtllm_")
    ),
    *(
        replace(
            row,
            metric=row.metric.replace("trtllm_", "trtllm:"),
            zero_with="",
            since="",
            until="",
            optional=True,
        )
        for row in trtllm.METRICS
        if row.metric.startswith("trtllm_") and row.times is None and row.over is None
    ),
    Metric("engine.requests_running", _RUNNING, where=_GENERATE),
    Metric("engine.requests_running", _RUNNING, unless=_OTHERS),
    Metric("engine.requests_running", _RUNNING_BEFORE, unless=_OTHERS, optional=True),
    Metric("engine.queue_time", "dynamo_work_handler_permit_wait_seconds", optional=True),
    *(
        Metric(indicator, f"dynamo_component_{name}", optional=True)
        for indicator in ("engine.kv_cache_usage", "engine.rank_kv_cache_usage")
        for name in ("gpu_cache_usage_percent", "kvstats_gpu_cache_usage_percent")
    ),
    *(
        Metric("engine.prefix_cache_hit_ratio", f"dynamo_component_{name}", optional=True)
        for name in ("kv_cache_hit_rate", "kvstats_gpu_prefix_cache_hit_rate")
    ),
    Metric("engine.startup_time", "dynamo_component_model_load_time_seconds", optional=True),
    Metric("engine.uptime", "dynamo_component_uptime_seconds", optional=True),
    Metric("engine.uptime", "dynamo_component_system_uptime_seconds", optional=True),
)

ADAPTER = Adapter(
    name="dynamo",
    title="Dynamo worker",
    prefixes=(
        "dynamo_component_requests_total",
        "dynamo_component_inflight_requests",
        "dynamo_component_request_duration_seconds",
        "dynamo_component_errors_total",
        "dynamo_component_total_blocks",
        "dynamo_component_gpu_cache_usage_percent",
        "dynamo_component_kvstats_",
        "dynamo_component_model_load_time_seconds",
    ),
    health_path="/live",
    rank_label="dp_rank",
    started=("process_start_time_seconds",),
    moving=("dynamo_component_uptime_seconds", "dynamo_component_system_uptime_seconds"),
    metrics=METRICS,
    label_facts=(*vllm.ADAPTER.label_facts, *sglang.ADAPTER.label_facts, *trtllm.ADAPTER.label_facts),
    label_counts=vllm.ADAPTER.label_counts,
    flags=(
        Flag("engine.max_num_seqs", ("--max-num-seqs", "--max-running-requests", "--max-batch-size"), tag=_ARGV),
        Flag("engine.max_model_len", ("--max-model-len", "--context-length", "--max-seq-len"), tag=_ARGV),
        Flag("engine.tensor_parallel", ("--tensor-parallel-size", "-tp", "--tp-size", "--tp"), tag=_ARGV),
        Flag("engine.max_batched_tokens", ("--max-num-batched-tokens", "--max-num-tokens"), tag=_ARGV),
        Flag("engine.prefill_only", ("--is-prefill-worker",), value=1.0),
        Flag("engine.kv_connector", ("--kv-transfer-config", "--connector"), value=1.0),
    ),
    processes=Roles(launcher=(program(r"dynamo\.(?:vllm|sglang|trtllm|mocker|llama_cpp)\b"),)),
    copy_labels=sglang.ADAPTER.copy_labels,
    port_flags=(),
)
