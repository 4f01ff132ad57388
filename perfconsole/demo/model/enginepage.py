"""The metrics page of the simulated engine: names and labels as vLLM 0.32 has them, numbers from the model.

Pure. What belongs to the process that serves the page (`process_*`, `python_*`, `http_*`) stands elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.demo.model.pagetext import Labels, PageText

if TYPE_CHECKING:
    from perfconsole.demo.model.engine import EngineModel
    from perfconsole.demo.model.enginestats import EngineStats

MODEL = "simulated-8b"
VERSION = "0.32.0+simulated"
_OWN: Labels = (("engine", "0"), ("model_name", MODEL))
_UNUSED_BEFORE = ("estimated_flops_per_gpu", "estimated_read_bytes_per_gpu", "estimated_write_bytes_per_gpu")
_CACHES = (
    *("prefix_cache_queries", "prefix_cache_hits", "external_prefix_cache_queries", "external_prefix_cache_hits"),
    *("mm_cache_queries", "mm_cache_hits"),
)
_TIERS = ("device", "host", "p2p", "disk", "external_unspecified")
_UNKNOWN_CACHE_FACTS = (
    *("cache_hit_alignment_tokens", "hash_block_size", "kv_cache_layout", "kv_cache_memory_bytes"),
    *("kv_offloading_size", "mamba_block_size", "mamba_page_size_padded", "num_cpu_blocks"),
    *("num_gpu_blocks_override", "prefix_match_unit", "skip_page_size_padded", "sliding_window"),
)
_CACHE_FACTS = (
    *(("_block_size_resolved", "True"), ("cache_dtype", "auto"), ("enable_mamba_shared_prefix_checkpoint", "False")),
    *(("enable_prefix_caching", "False"), ("gpu_memory_utilization", "0.92"), ("is_attention_free", "False")),
    *(("kv_cache_dtype_skip_layers", "[]"), ("kv_offloading_backend", "native"), ("kv_sharing_fast_prefill", "False")),
    *(("mamba_cache_dtype", "auto"), ("mamba_cache_mode", "none"), ("mamba_ssm_cache_dtype", "float32")),
    *(("prefix_cache_retention_interval", "0"), ("prefix_caching_hash_algo", "sha256"), ("replayssm_buffer_len", "16")),
    *(("swa_bounded_replay", "True"), ("use_kda_recoverssm", "False"), ("use_replayssm", "False")),
    ("user_specified_block_size", "False"),
)


def render(engine: EngineModel, born: float) -> str:
    """The engine's part of the page; `born` is the epoch second of its start."""
    page = PageText(born)
    stats = engine.stats
    for name in _UNUSED_BEFORE:
        page.counter(f"vllm:{name}", [(_OWN, 0)])
    _gauges(page, engine)
    for name in _CACHES:  # prefix caching is off, there are no pictures
        page.counter(f"vllm:{name}", [(_OWN, 0)])
    _counters(page, stats)
    _histograms(page, stats)
    page.gauge("vllm:cache_config_info", [(_cache_facts(engine), 1)])
    return page.text


def _with(name: str, value: str) -> Labels:
    return (*_OWN, (name, value))


def _gauges(page: PageText, engine: EngineModel) -> None:
    waiting = engine.queued
    reasons = (("capacity", waiting), ("deferred", 0))
    sleep = (("awake", 1), ("weights_offloaded", 0), ("discard_all", 0))
    page.gauge("vllm:num_requests_running", [(_OWN, len(engine.running))])
    page.gauge("vllm:num_requests_waiting", [(_OWN, waiting)])
    page.gauge("vllm:num_requests_waiting_by_reason", [(_with("reason", r), n) for r, n in reasons])
    page.gauge("vllm:engine_sleep_state", [(_with("sleep_state", s), n) for s, n in sleep])
    page.gauge("vllm:kv_cache_usage_perc", [(_OWN, engine.kv_usage)])


def _counters(page: PageText, stats: EngineStats) -> None:
    sources = (("local_compute", stats.prompt_tokens), ("local_cache_hit", 0), ("external_kv_transfer", 0))
    ended = [(str(ending), count) for ending, count in stats.ended.items()] + [("error", 0), ("repetition", 0)]
    page.counter("vllm:num_preemptions", [(_OWN, stats.preemptions)])
    page.counter("vllm:prompt_tokens", [(_OWN, stats.prompt_tokens)])
    page.counter("vllm:prompt_tokens_by_source", [(_with("source", s), n) for s, n in sources])
    page.counter("vllm:prompt_tokens_cached", [(_OWN, 0)])
    page.counter("vllm:prompt_tokens_cached_by_source", [(_with("source", tier), 0) for tier in _TIERS])
    page.counter("vllm:generation_tokens", [(_OWN, stats.generation_tokens)])
    page.counter("vllm:request_success", [(_with("finished_reason", reason), n) for reason, n in ended])
    limits = ("max_num_queued_reqs", "max_num_queued_tokens")
    page.counter("vllm:admission_rejections", [((("model_name", MODEL), ("reason", limit)), 0) for limit in limits])


def _histograms(page: PageText, stats: EngineStats) -> None:
    table = (
        ("request_prompt_tokens", stats.prompt_length),
        ("request_generation_tokens", stats.output_length),
        ("iteration_tokens_total", stats.step_tokens),
        ("request_max_num_generation_tokens", stats.output_length),
        ("request_params_n", stats.choices),
        ("request_params_max_tokens", stats.output_length),
        ("time_to_first_token_seconds", stats.ttft),
        ("inter_token_latency_seconds", stats.itl),
        ("request_time_per_output_token_seconds", stats.tpot),
        ("e2e_request_latency_seconds", stats.e2e),
        ("request_queue_time_seconds", stats.queue),
        ("request_inference_time_seconds", stats.inference),
        ("request_prefill_time_seconds", stats.prefill),
        ("request_decode_time_seconds", stats.decode),
        ("request_num_preemptions", stats.times_preempted),
        ("request_prefill_kv_computed_tokens", stats.prompt_length),
    )
    for name, histogram in table:
        page.histogram(f"vllm:{name}", [(_OWN, histogram)])


def _cache_facts(engine: EngineModel) -> Labels:
    size = engine.size
    tokens = size.blocks * size.block_tokens
    numbers = (
        *(("block_size", size.block_tokens), ("effective_attention_block_size", size.block_tokens)),
        *(("num_gpu_blocks", size.blocks), ("kv_cache_size_tokens", tokens)),
    )
    return (
        *_CACHE_FACTS,
        *((name, "None") for name in _UNKNOWN_CACHE_FACTS),
        *((name, str(number)) for name, number in numbers),
        ("kv_cache_max_concurrency", f"{tokens / size.max_model_len:.2f}"),
        ("engine", "0"),
    )
