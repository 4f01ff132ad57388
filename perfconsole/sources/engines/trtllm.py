"""TensorRT-LLM (`trtllm-serve`) 1.1 and newer: names of /prometheus/metrics, and of the JSON that its /metrics gives.

Traps kept in mind: /metrics hands out the statistics of steps and forgets them, so that another reader loses what this
one got: it is read only where somebody names it. The page needs `return_perf_metrics: true` (404 without), its gauges
and block counters `enable_iter_perf_stats: true` as well. 1.1 has five metrics, under bare names that others write too:
the label of the engine's type tells them apart. Which later release has which of the rest was not established. Tokens,
and all times, count when a request ends. A failed request is not among the successful ones, and gives its HTTP status;
429 is a refusal. The hit rate is that since the start, and paused requests are a gauge that says nothing of how many
were paused. A step's latency is that of the last step. Model name and engine type are "undefined" in early releases,
and a prometheus_client of several processes adds `pid` to gauges.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Flag, InfoFact, LabelFact, Metric, Operand
from perfconsole.sources.roles import Roles, program

_HITS = "engine.prefix_cache_hit_ratio"
_SPEC = "engine.spec_accept_ratio"
_SUCCESS = "trtllm_request_success_total"
_PROMPTS = "trtllm_prompt_tokens_total"
_ERRORS = "trtllm_request_error_total"
_APART = (("in_finished", "no"),)
_AT_FINISH = (("counted", "at-finish"),)
_HIT = (("part", "hit"),)
_FOUND = (("part", "looked-up"), ("of", "hit"))
_MISSED = (("part", "looked-up"), ("of", "missed"))
_ARGV = (("origin", "argv"),)
_BLOCK = Operand("trtllm_kv_cache_tokens_per_block")
_REUSED = "trtllm_kv_cache_reused_blocks_total"
_LATER = "1.2"
"""The first release after the five metrics of 1.1; which of the others it has is not known."""

METRICS = (
    Metric("engine.requests_running", "trtllm_num_requests_running", since=_LATER, optional=True),
    Metric("engine.requests_waiting", "trtllm_num_requests_waiting", since=_LATER, optional=True),
    Metric("engine.requests_finished", _SUCCESS),
    Metric("engine.requests_finished", "request_success_total", optional=True),
    Metric("engine.requests_finished", "trtllm_num_requests_completed_total", since=_LATER, optional=True),
    Metric(
        "engine.requests_failed",
        _ERRORS,
        where=(("http_code", r"~5\d\d"),),
        tag=_APART,
        since=_LATER,
        optional=True,
        zero_with=_PROMPTS,
    ),
    Metric(
        "engine.requests_rejected",
        _ERRORS,
        where=(("http_code", "429"),),
        since=_LATER,
        optional=True,
        zero_with=_PROMPTS,
    ),
    Metric("engine.max_num_seqs", "trtllm_max_num_active_requests", since=_LATER, optional=True),
    Metric("engine.max_num_seqs", "trtllm_max_batch_size_runtime", since=_LATER, optional=True),
    Metric("engine.max_batched_tokens", "trtllm_max_num_tokens_runtime", since=_LATER, optional=True),
    Metric("engine.ttft", "trtllm_time_to_first_token_seconds"),
    Metric("engine.ttft", "time_to_first_token_seconds", optional=True),
    Metric("engine.tpot", "trtllm_time_per_output_token_seconds"),
    Metric("engine.tpot", "time_per_output_token_seconds", optional=True),
    Metric("engine.e2e", "trtllm_e2e_request_latency_seconds"),
    Metric("engine.e2e", "e2e_request_latency_seconds", optional=True),
    Metric("engine.queue_time", "trtllm_request_queue_time_seconds"),
    Metric("engine.queue_time", "request_queue_time_seconds", optional=True),
    Metric("engine.prefill_time", "trtllm_request_prefill_time_seconds", since=_LATER, optional=True),
    Metric("engine.decode_time", "trtllm_request_decode_time_seconds", since=_LATER, optional=True),
    Metric("engine.prompt_tokens", _PROMPTS, tag=_AT_FINISH, since=_LATER, optional=True),
    Metric("engine.generation_tokens", "trtllm_generation_tokens_total", tag=_AT_FINISH, since=_LATER, optional=True),
    Metric("engine.step_time", "trtllm_iteration_latency_seconds", since=_LATER, optional=True),
    Metric("engine.kv_cache_usage", "trtllm_kv_cache_utilization", since=_LATER, optional=True),
    Metric(
        "engine.kv_cache_usage",
        "trtllm_kv_cache_used_blocks",
        over=Operand("trtllm_kv_cache_max_blocks"),
        since=_LATER,
        optional=True,
    ),
    Metric("engine.kv_cache_capacity", "trtllm_kv_cache_max_blocks", times=_BLOCK, since=_LATER, optional=True),
    Metric(_HITS, _REUSED, tag=_HIT, times=_BLOCK, since=_LATER, optional=True),
    Metric(_HITS, "trtllm_prompt_cached_tokens_total", tag=_HIT, since=_LATER, optional=True),
    Metric(_HITS, _REUSED, tag=_FOUND, times=_BLOCK, since=_LATER, optional=True),
    Metric(_HITS, _PROMPTS, tag=_FOUND, since=_LATER, optional=True),
    Metric(_HITS, "trtllm_kv_cache_missed_blocks_total", tag=_MISSED, times=_BLOCK, since=_LATER, optional=True),
    Metric("engine.prefix_cache_lifetime_ratio", "trtllm_kv_cache_hit_rate", since=_LATER, optional=True),
    Metric(
        _SPEC,
        "trtllm_spec_decode_num_accepted_tokens_total",
        tag=(("part", "accepted"),),
        since=_LATER,
        optional=True,
    ),
    Metric(_SPEC, "trtllm_spec_decode_num_draft_tokens_total", tag=(("part", "draft"),), since=_LATER, optional=True),
    Metric(
        _SPEC,
        "trtllm_spec_decode_drafted_tokens_total",
        where=(("token_position", "0"),),
        tag=(("part", "drafts"),),
        since=_LATER,
        optional=True,
    ),
    Metric("engine.spec_accept_length", "trtllm_spec_decode_acceptance_length", since=_LATER, optional=True),
    Metric(
        "engine.spec_deep_accept_ratio",
        "trtllm_spec_decode_accepted_tokens_total",
        ordinal="token_position",
        since=_LATER,
        optional=True,
    ),
)

ADAPTER = Adapter(
    name="trtllm",
    title="TensorRT-LLM",
    prefixes=("trtllm_", "e2e_request_latency_seconds"),
    requires_label="engine_type",
    metrics_path="/prometheus/metrics",
    health_path="/health",
    version_route="/v1/models",
    known_by="data.0.owned_by",
    known_as="tensorrt_llm",
    page_hint="it answers as TensorRT-LLM but has no page at /prometheus/metrics: give it return_perf_metrics: true "
    "and enable_iter_perf_stats: true; its /metrics hands out each step once, and is read where a target names it",
    started=("process_start_time_seconds",),
    moving=("process_cpu_seconds_total",),
    metrics=METRICS,
    label_facts=(
        LabelFact("engine.max_model_len", "trtllm_model_config_info", ("max_model_len",)),
        LabelFact("engine.tensor_parallel", "trtllm_parallel_config_info", ("tensor_parallel_size",)),
        LabelFact("engine.spec_tokens", "trtllm_speculative_config_info", ("spec_num_tokens",)),
    ),
    info_facts=(
        InfoFact("engine.version", "/version", "version"),
        InfoFact("engine.model", "/v1/models", "data.0.id"),
    ),
    flags=(
        Flag("engine.max_num_seqs", ("--max_batch_size", "--max-batch-size"), tag=_ARGV),
        Flag("engine.max_batched_tokens", ("--max_num_tokens", "--max-num-tokens"), tag=_ARGV),
        Flag("engine.max_model_len", ("--max_seq_len", "--max-seq-len"), tag=_ARGV),
        Flag(
            "engine.tensor_parallel",
            ("--tp_size", "--tp-size", "--tensor_parallel_size", "--tensor-parallel-size"),
            tag=_ARGV,
        ),
        Flag("engine.chunked_prefill", ("--enable_chunked_prefill", "--enable-chunked-prefill"), value=1.0),
    ),
    processes=Roles(
        worker=r"tensorrt_llm\.llmapi\.mpi_session|tensorrt_llm/llmapi/mgmn_(?:worker|leader)_node|trtllmExecutorWorker",
        launcher=(program(r"(?:trtllm-serve|tensorrt_llm[./]commands[./]serve(?:\.py)?)(?=\s)(?!\s+disaggregated\b)"),),
    ),
    converter="trtllm-iterations",
    never_read=("/metrics", "/perf_metrics", "/health_generate"),
    default_port=8000,
    unexported=("engine.http_inflight",),
)
