"""The JSON of TensorRT-LLM's /metrics, a list of what each step since the last read said, as series of its other page.

Of several steps the newest counts: what runs, what waits and the blocks in use are the state after it, and the reused
and missed blocks are sums since the start. What a step counts for itself (requests completed, tokens drafted) is left
out: no read knows what readers before it took, so that no sum of it means anything. An empty list is a page without
steps, which says nothing of the engine, and not that nothing runs.
"""

from __future__ import annotations

from math import isfinite

from perfconsole.sources.exposition import Page, PageError, RawSeries
from perfconsole.sources.otherpages.jsonpage import document

_REFUSED = "it is no list of steps of TensorRT-LLM"
_READ = "trtllm_iterations_read"
"""How many steps the read gave: what a page of none still has."""
_FIELDS = (
    ("trtllm_num_requests_running", ("numActiveRequests",), 1.0),
    ("trtllm_num_requests_waiting", ("numQueuedRequests",), 1.0),
    ("trtllm_max_num_active_requests", ("maxNumActiveRequests",), 1.0),
    ("trtllm_max_batch_size_runtime", ("maxBatchSizeRuntime",), 1.0),
    ("trtllm_max_num_tokens_runtime", ("maxNumTokensRuntime",), 1.0),
    ("trtllm_iteration_latency_seconds", ("iterLatencyMS",), 1e-3),
    ("trtllm_kv_cache_max_blocks", ("kvCacheStats", "maxNumBlocks"), 1.0),
    ("trtllm_kv_cache_used_blocks", ("kvCacheStats", "usedNumBlocks"), 1.0),
    ("trtllm_kv_cache_tokens_per_block", ("kvCacheStats", "tokensPerBlock"), 1.0),
    ("trtllm_kv_cache_hit_rate", ("kvCacheStats", "cacheHitRate"), 1.0),
    ("trtllm_kv_cache_reused_blocks_total", ("kvCacheStats", "reusedBlocks"), 1.0),
    ("trtllm_kv_cache_missed_blocks_total", ("kvCacheStats", "missedBlocks"), 1.0),
    ("trtllm_spec_decode_acceptance_length", ("specDecodingStats", "acceptanceLength"), 1.0),
)
"""Name on the other page, path in a step, factor to its unit."""


def iteration_stats(body: bytes) -> Page:
    """The newest of the steps; PageError for any other JSON, and for a step whose numbers are none."""
    steps = _steps(body)
    found = {_READ: float(len(steps))}
    if steps:
        newest = max(steps, key=lambda step: _number(step["iter"]))
        for name, path, factor in _FIELDS:
            value = _dig(newest, path)
            if value is not None:
                found[name] = _number(value) * factor
    kinds = {name: "counter" if name.endswith("_total") else "gauge" for name in found}
    return Page([RawSeries(name, ()) for name in found], list(found.values()), kinds, {})


def _steps(body: bytes) -> list[dict[str, object]]:
    steps = document(body, _REFUSED)
    if not isinstance(steps, list) or not all(isinstance(step, dict) and "iter" in step for step in steps):
        raise PageError(_REFUSED)
    return steps


def _dig(step: dict[str, object], path: tuple[str, ...]) -> object:
    """What stands at the path; None where a part of it is missing or null (a batching that does not apply)."""
    found: object = step
    for name in path:
        if found is None:
            return None
        if not isinstance(found, dict):
            raise PageError(f"{_REFUSED}: {name} does not stand in an object")
        found = found.get(name)
    return found


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PageError(f"{_REFUSED}: a number is {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:
        raise PageError(f"{_REFUSED}: a number is too large") from None
    if not isfinite(number):
        raise PageError(f"{_REFUSED}: a number is not finite")
    return number
