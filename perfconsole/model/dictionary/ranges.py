"""Between which values an indicator can lie at all: a share from 0 to 1, a state 0 or 1, a count never below 0.

Owns which ratios are factors and what may be negative; it must never know a threshold or a measured value.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.dictionary.entry import Entry

Range = tuple[float, float]

FACTORS = frozenset(
    (
        "gateway.retry_ratio",
        "gateway.saturation",
        "gateway.amplification",
        "gateway.arrival_burst",
        "gateway.adder_growth",
        "gateway.upstream_spread",
        "gateway.store_cpu",
        "orchestration.context_builds_per_task",
        "orchestration.context_growth",
        "orchestration.llm_calls_per_task",
        "orchestration.retrievals_per_task",
        "orchestration.tool_calls_per_task",
        "engine.scrape_stall_ratio",
        "engine.load_ratio",
        "engine.delivery_ratio",
        "engine.scaling",
        "engine.kv_max_concurrency",
        "engine.preemption_ratio",
        "gpu.power_ratio",
        "gpu.fan",
        "probe.throughput_gain",
        "probe.ttft_repeat_ratio",
        "probe.bypass_ttft_ratio",
        "probe.itl_growth",
        "probe.neutral_speedup",
        "probe.plain_speedup",
        "probe.text_speedup",
    )
)
"""Ratios of one thing to another, which may pass 1; every other ratio is a share of a whole."""

_SIGNED = frozenset(
    (
        "gateway.adder_growth",
        "gateway.upstream_spread",
        "engine.scaling",
        "engine.unadmitted",
        "engine.stall_growth",
        "host.process_rss_growth",
        "gpu.mem_growth",
        "gpu.temp_margin",
        "probe.throughput_gain",
    )
)
_SIGNED_TAILS = ("_growth", "_margin", "_step", "_trend", "_drift", "_change")
_SIGNED_UNITS = ("°C", "enum")


def range_of(entry: Entry) -> Range:
    """Lowest and highest value that the indicator can have, both included, in base units."""
    if entry.unit == "0/1":
        return 0.0, 1.0
    signed = entry.name in _SIGNED or entry.name.endswith(_SIGNED_TAILS) or entry.unit in _SIGNED_UNITS
    share = entry.unit == "ratio" and entry.name not in FACTORS
    return -inf if signed else 0.0, 1.0 if share else inf
