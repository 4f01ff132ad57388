"""What engines write of themselves at their start, and what it is worth: one literal table. Pure.

A row is tried only on lines that hold its `gate`, and only from the first word of the message on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[[re.Match[str]], dict[str, float]]

_GIB = 2.0**30
_UNIT = {"K": 2.0**10, "M": 2.0**20, "G": _GIB}
CAP = "engine.max_num_seqs"
WEIGHTS = "engine.weight_share"
LABELS = {CAP: (("origin", "server-info"),), WEIGHTS: (("part", "gpu-bytes"),)}
"""What a fact is: the cap with its origin, and bytes of weights on one GPU, of which the share is derived."""
SMALLEST = frozenset({"engine.kv_cache_capacity", "engine.kv_max_concurrency", "engine.kv_pool"})
"""Each worker says its own; the smallest of them is what counts."""


@dataclass(frozen=True, slots=True)
class Wording:
    """How one fact is written."""

    gate: bytes
    pattern: re.Pattern[str]
    read: Read


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _sglang_limits(match: re.Match[str]) -> dict[str, float]:
    """The scheduler's line; a chunk of -1 or None means that prompts are not split."""
    fields = dict(re.findall(r"(\w+)=(-?\d+(?:\.\d+)?)", match[0]))
    chunk = float(fields.get("chunked_prefill_size", -1))
    found = {"engine.chunked_prefill": 1.0 if chunk > 0 else 0.0} if "chunked_prefill_size=" in match[0] else {}
    budget = chunk if chunk > 0 else float(fields.get("max_prefill_tokens", 0))
    tokens, context = float(fields["max_total_num_tokens"]), float(fields.get("context_len", 0))
    running = float(fields.get("max_running_requests", 0))
    return found | {
        name: value
        for name, value in (
            ("engine.max_batched_tokens", budget),
            ("engine.kv_cache_capacity", tokens),
            ("engine.kv_max_concurrency", tokens / context if context else 0.0),
            (CAP, running),
        )
        if value > 0
    }


