"""LMDeploy 0.9 to 0.18: names, renames, facts and flags of `lmdeploy serve api_server`.

Traps kept in mind: `_perc` is a ratio; requests succeeded, completed, finished and failed are gauges that only rise,
by the release one or the other of them; only a request that ended well is counted by reason, and failures (those whose
caller left and those aborted among them, which it cannot split) are counted apart; a request waits first for a free
handle at the API and then in the engine, and both queues are on the page since 0.12.1. The gap between outputs is
taken in the front-end, whole since 0.10, and divided by the new tokens under its older name. Its hit rate is that since
the start, and cached tokens are counted when a request ends. It has no counter of preemptions.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Flag, InfoFact, LabelFact, Metric
from perfconsole.sources.roles import Roles, program

_HITS = "engine.prefix_cache_hit_ratio"
_SPEC = "engine.spec_accept_ratio"
_AT_FRONT = (("taken", "frontend"),)
_ARGV = (("origin", "argv"),)
_CONFIG = "lmdeploy:backend_config_info"

METRICS = (
    Metric("engine.requests_running", "lmdeploy:num_requests_running"),
    Metric("engine.rank_running", "lmdeploy:num_requests_running"),
    Metric("engine.requests_waiting", "lmdeploy:num_requests_waiting", tag=(("at", "engine"),)),
    Metric("engine.requests_waiting", "lmdeploy:num_api_requests_waiting", tag=(("at", "api"),), since="0.12.1"),
    Metric("engine.requests_finished", "lmdeploy:request_success_total"),
    Metric("engine.requests_finished", "lmdeploy:num_requests_succeeded", since="0.12.3"),
    Metric("engine.requests_finished", "lmdeploy:num_requests_completed", since="0.12.1", until="0.12.3"),
    Metric("engine.requests_finished", "lmdeploy:num_requests_finished", until="0.12.1"),
    Metric("engine.requests_failed", "lmdeploy:num_requests_failed", tag=(("in_finished", "no"),), since="0.12.3"),
    Metric("engine.kv_cache_usage", "lmdeploy:gpu_cache_usage_perc"),
    Metric("engine.rank_kv_cache_usage", "lmdeploy:gpu_cache_usage_perc"),
    Metric("engine.prompt_tokens", "lmdeploy:prompt_tokens_total"),
    Metric("engine.generation_tokens", "lmdeploy:generation_tokens_total"),
    Metric("engine.ttft", "lmdeploy:time_to_first_token_seconds"),
    Metric("engine.itl", "lmdeploy:iter_token_latency", tag=_AT_FRONT, since="0.10"),
    Metric("engine.itl", "lmdeploy:time_per_output_token_seconds", tag=_AT_FRONT),
    Metric("engine.e2e", "lmdeploy:e2e_request_latency_seconds"),
    Metric("engine.queue_time", "lmdeploy:request_queue_time_seconds"),
    Metric("engine.prefill_time", "lmdeploy:request_prefill_time_seconds"),
    Metric("engine.decode_time", "lmdeploy:request_decode_time_seconds"),
    Metric("engine.prompt_length", "lmdeploy:request_prompt_tokens"),
    Metric("engine.output_length", "lmdeploy:request_generation_tokens"),
    Metric("engine.parallel_samples", "lmdeploy:request_params_n", until="0.9.2", optional=True),
    Metric("engine.step_tokens", "lmdeploy:iteration_tokens_total"),
    Metric(_HITS, "lmdeploy:cached_tokens_total", tag=(("part", "hit"),), since="0.14"),
    Metric(_HITS, "lmdeploy:prompt_tokens_total", tag=(("part", "looked-up"),), since="0.14"),
    Metric("engine.prefix_cache_lifetime_ratio", "lmdeploy:prefix_cache_hit_rate", since="0.14"),
    Metric(
        _SPEC,
        "lmdeploy:spec_decode_num_accepted_tokens_total",
        tag=(("part", "accepted"),),
        since="0.14",
        optional=True,
    ),
    Metric(_SPEC, "lmdeploy:spec_decode_num_draft_tokens_total", tag=(("part", "draft"),), since="0.14", optional=True),
    Metric(_SPEC, "lmdeploy:spec_decode_num_drafts_total", tag=(("part", "drafts"),), since="0.14", optional=True),
    Metric(
        "engine.spec_deep_accept_ratio",
        "lmdeploy:spec_decode_num_accepted_tokens_per_pos_total",
        ordinal="position",
        since="0.14",
        optional=True,
    ),
)

ADAPTER = Adapter(
    name="lmdeploy",
    title="LMDeploy",
    prefixes=("lmdeploy:",),
    health_path="/health",
    rank_label="engine",
    started=("process_start_time_seconds",),
    moving=("process_cpu_seconds_total",),
    metrics=METRICS,
    label_facts=(
        LabelFact("engine.max_num_seqs", _CONFIG, ("max_batch_size",)),
        LabelFact("engine.max_model_len", _CONFIG, ("session_len",)),
        LabelFact("engine.tensor_parallel", _CONFIG, ("tp",)),
        LabelFact("engine.data_parallel", _CONFIG, ("dp",)),
        LabelFact("engine.max_batched_tokens", _CONFIG, ("max_prefill_token_num",)),
    ),
    info_facts=(InfoFact("engine.model", "/v1/models", "data.0.id"),),
    flags=(
        Flag("engine.max_num_seqs", ("--max-batch-size",), tag=_ARGV),
        Flag("engine.max_model_len", ("--session-len",), tag=_ARGV),
        Flag("engine.tensor_parallel", ("--tp",), tag=_ARGV),
        Flag("engine.data_parallel", ("--dp",), tag=_ARGV),
        Flag("engine.max_batched_tokens", ("--max-prefill-token-num",), tag=_ARGV),
        Flag("engine.spec_tokens", ("--speculative-num-draft-tokens",)),
    ),
    processes=Roles(
        launcher=(
            program(r"lmdeploy\s+serve\s+api_server\b"),
            program(r"lmdeploy\.serve\.openai\.(?:api_server|launch_server)\b"),
        ),
    ),
    port_flags=("--server-port",),
    default_port=23333,
    unexported=("engine.http_inflight", "engine.kv_cache_capacity"),
)
