"""Text Generation Inference 1 to 3, and LoRAX, which left it at 0.9 and writes `lorax_` before the same names.

Traps kept in mind: nothing is on the page before its first event; counters have no _total; a failure is what `err` says
(overloaded is a refusal, dropped a caller that left, validation and template are the caller's mistakes, the rest the
server's); lengths and tokens of requests are counted when they end, tokens beyond the first of each step and request
(skipped_tokens) as they happen; batch_current_max_tokens is what the batch may still need and not what it holds;
request_inference_duration begins with the prefill; max_concurrent_requests of /info limits admission and not the
batch; there is no time to first token. /health asks the shards for one small allocation, and only while they are ill
for a token.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Default, Flag, InfoFact, Metric, Operand
from perfconsole.sources.roles import Roles, program

_APART = (("in_finished", "no"),)
_ARGV = (("origin", "argv"),)
_SERVER = (("origin", "server-info"),)
_LIVE = (("counted", "live"),)
_SPEC = "engine.spec_accept_ratio"
_DECODE = (("method", "decode"),)
_OURS = (("err", "~(?!overloaded$|dropped$|validation$|template$|bad_request$).*"),)
_INFO = "/info"
_FORKS = ("tgi", "lorax")

METRICS = (
    *(Metric("engine.requests_running", f"{fork}_batch_current_size", optional=True) for fork in _FORKS),
    Metric("engine.requests_waiting", "tgi_queue_size", optional=True),
    Metric("engine.requests_waiting", "lorax_queue_length", optional=True),
    *(
        Metric(indicator, f"{fork}_{name}", where=where, tag=tag, optional=True, zero_with=f"{fork}_request_count")
        for fork in _FORKS
        for indicator, name, where, tag in (
            ("engine.requests_finished", "request_success", (), ()),
            ("engine.requests_failed", "request_failure", _OURS, _APART),
            ("engine.requests_aborted", "request_failure", (("err", "dropped"),), _APART),
            ("engine.requests_rejected", "request_failure", (("err", "overloaded"),), ()),
        )
    ),
    Metric(
        "engine.kv_cache_usage",
        "tgi_batch_current_max_tokens",
        over=Operand("tgi_batch_max_total_tokens"),
        ceiling=1.0,
        since="3",
        optional=True,
    ),
    Metric("engine.kv_cache_capacity", "tgi_batch_max_total_tokens", since="3", optional=True),
    *(
        Metric(indicator, f"{fork}_{name}", where=where, tag=tag, optional=True)
        for fork in _FORKS
        for indicator, name, where, tag in (
            ("engine.prompt_tokens", "request_input_length_sum", (), ()),
            ("engine.generation_tokens", "request_generated_tokens_sum", (), (("counted", "at-finish"),)),
            ("engine.generation_rate", "request_skipped_tokens_count", (), (*_LIVE, ("of", "steps"))),
            ("engine.generation_rate", "request_skipped_tokens_sum", (), (*_LIVE, ("of", "drafts"))),
            ("engine.e2e", "request_duration", (), ()),
            ("engine.queue_time", "request_queue_duration", (), ()),
            ("engine.decode_time", "request_inference_duration", (), ()),
            ("engine.tpot", "request_mean_time_per_token_duration", (), ()),
            ("engine.itl", "batch_inference_duration", _DECODE, (("taken", "core"),)),
            ("engine.prompt_length", "request_input_length", (), ()),
            ("engine.output_length", "request_generated_tokens", (), ()),
            ("engine.step_time", "batch_inference_count", (), (("counted", "steps"),)),
            ("engine.busy", "batch_inference_duration_sum", (), (("counted", "seconds"),)),
            (_SPEC, "request_skipped_tokens_count", (), (("part", "drafts"),)),
        )
    ),
    *(
        # By itself and over itself: without speculation it is 0, and then there is no acceptance to speak of.
        Metric(
            _SPEC,
            f"{fork}_request_skipped_tokens_sum",
            tag=(("part", "accepted"),),
            times=Operand(f"{fork}_request_skipped_tokens_sum"),
            over=Operand(f"{fork}_request_skipped_tokens_sum"),
            optional=True,
        )
        for fork in _FORKS
    ),
)

ADAPTER = Adapter(
    name="tgi",
    title="TGI",
    prefixes=("tgi_", "lorax_"),
    health_path="/health",
    version_route=_INFO,
    metrics=METRICS,
    info_facts=(
        InfoFact("engine.version", _INFO, "version"),
        InfoFact("engine.model", _INFO, "model_id"),
        InfoFact("engine.max_model_len", _INFO, "max_total_tokens"),
        InfoFact("engine.max_num_seqs", _INFO, "max_batch_size", tag=_SERVER),
        InfoFact("engine.kv_cache_capacity", _INFO, "max_batch_total_tokens"),
    ),
    flags=(
        Flag("engine.max_num_seqs", ("--max-batch-size",), tag=_ARGV),
        Flag("engine.max_model_len", ("--max-total-tokens",), tag=_ARGV),
        Flag("engine.max_batched_tokens", ("--max-batch-prefill-tokens",)),
        Flag("engine.tensor_parallel", ("--num-shard",)),
        Flag("engine.gpu_memory_fraction", ("--cuda-memory-fraction",)),
        Flag("engine.spec_tokens", ("--speculate", "--speculative-tokens")),
        Flag("engine.lora_slots", ("--max-active-adapters",)),
    ),
    defaults=(
        Default("engine.data_parallel", 1),
        Default("engine.kv_connector", 0),
        Default("engine.prefix_first_policy", 0),
        Default("engine.spec_tokens", 0),
    ),
    processes=Roles(
        frontend=r"(?:^|/)(?:text-generation|lorax)-router\b",
        worker=r"(?:^|/)(?:text-generation|lorax)-server\b",
        launcher=(program(r"(?:text-generation|lorax)-launcher\b"),),
    ),
    default_port=3000,
    unexported=(
        "engine.asleep",
        "engine.graph_ratio",
        "engine.http_inflight",
        "engine.prefix_cache_hit_ratio",
        "engine.spec_deep_accept_ratio",
    ),
)