def _vllm_config(match: re.Match[str]) -> dict[str, float]:
    """The line of the engine's configuration: largest graph, in requests; nothing where none is captured."""
    text = match.string
    no_graphs = re.search(
        r"enforce_eager=True|device_config=cpu|cudagraph_mode['\"]?: ?(?:0\b|<CUDAGraphMode\.NONE)"
        r"|use_cudagraph\":false",
        text,
    )
    sizes = re.search(r"cudagraph_capture_sizes['\"]?: ?\[([\d, ]+)\]", text)
    largest = re.search(r"(?:max_cudagraph_capture_size|max_capture_size)['\"]?: ?(\d+)", text)
    tokens = (
        max((int(n) for n in re.findall(r"\d+", sizes[1])), default=0) if sizes else int(largest[1]) if largest else 0
    )
    if no_graphs or not tokens:
        return {}
    step = re.search(r"num_spec_tokens=(\d+)", text)
    # A step that verifies n guesses has n + 1 tokens a request, and sizes are counted in tokens.
    return {"engine.captured_batch": float(tokens // (1 + int(step[1]) if step else 1))}


def _vllm_arguments(match: re.Match[str]) -> dict[str, float]:
    found = re.search(r"'max_num_seqs': (\d+)", match.string)
    return {CAP: float(found[1])} if found else {}


def _largest_graph(match: re.Match[str]) -> dict[str, float]:
    return {"engine.captured_batch": float(max(int(n) for n in re.findall(r"\d+", match[1])))}


def _one(name: str, scale: float = 1.0) -> Read:
    return lambda match: {name: _number(match[1]) * scale}


FACTS: tuple[Wording, ...] = (
    Wording(
        b"Chunked prefill is enabled",
        re.compile(r"Chunked prefill is enabled with max_num_batched_tokens=(\d+)"),
        lambda m: {"engine.chunked_prefill": 1.0, "engine.max_batched_tokens": float(m[1])},
    ),
    Wording(
        b"KV cache size:",
        re.compile(r"(?:(?:GPU|CPU|TPU|HPU) )?KV cache size: ([\d,]+) tokens"),
        _one("engine.kv_cache_capacity"),
    ),
    Wording(
        b"Maximum concurrency for",
        re.compile(r"(?:.{0,40}tokens, )?Maximum concurrency for [\d,]+ tokens per request: ([\d.,]+)x"),
        _one("engine.kv_max_concurrency"),
    ),
    Wording(
        b"Available KV cache memory",
        re.compile(r"Available KV cache memory: ([\d.]+) GiB"),
        _one("engine.kv_pool", _GIB),
    ),
    Wording(
        b"reserved for KV Cache is",
        re.compile(r".{0,200}the rest of the memory reserved for KV Cache is ([\d.]+) ?GiB"),
        _one("engine.kv_pool", _GIB),
    ),
    Wording(
        b"odel loading took",
        re.compile(r"Model loading took ([\d.]+) GiB"),
        _one(WEIGHTS, _GIB),
    ),
    Wording(
        b"Loading model weights took",
        re.compile(r"Loading model weights took ([\d.]+) GB"),  # vLLM's GB are of 1024
        _one(WEIGHTS, _GIB),
    ),
    Wording(
        b"Load weight end",
        re.compile(r"Load weight end\..*mem usage=([\d.]+) GB"),
        _one(WEIGHTS, _GIB),
    ),
    Wording(b"LLM engine (v", re.compile(r"Initializing an? (?:V\d )?LLM engine \(v"), _vllm_config),
    Wording(b"non-default args:", re.compile(r"non-default args: \{"), _vllm_arguments),
    Wording(
        b"Capping cudagraph capture sizes",
        re.compile(r"Capping cudagraph capture sizes from max \d+ to (\d+)"),
        _one("engine.captured_batch"),
    ),
    Wording(b"Capture cuda graph bs", re.compile(r"Capture cuda graph bs \[([\d, ]*\d[\d, ]*)\]"), _largest_graph),
    Wording(b"max_total_num_tokens=", re.compile(r"max_total_num_tokens=\d+, .*"), _sglang_limits),
    Wording(
        b"KV Cache is allocated",
        re.compile(r"KV Cache is allocated\..*?K size: ([\d.]+) GB, V size: ([\d.]+) GB"),
        lambda m: {"engine.kv_pool": (float(m[1]) + float(m[2])) * _GIB},  # SGLang's GB are of 1024
    ),
    Wording(
        b"KV Cache is allocated",
        re.compile(r"KV Cache is allocated\..*?KV size: ([\d.]+) GB"),
        _one("engine.kv_pool", _GIB),
    ),
    Wording(
        b"layers to GPU",
        re.compile(r"(?:\w+: )*offloaded (\d+)/([1-9]\d*) layers to GPU"),
        lambda m: {"engine.layers_on_gpu": float(m[1]) / float(m[2])},
    ),
    Wording(
        b"initializing slots, n_slots",
        re.compile(r"(?:\w+ +\w+: |\w+: )*initializing slots, n_slots = (\d+)"),
        _one(CAP),
    ),
    Wording(
        b"] via ",
        re.compile(r"\S+:\d+:\d+ \[\d+\] NCCL INFO Channel .*\] via (SHM|P2P|NET)"),
        lambda m: {"engine.nccl_shm": float(m[1] == "SHM")},
    ),
)

BEGINS: tuple[tuple[bytes, re.Pattern[str]], ...] = (
    (b"vLLM API server version", re.compile(r"vLLM API server version")),
    (b"server_args=ServerArgs(", re.compile(r"server_args=ServerArgs\(")),
    (b"build: ", re.compile(r"(?:main: )?build: \d+ \(\w+\) with ")),
)
"""First line of a start: what was said before is of another run."""
WARMS_UP = b"server_args=ServerArgs("
"""An engine that says it serves before it has warmed up: only its later word counts."""
READY: tuple[tuple[bytes, re.Pattern[str]], ...] = (
    (b"Application startup complete", re.compile(r"Application startup complete")),
    (b"The server is fired up", re.compile(r"The server is fired up and ready to roll")),
    (b"server is listening on", re.compile(r"(?:main: |srv +\w+: )?server is listening on")),
    (b"init engine (profile", re.compile(r"init engine \(profile")),
)
CORE_READY = b"init engine (profile"
"""The core of an engine is ready; where a server stands in front of it, that says so later."""
FIRED_UP = b"The server is fired up"
