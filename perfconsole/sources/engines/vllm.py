"""vLLM 0.6 to 0.33: names, renames, facts and flags.

Traps kept in mind: `_perc` is a ratio; request_success counts every end, aborts and errors included; waiting includes
deferred requests unless split by reason; KV use divides by blocks - 1; the prompt counter moves when a prefill ends;
ITL and TPOT are taken in the engine core, TTFT and e2e in the front-end.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Default, Flag, InfoFact, LabelCount, LabelFact, Metric, Operand
from perfconsole.sources.roles import Roles, program

_HITS = "engine.prefix_cache_hit_ratio"
_SPEC = "engine.spec_accept_ratio"
_LOOKED_UP = (("part", "looked-up"),)
_HIT = (("part", "hit"),)
_CORE = (("taken", "core"),)
_ARGV = (("origin", "argv"),)
_CACHE = "vllm:cache_config_info"
_LORA = "vllm:lora_requests_info"
_SUCCESS = "vllm:request_success_total"
_BY_SOURCE = "vllm:prompt_tokens_by_source_total"
_FLOPS = "vllm:estimated_flops_per_gpu_total"

METRICS = (
    Metric("engine.requests_running", "vllm:num_requests_running"),
    Metric("engine.rank_running", "vllm:num_requests_running"),
    Metric(
        "engine.requests_waiting", "vllm:num_requests_waiting_by_reason", where=(("reason", "capacity"),), since="0.20"
    ),
    Metric("engine.requests_waiting", "vllm:num_requests_waiting"),
    Metric(
        "engine.requests_deferred", "vllm:num_requests_waiting_by_reason", where=(("reason", "deferred"),), since="0.20"
    ),
    Metric("engine.requests_finished", _SUCCESS),
    Metric(
        "engine.requests_failed",
        _SUCCESS,
        where=(("finished_reason", "error"),),
        tag=(("seen", "core"),),
        since="0.14.1",
        zero_with=_BY_SOURCE,  # of releases that surely have the reason; vLLM itself writes it from the start
    ),
    Metric(
        "engine.requests_failed",
        "http_requests_total",
        where=(("status", "5xx"),),
        tag=(("seen", "http"),),
        optional=True,
        zero_with="http_requests_total",
    ),
    Metric("engine.requests_aborted", _SUCCESS, where=(("finished_reason", "abort"),), zero_with=_SUCCESS),
    Metric("engine.requests_rejected", "vllm:admission_rejections_total", since="0.32"),
    Metric("engine.preemptions", "vllm:num_preemptions_total"),
    Metric("engine.kv_cache_usage", "vllm:kv_cache_usage_perc", since="0.9.2"),
    Metric("engine.kv_cache_usage", "vllm:gpu_cache_usage_perc", until="0.12"),
    Metric("engine.rank_kv_cache_usage", "vllm:kv_cache_usage_perc", since="0.9.2"),
    Metric("engine.rank_kv_cache_usage", "vllm:gpu_cache_usage_perc", until="0.12"),
    Metric(
        "engine.prompt_tokens",
        _BY_SOURCE,
        where=(("source", "local_compute"),),
        since="0.16",
    ),
    Metric("engine.prompt_tokens", "vllm:prompt_tokens_total"),
    Metric("engine.generation_tokens", "vllm:generation_tokens_total"),
    Metric("engine.ttft", "vllm:time_to_first_token_seconds"),
    Metric("engine.itl", "vllm:inter_token_latency_seconds", tag=_CORE, since="0.10.2"),
    Metric("engine.itl", "vllm:time_per_output_token_seconds", tag=_CORE, until="0.12"),
    Metric("engine.tpot", "vllm:request_time_per_output_token_seconds", since="0.11"),
    Metric("engine.e2e", "vllm:e2e_request_latency_seconds"),
    Metric("engine.queue_time", "vllm:request_queue_time_seconds", since="0.6.6"),
    Metric("engine.queue_time", "vllm:time_in_queue_requests", since="0.6.6", until="0.9.2"),
    Metric("engine.prefill_time", "vllm:request_prefill_time_seconds", since="0.6.6"),
    Metric("engine.decode_time", "vllm:request_decode_time_seconds", since="0.6.6"),
    Metric("engine.prompt_length", "vllm:request_prompt_tokens"),
    Metric("engine.output_length", "vllm:request_generation_tokens"),
    Metric("engine.parallel_samples", "vllm:request_params_n"),
    Metric("engine.step_tokens", "vllm:iteration_tokens_total", since="0.6.6"),
    Metric(_HITS, "vllm:prefix_cache_queries_total", tag=_LOOKED_UP, since="0.9.2"),
    Metric(_HITS, "vllm:gpu_prefix_cache_queries_total", tag=_LOOKED_UP, since="0.7.3", until="0.12"),
    Metric(_HITS, "vllm:prefix_cache_hits_total", tag=_HIT, since="0.9.2"),
    Metric(_HITS, "vllm:gpu_prefix_cache_hits_total", tag=_HIT, since="0.7.3", until="0.12"),
    Metric(_HITS, "vllm:gpu_prefix_cache_hit_rate", since="0.6.6", until="0.9.2", optional=True),
    Metric(_SPEC, "vllm:spec_decode_num_accepted_tokens_total", tag=(("part", "accepted"),), optional=True),
    Metric(_SPEC, "vllm:spec_decode_num_draft_tokens_total", tag=(("part", "draft"),), optional=True),
    Metric(_SPEC, "vllm:spec_decode_num_drafts_total", tag=(("part", "drafts"),), optional=True),
    Metric(_SPEC, "vllm:spec_decode_draft_acceptance_rate", until="0.10", optional=True),
    Metric(
        "engine.spec_deep_accept_ratio",
        "vllm:spec_decode_num_accepted_tokens_per_pos_total",
        ordinal="position",
        optional=True,
    ),
    Metric(
        "engine.multimodal_share",
        "vllm:mm_cache_queries_total",
        tag=(("part", "items"),),
        since="0.11.2",
        optional=True,
    ),
    Metric("engine.ready", "vllm:engine_sleep_state", where=(("sleep_state", "awake"),), since="0.11.2", optional=True),
    Metric(
        "engine.asleep",
        "vllm:engine_sleep_state",
        where=(("sleep_state", "awake"),),
        scale=-1.0,
        offset=1.0,
        since="0.11.2",
        optional=True,
    ),
    Metric("engine.kv_transfers_pending", "vllm:num_requests_kv_fetch_by_stage", since="0.32", optional=True),
    Metric("engine.kv_transfer_time", "vllm:nixl_xfer_time_seconds", since="0.11.2", optional=True),
    Metric("engine.kv_transfer_time", "vllm:mooncake_xfer_time_seconds", since="0.33", optional=True),
    Metric("engine.kv_transfer_failures", "vllm:nixl_num_failed_transfers_total", since="0.11.2", optional=True),
    Metric("engine.kv_transfer_failures", "vllm:mooncake_num_failed_transfers_total", since="0.33", optional=True),
    Metric(
        "engine.kv_transfer_failures",
        "vllm:nixl_num_kv_expired_reqs_total",
        tag=(("part", "expired"),),
        since="0.15.1",
        optional=True,
    ),
    # By itself and over itself: it is there without --enable-mfu-metrics too, and stays 0.
    Metric(
        "engine.model_flops",
        _FLOPS,
        tag=(("counted", "seconds"),),
        times=Operand(_FLOPS),
        over=Operand(_FLOPS),
        since="0.17.1",
        optional=True,
    ),
    Metric("engine.response_size", "http_response_size_bytes", optional=True),
)

ADAPTER = Adapter(
    name="vllm",
    title="vLLM",
    prefixes=("vllm:",),
    requires_label="model_name",
    health_path="/health",
    version_route="/version",
    rank_label="engine",
    started=("process_start_time_seconds", "vllm:generation_tokens_created"),
    moving=("process_cpu_seconds_total",),
    metrics=METRICS,
    label_facts=(
        LabelFact("engine.kv_cache_capacity", _CACHE, ("kv_cache_size_tokens",)),
        LabelFact("engine.kv_cache_capacity", _CACHE, ("num_gpu_blocks", "block_size")),
        LabelFact("engine.kv_max_concurrency", _CACHE, ("kv_cache_max_concurrency",)),
        LabelFact("engine.gpu_memory_fraction", _CACHE, ("gpu_memory_utilization",)),
        LabelFact("engine.kv_pool", _CACHE, ("kv_cache_memory_bytes",)),
        LabelFact("engine.lora_slots", _LORA, ("max_lora",)),
    ),
    label_counts=(LabelCount("engine.lora_active", _LORA, "running_lora_adapters", within_s=300.0),),
    info_facts=(
        InfoFact("engine.version", "/version", "version"),
        InfoFact("engine.model", "/v1/models", "data.0.id"),
        InfoFact("engine.max_model_len", "/v1/models", "data.0.max_model_len"),
    ),
    flags=(
        Flag("engine.max_num_seqs", ("--max-num-seqs",), tag=_ARGV),
        Flag("engine.max_model_len", ("--max-model-len",), tag=_ARGV),
        Flag("engine.gpu_memory_fraction", ("--gpu-memory-utilization",), tag=_ARGV),
        Flag("engine.tensor_parallel", ("--tensor-parallel-size", "-tp")),
        Flag("engine.data_parallel", ("--data-parallel-size", "-dp")),
        Flag("engine.max_batched_tokens", ("--max-num-batched-tokens",)),
        Flag("engine.chunked_prefill", ("--enable-chunked-prefill",), value=1.0),
        Flag("engine.chunked_prefill", ("--no-enable-chunked-prefill",), value=0.0),
        Flag("engine.cpu_offload", ("--cpu-offload-gb",), scale=2.0**30),
        Flag("engine.cpu_offload", ("--kv-offloading-size",), scale=2.0**30, tag=(("of", "kv"),)),
        Flag("engine.kv_connector", ("--kv-transfer-config",), value=1.0),
        Flag("engine.kv_connector", ("--kv-offloading-size",), value=1.0),
        Flag("engine.lora_slots", ("--max-loras",)),
        Flag("engine.prefill_only", ("--task", "--runner", "--convert", "--kv-transfer-config")),
        Flag("engine.captured_batch", ("--max-cudagraph-capture-size",), tag=(("part", "tokens"),)),
        Flag("engine.spec_tokens", ("--num-speculative-tokens", "--speculative-config.num-speculative-tokens")),
        Flag("engine.spec_tokens", ("--speculative-config", "-sc"), path="num_speculative_tokens"),
    ),
    defaults=(
        Default("engine.max_num_seqs", 256, until="0.8"),
        Default("engine.tensor_parallel", 1),
        Default("engine.data_parallel", 1),
        Default("engine.kv_connector", 0),
        Default("engine.prefix_first_policy", 0),
        Default("engine.prefill_only", 0),
        Default("engine.spec_tokens", 0),
    ),
    processes=Roles(
        frontend=r"^VLLM::APIServer",
        core=r"^VLLM::(EngineCore|DPCoordinator)",
        worker=r"^VLLM::Worker",
        launcher=(program(r"vllm(?:\s+-\S+)*\s+serve\b"), r"\bvllm\.entrypoints\.(?:openai|cli)\b"),
    ),
    default_port=8000,
    config="port",
    silent_hint="it answers as vLLM but exports no engine metrics: it was started with --disable-log-stats; "
    "restart it without that flag to see queues, latencies and KV use",
)
