"""Triton Inference Server: its own counters, those of the TensorRT-LLM backend 0.6 to 1.0, and of the vLLM backend.

Traps kept in mind: durations are sums in microseconds, so that only means are known; with the switches of --metrics-
config there are quantiles of each model, and of several models the worst is shown; the time to the first response is
the only one with buckets, in milliseconds. The limit of requests is each model's own. A pipeline counts every request
at each of its steps, and twice more at what calls the steps: of the usual TensorRT-LLM pipeline only the step that
generates is counted, unless no other is there; of failures every step but the callers of steps. A failure without a
reason (before 24.04) is counted as failed, one that is refused or whose caller left under that name, and none of them
among the successful ones. The blocks of the KV cache, their fraction and the tokens of one of them are one family with
mixed units; the fraction and the waiting requests are there since 0.18, the families end in `_statistics` before 0.7.
Newer backends have the lengths of each request that ended, so that their tokens are counted then. The vLLM backend
writes names of vLLM with Triton's labels: tokens, first token, the old name of the gap, end to end, and before 2026 the
gauges too. GPU, CPU and memory figures are left to the hardware layer, and are all that a page has while no model is
loaded; the response cache is not the prefix cache.
"""

from __future__ import annotations

from dataclasses import replace

from perfconsole.sources.adapter import Adapter, InfoFact, Metric, Operand
from perfconsole.sources.engines import vllm
from perfconsole.sources.roles import Roles, program

_CALLERS = r"(?:.*[-_])?(?:ensemble|bls)(?:[-_].*)?"
_AROUND = r"(?:.*[-_])?(?:preprocessing|postprocessing)(?:[-_].*)?"
_STEP = (("model", f"~(?!(?:{_CALLERS}|{_AROUND})$).*"),)
"""A model that generates, or one that is no part of a pipeline."""
_ANY_STEP = (("model", f"~(?!(?:{_CALLERS})$).*"),)
_SUCCESS = "nv_inference_request_success"
_FAILURE = "nv_inference_request_failure"
_TOOK = "nv_inference_request_duration_us"
_QUEUED = "nv_inference_queue_duration_us"
_TOOK_QUANTILES = "nv_inference_request_summary_us"
_QUEUED_QUANTILES = "nv_inference_queue_summary_us"
_MICRO = 1e-6
_APART = (("in_finished", "no"),)
_AT_FINISH = (("counted", "at-finish"),)
_IN, _OUT = "nv_llm_input_token_len", "nv_llm_output_token_len"
_HANDED_OVER = "nv_trt_llm_disaggregated_serving_metrics"
_LIMIT = (("request_type", "max"),)
_QUANTILES = ((".p50", "0.5"), (".p90", "0.9"), (".p95", "0.95"), (".p99", "0.99"))

