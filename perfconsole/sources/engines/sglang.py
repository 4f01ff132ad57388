"""SGLang 0.4 to 0.5.23: names, renames, facts and flags.

Traps kept in mind: gauges are refreshed at a prefill, every 40 decode steps and at idle within 30 s; prompt_tokens and
generation_tokens move when a request ends, realtime_tokens and the count of inter_token_latency with every step;
priority="" is the total of the other priorities; with metrics of all schedulers the tensor, pipeline and expert ranks
repeat the same counts; spec_accept_length is 0 without speculation; cache_hit_rate speaks of the last prefill only;
utilization and is_cuda_graph stand still; the KV transfer gauges in ms became histograms in 0.5.10; NaN occurs; a
retraction counter appears at the first retraction, that of requests with a grammar at the first of them, and the
counters of requests and tokens with the first request.

Health: /health and /health_generate run a generation from 0.5 on, so that they load the engine and hang with it.
/v1/models is answered by the front-end alone, in every release, without a line of deprecation in the log.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Default, Flag, InfoFact, LabelFact, Metric, Operand
from perfconsole.sources.roles import Roles, program

_HITS = "engine.prefix_cache_hit_ratio"
_GRAPHS = "engine.graph_ratio"
_LOOKED_UP = (("part", "looked-up"),)
_HIT = (("part", "hit"),)
_LIVE = (("counted", "live"),)
_SECONDS = (("counted", "seconds"),)
_PAGE = (("seen", "page"),)
_ARGV = (("origin", "argv"),)
_SERVER = (("origin", "server-info"),)
_OF_ONE_PRIORITY = (("priority", "~.+"),)
_POLLED = (("endpoint", "~/(health.*|ready|ping|metrics.*)"),)
_RUNNING = "sglang:num_running_reqs"
_QUEUED = "sglang:num_queue_reqs"
_GRAMMAR = "sglang:num_grammar_queue_reqs"
"""A gauge that is there from the start since 0.4.7, which is the first release with most of the counters below."""
_USED = "sglang:token_usage"
_REALTIME = "sglang:realtime_tokens_total"
_EFFECTIVE = "sglang:prefill_effective_tokens_total"
_FINISHED = "sglang:num_requests_total"
_RESPONSES = "sglang:http_responses_total"
_ITL = "sglang:inter_token_latency_seconds"
_GRAPH_PASSES = "sglang:cuda_graph_passes_total"
_ACCEPT_LENGTH = Operand("sglang:spec_accept_length")
_CPU = "sglang:process_cpu_seconds_total"
_SCHEDULER_CPU = "sglang:scheduler_process_cpu_seconds_total"
_STARTUP = "sglang:startup_time_seconds"
_STARTED_IN = "sglang:engine_startup_time"
_TRANSFER = "sglang:kv_transfer_latency_ms"
_PREALLOC = "sglang:num_decode_prealloc_queue_reqs"
_RECEIVING = "sglang:num_decode_transfer_queue_reqs"
_SENDING = "sglang:num_prefill_inflight_queue_reqs"
_SENDING_MISSPELT = "sglang:num_prefill_infight_queue_reqs"
_BOOTSTRAP = "sglang:num_prefill_bootstrap_queue_reqs"
_BOOTSTRAP_BEFORE = "sglang:num_prefill_prealloc_queue_reqs"

METRICS = (
    Metric("engine.requests_running", _RUNNING, unless=_OF_ONE_PRIORITY),
    Metric("engine.requests_running", _RUNNING),
    Metric("engine.rank_running", _RUNNING, unless=_OF_ONE_PRIORITY),
    Metric("engine.requests_waiting", _QUEUED, unless=_OF_ONE_PRIORITY),
    Metric("engine.requests_waiting", _QUEUED),
    Metric("engine.requests_deferred", _GRAMMAR, since="0.4.7", optional=True),
    Metric("engine.requests_deferred", _PREALLOC, tag=(("queue", "prealloc"),), optional=True),
    Metric("engine.requests_deferred", _RECEIVING, tag=(("queue", "transfer"),), optional=True),
    Metric("engine.requests_deferred", _BOOTSTRAP, tag=(("queue", "bootstrap"),), optional=True),
    Metric("engine.requests_deferred", _BOOTSTRAP_BEFORE, tag=(("queue", "bootstrap"),), optional=True),
    Metric("engine.kv_transfers_pending", _PREALLOC, tag=(("queue", "prealloc"),), optional=True),
    Metric("engine.kv_transfers_pending", _RECEIVING, tag=(("queue", "transfer"),), optional=True),
    Metric("engine.kv_transfers_pending", _SENDING, tag=(("queue", "sending"),), optional=True),
    Metric("engine.kv_transfers_pending", _SENDING_MISSPELT, tag=(("queue", "sending"),), optional=True),
    Metric(
        "engine.http_inflight", "sglang:http_requests_active", where=(("method", "POST"),), tag=_PAGE, optional=True
    ),
    Metric("engine.requests_finished", _FINISHED, zero_with=_RUNNING),
    Metric(
        "engine.requests_failed",
        _RESPONSES,
        where=(("status_code", "~5.."),),
        unless=_POLLED,
        tag=(("seen", "http"),),
        since="0.5.7",
        optional=True,
        zero_with=_RESPONSES,
    ),
    Metric(
        "engine.requests_rejected",
        _RESPONSES,
        where=(("status_code", "~429|503"),),
        unless=_POLLED,
        since="0.5.7",
        optional=True,
        zero_with=_RESPONSES,
    ),
    Metric(
        "engine.requests_aborted",
        "sglang:num_aborted_requests_total",
        since="0.4.7",
        optional=True,
        zero_with=_GRAMMAR,
    ),
    Metric(
        "engine.preemptions",
        "sglang:num_retracted_requests_total",
        since="0.5.7",
        optional=True,
        zero_with=_REALTIME,
    ),
    Metric("engine.preemptions", "sglang:total_retracted_reqs", until="0.5.3", optional=True),
    Metric("engine.kv_cache_usage", _USED),
    Metric("engine.kv_cache_usage", "sglang:full_token_usage", since="0.5.10"),
    Metric("engine.rank_kv_cache_usage", _USED),
    Metric("engine.rank_kv_cache_usage", "sglang:full_token_usage", since="0.5.10"),
    Metric("engine.kv_cache_capacity", "sglang:max_total_num_tokens", since="0.5.7"),
    Metric("engine.kv_cache_capacity", "sglang:num_pages", times=Operand("sglang:page_size"), since="0.5.12"),
    Metric("engine.kv_pool", "sglang:kv_cache_memory_usage_gb", scale=2.0**30, since="0.5.18", optional=True),
    Metric(
        "engine.weight_share",
        "sglang:weight_memory_usage_gb",
        tag=(("part", "gpu-bytes"),),
        scale=2.0**30,
        since="0.5.18",
        optional=True,
    ),
    Metric("engine.max_model_len", "sglang:context_len", tag=_PAGE, since="0.5.12", optional=True),
    Metric("engine.prompt_tokens", _REALTIME, where=(("mode", "prefill_compute"),), since="0.5.7", optional=True),
    Metric("engine.prompt_tokens", "sglang:prompt_tokens_total"),
    Metric("engine.generation_tokens", _REALTIME, where=(("mode", "decode"),), since="0.5.7", optional=True),
    Metric("engine.generation_tokens", "sglang:generation_tokens_total", zero_with=_RUNNING),
    Metric("engine.generation_rate", _REALTIME, where=(("mode", "decode"),), tag=_LIVE, since="0.5.7", optional=True),
    Metric("engine.generation_rate", f"{_ITL}_count", tag=_LIVE, since="0.4.4", optional=True, zero_with=_GRAMMAR),
    Metric("engine.ttft", "sglang:time_to_first_token_seconds"),
    Metric("engine.itl", _ITL, tag=(("taken", "frontend"),), optional=True),
    Metric("engine.tpot", "sglang:request_time_per_output_token_seconds", since="0.5.22"),
    Metric("engine.tpot", "sglang:time_per_output_token_seconds", until="0.5.3", optional=True),
    Metric("engine.e2e", "sglang:e2e_request_latency_seconds"),
    Metric("engine.queue_time", "sglang:queue_time_seconds", since="0.5.3"),
    Metric("engine.queue_time", "sglang:queue_time_s", since="0.5.2", until="0.5.3"),
    Metric("engine.queue_time.mean", "sglang:avg_request_queue_latency", until="0.5.3", optional=True),
    Metric(
        "engine.prefill_time",
        "sglang:per_stage_req_latency_seconds",
        where=(("stage", "prefill_forward"),),
        since="0.5.3",
        optional=True,
    ),
    Metric(
        "engine.structured_share",
        "sglang:num_so_requests_total",
        tag=(("part", "requests"),),
        optional=True,
        zero_with=_RESPONSES,  # of releases that surely have it
    ),
    Metric("engine.prompt_length", "sglang:prompt_tokens_histogram", since="0.4.7"),
    Metric("engine.output_length", "sglang:generation_tokens_histogram", since="0.4.7"),
    Metric("engine.step_time", _GRAPH_PASSES, tag=(("counted", "steps"),), since="0.5.7", optional=True),
    Metric("engine.busy", "sglang:fwd_occupancy", scale=0.01, since="0.5.12", optional=True),
    Metric("engine.busy", "sglang:forward_execution_seconds_total", tag=_SECONDS, since="0.5.12", optional=True),
    Metric(
        "engine.busy",
        "sglang:gpu_execution_seconds_total",
        tag=_SECONDS,
        since="0.5.7",
        until="0.5.12",
        optional=True,
    ),
    Metric(
        _GRAPHS,
        _GRAPH_PASSES,
        where=(("mode", "~decode_(?!none$).+"),),
        tag=(("part", "graph"),),
        since="0.5.7",
        optional=True,
        zero_with=_GRAPH_PASSES,
    ),
    Metric(
        _GRAPHS,
        _GRAPH_PASSES,
        where=(("mode", "~decode_.+"),),
        tag=(("part", "passes"),),
        since="0.5.7",
        optional=True,
    ),
    Metric(_HITS, _EFFECTIVE, tag=_LOOKED_UP, since="0.5.18", optional=True),
    Metric(_HITS, _REALTIME, where=(("mode", "~prefill_.+"),), tag=_LOOKED_UP, since="0.5.7", optional=True),
    Metric(_HITS, "sglang:prompt_tokens_total", tag=_LOOKED_UP),
    Metric(_HITS, _EFFECTIVE, where=(("mode", "~.*_hit"),), tag=_HIT, since="0.5.18", optional=True),
    Metric(_HITS, _REALTIME, where=(("mode", "prefill_cache"),), tag=_HIT, since="0.5.7", optional=True),
    Metric(_HITS, "sglang:cached_tokens_total", tag=_HIT, since="0.4.4", optional=True, zero_with=_GRAMMAR),
    Metric(
        "engine.spec_accept_ratio",
        "sglang:spec_accept_rate",
        times=_ACCEPT_LENGTH,
        over=_ACCEPT_LENGTH,
        since="0.5.4",
        optional=True,
    ),
    Metric(
        "engine.spec_accept_length",
        "sglang:spec_accept_length",
        times=_ACCEPT_LENGTH,
        over=_ACCEPT_LENGTH,
        optional=True,
    ),
    Metric("engine.lora_active", "sglang:lora_pool_slots_used", since="0.5.7", optional=True),
    Metric(
        "engine.lora_active",
        "sglang:lora_pool_utilization",
        times=Operand("sglang:lora_pool_slots_total"),
        since="0.5.7",
        optional=True,
    ),
    Metric("engine.lora_slots", "sglang:lora_pool_slots_total", since="0.5.7", optional=True),
    Metric("engine.kv_transfer_time", _TRANSFER, scale=1e-3, since="0.5.10", optional=True),
    Metric(  # by itself and over itself: the gauge is 0 until the first transfer, and without any
        "engine.kv_transfer_time.mean",
        _TRANSFER,
        scale=1e-3,
        times=Operand(_TRANSFER),
        over=Operand(_TRANSFER),
        until="0.5.10",
        optional=True,
    ),
    Metric("engine.kv_transfer_failures", "sglang:num_transfer_failed_reqs_total", optional=True),
    Metric(
        "engine.kv_transfer_failures",
        "sglang:num_bootstrap_failed_reqs_total",
        tag=(("part", "bootstrap"),),
        optional=True,
    ),
    Metric("engine.rank_sync_wait", "sglang:dp_attention_sync_wait_seconds", since="0.5.22", optional=True),
    Metric("engine.model_flops", "sglang:estimated_flops_per_gpu_total", tag=_SECONDS, since="0.5.10", optional=True),
    Metric("engine.startup_time", _STARTUP, where=(("phase", "tokenizer_e2e"),), since="0.5.18", optional=True),
    Metric("engine.startup_time", _STARTUP, where=(("phase", "scheduler_e2e"),), since="0.5.18", optional=True),
    Metric(
        "engine.startup_time",
        _STARTED_IN,
        times=Operand(_STARTED_IN),
        over=Operand(_STARTED_IN),
        until="0.5.18",
        optional=True,
    ),
    *(
        Metric(name, _CPU, where=(("component", f"~{part}.*"),), tag=(("counted", part),), since="0.5.9", optional=True)
        for name in ("engine.frontend_cpu", "engine.frontend_process_cpu")
        for part in ("tokenizer", "detokenizer")
    ),
    *(
        Metric(name, metric, where=where, tag=_SECONDS, since=since, optional=True)
        for name in ("engine.core_cpu", "engine.core_process_cpu")
        for metric, where, since in (
            (_SCHEDULER_CPU, (), "0.5.20"),
            (_CPU, (("component", "~scheduler.*"),), "0.5.9"),
        )
    ),
)

_INFO_ROUTES = ("/server_info", "/get_server_info")
"""The second is the older name; releases that have both answer the same."""

ADAPTER = Adapter(
    name="sglang",
    title="SGLang",
    prefixes=("sglang:",),
    health_path="/v1/models",
    version_route="/get_server_info",
    known_by="schedule_policy",
    rank_label="dp_rank",
    moving=(),  # no sample moves at every poll of an idle engine in every release
    metrics=METRICS,
    label_facts=(LabelFact("engine.kv_cache_capacity", "sglang:cache_config_info", ("num_pages", "page_size")),),
    info_facts=(
        InfoFact("engine.model", "/v1/models", "data.0.id"),
        InfoFact("engine.max_model_len", "/v1/models", "data.0.max_model_len"),
        *(
            fact
            for route in _INFO_ROUTES
            for fact in (
                InfoFact("engine.version", route, "version"),
                InfoFact(
                    "engine.max_num_seqs",
                    route,
                    "internal_states.0.effective_max_running_requests_per_dp",
                    tag=_SERVER,
                ),
                InfoFact("engine.max_batched_tokens", route, "chunked_prefill_size"),
                InfoFact("engine.max_batched_tokens", route, "max_prefill_tokens"),
                InfoFact("engine.chunked_prefill", route, "chunked_prefill_size", ceiling=1.0),
                InfoFact("engine.gpu_memory_fraction", route, "mem_fraction_static"),
                InfoFact("engine.tensor_parallel", route, "tp_size"),
                InfoFact("engine.data_parallel", route, "dp_size"),
                InfoFact("engine.cpu_offload", route, "cpu_offload_gb", scale=2.0**30),
                InfoFact("engine.cpu_offload", route, "hicache_size", scale=2.0**30, tag=(("of", "kv"),)),
                InfoFact("engine.prefix_first_policy", route, "schedule_policy", equals=("lpm", "dfs-weight")),
                InfoFact("engine.prefill_only", route, "disaggregation_mode", equals=("prefill",)),
                InfoFact("engine.kv_connector", route, "disaggregation_mode", equals=("prefill", "decode")),
                InfoFact("engine.spec_tokens", route, "speculative_num_draft_tokens"),
                InfoFact("engine.captured_batch", route, "cuda_graph_max_bs"),
                InfoFact("engine.captured_batch", route, "cuda_graph_config.decode.max_bs"),
            )
        ),
    ),
    flags=(
        Flag("engine.max_num_seqs", ("--max-running-requests",), tag=_ARGV),
        Flag("engine.max_model_len", ("--context-length",), tag=_ARGV),
        Flag("engine.gpu_memory_fraction", ("--mem-fraction-static",), tag=_ARGV),
        Flag("engine.tensor_parallel", ("--tensor-parallel-size", "--tp-size", "--tp"), tag=_ARGV),
        Flag("engine.data_parallel", ("--data-parallel-size", "--dp-size", "--dp"), tag=_ARGV),
        Flag("engine.max_batched_tokens", ("--chunked-prefill-size",), tag=_ARGV),
        Flag("engine.cpu_offload", ("--cpu-offload-gb",), scale=2.0**30, tag=_ARGV),
        Flag("engine.cpu_offload", ("--hicache-size",), scale=2.0**30, tag=(("of", "kv"), *_ARGV)),
        Flag("engine.lora_slots", ("--max-loras-per-batch",), tag=_ARGV),
        Flag("engine.prefill_only", ("--is-embedding",), value=1.0, tag=_ARGV),
        Flag("engine.prefill_only", ("--disaggregation-mode",)),
        Flag("engine.kv_connector", ("--disaggregation-mode",), value=1.0, tag=_ARGV),
        Flag("engine.kv_connector", ("--enable-hierarchical-cache",), value=1.0, tag=_ARGV),
        Flag("engine.spec_tokens", ("--speculative-num-draft-tokens",), tag=_ARGV),
    ),
    defaults=(
        Default("engine.tensor_parallel", 1),
        Default("engine.data_parallel", 1),
        Default("engine.kv_connector", 0),
    ),
    processes=Roles(
        frontend=r"^sglang::(detokenizer|tokenizer|http_server|router)",
        core=r"^sglang::(scheduler|data_parallel_controller)",
        launcher=(
            program(r"sglang(?:\s+-\S+)*\s+serve\b"),
            program(r"sglang\.launch_server\b"),
            r"\bsglang/launch_server\.py\b",
        ),
    ),
    default_port=30000,
    config="port",
    copy_labels=("tp_rank", "pp_rank", "moe_ep_rank", "moe_dp_rank", "attn_cp_rank", "attn_tp_rank"),
    never_read=("/health", "/health_generate", "/generate", "/v1/completions", "/v1/chat/completions", "/flush_cache"),
    page_hint="it answers as SGLang but has no metrics page: it was started without --enable-metrics; "
    "restart it with that flag to see queues, latencies and KV use",
    unexported=("engine.asleep", "engine.spec_deep_accept_ratio"),
)
