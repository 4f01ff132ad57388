"""llama.cpp's server, builds of 2024 to b10434: names, facts of /props, and the slots.

Traps kept in mind: no labels, no histograms and no count of requests; reading the page resets the two gauges of
tokens a second, so that only counters are used; the token counters move when a request ends, decode calls times busy
slots a call as they happen (in six digits, so that it may fall by a few tokens after some million calls); n_tokens_max
is a maximum of type counter; the KV gauges went in May 2025, after which only /slots tells; without --metrics the page
is a 501, and a 503 while a model loads; a poll of the page or the slots keeps a server with a sleep timer awake.

/slots may hold prompts: its converter looks at numbers only. prompt_seconds by prompt_tokens would be the time of one
prompt token and not of a prefill, so that engine.prefill_time is left out.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Default, Flag, InfoFact, Metric, Operand, SidePage
from perfconsole.sources.roles import Roles, program

_HITS = "engine.prefix_cache_hit_ratio"
_SPEC = "engine.spec_accept_ratio"
_ARGV = (("origin", "argv"),)
_SERVER = (("origin", "server-info"),)
_LOOKED_UP = ("part", "looked-up")
_PROPS = "/props"
_CONTEXT = "default_generation_settings.n_ctx"
_DECODES = "llamacpp:n_decode_total"
_ACCEPTED = "llamacpp:spec_decode_num_accepted_tokens_total"
_COMPUTED = "llamacpp:prompt_tokens_total"
_CACHED = "llamacpp:prompt_tokens_cached_total"

METRICS = (
    Metric("engine.requests_running", "llamacpp:requests_processing"),
    Metric("engine.requests_running", "llamacpp:slots_busy", optional=True),
    Metric("engine.requests_waiting", "llamacpp:requests_deferred"),
    Metric("engine.kv_cache_usage", "llamacpp:kv_cache_usage_ratio", optional=True),
    Metric(
        "engine.kv_cache_usage",
        "llamacpp:slots_held_tokens",
        over=Operand("llamacpp:slots_context_tokens"),
        optional=True,
    ),
    Metric("engine.prompt_tokens", _COMPUTED),
    Metric("engine.generation_tokens", "llamacpp:tokens_predicted_total", tag=(("counted", "at-finish"),)),
    Metric(
        "engine.generation_rate",
        _DECODES,
        times=Operand("llamacpp:n_busy_slots_per_decode"),
        tag=(("counted", "live"),),
        optional=True,
    ),
    Metric("engine.generation_rate", _ACCEPTED, tag=(("counted", "live"), ("of", "drafts")), optional=True),
    Metric("engine.step_time", _DECODES, tag=(("counted", "steps"),), optional=True),
    Metric(
        "engine.tpot",
        "llamacpp:tokens_predicted_seconds_total",
        count=Operand("llamacpp:tokens_predicted_total"),
        optional=True,
    ),
    Metric(_HITS, _CACHED, tag=(("part", "hit"),), optional=True),
    Metric(_HITS, _CACHED, tag=(_LOOKED_UP, ("of", "cached")), optional=True),
    Metric(_HITS, _COMPUTED, tag=(_LOOKED_UP, ("of", "computed"))),
    Metric(_SPEC, _ACCEPTED, tag=(("part", "accepted"),), optional=True),
    Metric(_SPEC, "llamacpp:spec_decode_num_draft_tokens_total", tag=(("part", "draft"),), optional=True),
    Metric(_SPEC, "llamacpp:spec_decode_num_drafts_total", tag=(("part", "drafts"),), optional=True),
    Metric(
        "engine.spec_deep_accept_ratio",
        "llamacpp:spec_decode_num_accepted_tokens_per_pos_total",
        ordinal="position",
        optional=True,
    ),
)

ADAPTER = Adapter(
    name="llamacpp",
    title="llama.cpp",
    prefixes=("llamacpp:",),
    health_path="/health",
    version_route=_PROPS,
    known_by="default_generation_settings",
    metrics=METRICS,
    beside=(SidePage("/slots", "llamacpp-slots"),),
    info_facts=(
        InfoFact("engine.version", _PROPS, "build_info"),
        InfoFact("engine.max_num_seqs", _PROPS, "total_slots", tag=_SERVER),
        InfoFact("engine.max_model_len", _PROPS, _CONTEXT),
        InfoFact("engine.context_length", _PROPS, _CONTEXT, times="total_slots"),
        InfoFact("engine.kv_cache_capacity", _PROPS, _CONTEXT, times="total_slots"),
        InfoFact("engine.asleep", _PROPS, "is_sleeping", equals=("true",)),
        InfoFact("engine.model", _PROPS, "model_alias"),
        InfoFact("engine.model", "/v1/models", "data.0.id"),
    ),
    flags=(
        Flag("engine.max_num_seqs", ("--parallel", "-np"), tag=_ARGV),
        Flag("engine.context_length", ("--ctx-size", "-c"), tag=_ARGV),
        Flag("engine.max_batched_tokens", ("--batch-size", "-b")),
        Flag("engine.prefill_only", ("--embedding", "--embeddings", "--reranking", "--rerank"), value=1.0),
        Flag("engine.spec_tokens", ("--spec-draft-n-max", "--draft-max", "--draft-n", "--draft")),
        Flag("engine.spec_tokens", ("--model-draft", "-md", "--spec-type")),
    ),
    defaults=(
        Default("engine.chunked_prefill", 1),
        Default("engine.data_parallel", 1),
        Default("engine.kv_connector", 0),
        Default("engine.prefix_first_policy", 0),
        Default("engine.prefill_only", 0),
        Default("engine.spec_tokens", 0),
    ),
    processes=Roles(
        core=r"^(?:\S*/)?llama(?:-server(?:-\w+)?(?:\s|$)|\s+serve\b)",  # its busiest thread is the one that decodes
        launcher=(program(r"llama-server(?:-\w+)?(?:\s|$)"), program(r"llama\s+serve\b")),
    ),
    default_port=8080,
    page_hint="it answers as llama.cpp but its page of metrics is switched off: start it with --metrics to see queues "
    "and tokens",
    unexported=("engine.graph_ratio",),
)