METRICS = (
    *(
        Metric(indicator, f"nv_trt_llm_request_{era}", where=(("request_type", kind),), optional=True)
        for indicator, kind in (
            ("engine.requests_running", "scheduled"),  # the active ones are these and those that wait
            ("engine.requests_running", "active"),
            ("engine.requests_waiting", "waiting"),
        )
        for era in ("metrics", "statistics")
    ),
    *(
        Metric("engine.max_num_seqs", f"nv_trt_llm_request_{era}", where=_LIMIT, summed=True, optional=True)
        for era in ("metrics", "statistics")
    ),
    Metric(
        "engine.kv_cache_usage",
        "nv_trt_llm_kv_cache_block_metrics",
        where=(("kv_cache_block_type", "fraction"),),
        optional=True,
    ),
    *(
        Metric(
            "engine.kv_cache_usage",
            f"nv_trt_llm_kv_cache_block_{era}",
            where=(("kv_cache_block_type", "used"),),
            over=Operand(f"nv_trt_llm_kv_cache_block_{era}", (("kv_cache_block_type", "max"),), by="model"),
            optional=True,
        )
        for era in ("metrics", "statistics")
    ),
    *(
        Metric(
            "engine.kv_cache_capacity",
            f"nv_trt_llm_kv_cache_block_{era}",
            where=(("kv_cache_block_type", "max"),),
            times=Operand(f"nv_trt_llm_kv_cache_block_{era}", (("kv_cache_block_type", "tokens_per"),), by="model"),
            optional=True,
        )
        for era in ("metrics", "statistics")
    ),
    Metric(
        "engine.kv_transfer_time",
        _HANDED_OVER,
        where=(("disaggregated_serving_type", "kv_cache_transfer_ms"),),
        count=Operand(_HANDED_OVER, (("disaggregated_serving_type", "request_count"),), by="model"),
        scale=1e-3,
        optional=True,
    ),
    Metric("engine.prompt_tokens", f"{_IN}_sum", tag=_AT_FINISH, optional=True),
    Metric("engine.generation_tokens", f"{_OUT}_sum", tag=_AT_FINISH, optional=True),
    Metric("engine.prompt_length", _IN, optional=True),
    Metric("engine.output_length", _OUT, optional=True),
    *(
        replace(row, since="", until="", optional=True)
        for row in vllm.METRICS
        if row.metric.startswith("vllm:") and not row.indicator.startswith("engine.rank_")
    ),
    Metric("engine.requests_waiting", "nv_inference_pending_request_count", where=_STEP, optional=True),
    Metric("engine.requests_finished", _SUCCESS, where=_STEP),
    Metric("engine.requests_finished", _SUCCESS),
    Metric("engine.requests_failed", _FAILURE, where=_ANY_STEP, unless=(("reason", "~REJECTED|CANCELED"),), tag=_APART),
    Metric("engine.requests_failed", _FAILURE, unless=(("reason", "~REJECTED|CANCELED"),), tag=_APART),
    Metric("engine.requests_rejected", _FAILURE, where=(("reason", "REJECTED"), *_ANY_STEP), optional=True),
    Metric("engine.requests_rejected", _FAILURE, where=(("reason", "REJECTED"),), optional=True),
    Metric("engine.requests_aborted", _FAILURE, where=(("reason", "CANCELED"), *_ANY_STEP), tag=_APART, optional=True),
    Metric("engine.requests_aborted", _FAILURE, where=(("reason", "CANCELED"),), tag=_APART, optional=True),
    Metric("engine.ttft", "nv_inference_first_response_histogram_ms", where=_STEP, scale=1e-3, optional=True),
    Metric("engine.e2e", _TOOK, where=_STEP, count=Operand(_SUCCESS, _STEP, by="model"), scale=_MICRO),
    Metric("engine.e2e", _TOOK, count=Operand(_SUCCESS, by="model"), scale=_MICRO),
    Metric("engine.e2e", _TOOK_QUANTILES, where=_STEP, scale=_MICRO, optional=True),
    Metric("engine.queue_time", _QUEUED, where=_STEP, count=Operand(_SUCCESS, _STEP, by="model"), scale=_MICRO),
    Metric("engine.queue_time", _QUEUED, count=Operand(_SUCCESS, by="model"), scale=_MICRO),
    Metric("engine.queue_time", _QUEUED_QUANTILES, where=_STEP, scale=_MICRO, optional=True),
    *(
        Metric(indicator + ending, metric, where=(("quantile", quantile), *_STEP), scale=_MICRO, optional=True)
        for indicator, metric in (("engine.e2e", _TOOK_QUANTILES), ("engine.queue_time", _QUEUED_QUANTILES))
        for ending, quantile in _QUANTILES
    ),
    Metric("engine.startup_time", "nv_model_load_duration_secs", optional=True),
)

ADAPTER = Adapter(
    name="triton",
    title="Triton",
    prefixes=("nv_inference_", "nv_trt_llm_", "nv_pinned_memory_pool_", "nv_cpu_"),
    health_path="/v2/health/ready",
    version_route="/v2",
    metrics=METRICS,
    info_facts=(InfoFact("engine.version", "/v2", "version"),),
    processes=Roles(
        frontend=r"(^|/)tritonserver\b",
        worker=r"trtllmExecutorWorker|triton_python_backend_stub",
        launcher=(program(r"tritonserver(?=\s|$)"),),
    ),
    page_port=8002,
    page_flags=("--metrics-port",),
    port_flags=("--http-port",),
    default_port=8000,
    unexported=("engine.http_inflight",),
)
