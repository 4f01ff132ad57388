"""What the name of an unknown series hints at: the indicator that it may fill, and the unit that it is in.

A table of words that services use. A guess is shown as one and never read by anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.model.dictionary import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.view.pagereport import Family

_COUNTER = ("counter", "unknown")
_GAUGE = ("gauge", "unknown")
_TIMES = ("histogram", "summary")
_NOT_DONE = r"token|byte|second|error|fail|retr|creat|llm|tool|running|waiting|active"
_DONE = rf"(request|task|run|job|call|message)s?(_|$)(?!.*({_NOT_DONE}))"
_FAILED = r"error|fail|exception"
_TOOK = r"duration|latency|elapsed|seconds|_time|_ms(_|$)"
_BEFORE = r"queue|wait|pending|backlog"
_HELD = r"in_?flight|in_?progress|active|running|concurrent"
_FIRST = r"ttft|first_(token|chunk|byte)"

_WORDS: dict[str, tuple[tuple[str, tuple[str, ...], str], ...]] = {
    "orchestration": (
        ("llm_tokens", _COUNTER, r"token"),
        ("errors", _COUNTER, _FAILED),
        ("requests", _COUNTER, _DONE),
        ("llm_ttft", _TIMES, _FIRST),
        ("llm_call_latency", _TIMES, r"(llm|model|completion|openai|inference).*"),
        ("tool_call_time", _TIMES, r"tool"),
        ("retrieval_time", _TIMES, r"retriev|rerank|search|vector"),
        ("context_build_time", _TIMES, r"(prompt|context).*(build|render|assembl)"),
        ("queue_time", _TIMES, _BEFORE),
        ("latency", _TIMES, _TOOK),
        (
            "workers",
            _GAUGE,
            r"(worker|slot|pool).*(busy|util|percent|ratio)|(busy|util).*(worker|slot|pool|percent)",
        ),
        ("queue_depth", _GAUGE, _BEFORE),
        ("inflight", _GAUGE, _HELD),
        ("loop_lag", _GAUGE, r"loop.*(lag|delay)"),
    ),
    "gateway": (
        ("rate_limited", _COUNTER, r"rate_?limit|thrott|429"),
        ("retries", _COUNTER, r"retr(y|ies)"),
        ("fallbacks", _COUNTER, r"fallback"),
        ("tokens_in", _COUNTER, r"(prompt|input).*token"),
        ("tokens_out", _COUNTER, r"(completion|output|generat).*token"),
        ("upstream_requests", _COUNTER, r"(upstream|backend|provider).*(request|call)"),
        ("errors", _COUNTER, _FAILED),
        ("requests", _COUNTER, _DONE),
        ("ttft", _TIMES, _FIRST),
        ("queue_time", _TIMES, _BEFORE),
        ("upstream_latency", _TIMES, rf"(upstream|backend|provider).*({_TOOK})"),
        ("latency", _TIMES, _TOOK),
        ("queue_depth", _GAUGE, _BEFORE),
        ("circuit_open", _GAUGE, r"circuit|breaker|cooldown"),
        ("inflight", _GAUGE, _HELD),
    ),
    "engine": (
        ("prompt_tokens", _COUNTER, r"(prompt|input|prefill).*token"),
        ("generation_tokens", _COUNTER, r"(generat|output|completion|predict|decode).*token|token.*(generat|predict)"),
        ("preemptions", _COUNTER, r"preempt|evict.*request|retract"),
        ("requests_failed", _COUNTER, _FAILED),
        ("requests_finished", _COUNTER, _DONE),
        ("ttft", _TIMES, _FIRST),
        ("itl", _TIMES, r"inter_?token|itl|between_token"),
        ("tpot", _TIMES, r"tpot|per_output_token"),
        ("queue_time", _TIMES, _BEFORE),
        ("e2e", _TIMES, rf"e2e|end_to_end|request.*({_TOOK})"),
        ("kv_cache_usage", _GAUGE, r"(kv|cache|token).*(usage|util|percent|perc)"),
        ("requests_waiting", _GAUGE, rf"({_BEFORE}).*req|req.*({_BEFORE}|deferred)"),
        ("requests_running", _GAUGE, rf"({_HELD}|processing).*req|req.*({_HELD}|processing)"),
    ),
}
"""Layer -> indicator without its layer, kinds of series, words of the name; the first row that fits is the guess."""
_UNITS = (
    (r"_(ms|millis|milliseconds)$", "ms", "s"),
    (r"_(us|micros|microseconds)$", "us", "s"),
    (r"_(ns|nanos|nanoseconds)$", "ns", "s"),
    (r"_(percent|pct)$", "%", "ratio"),
)
"""End of a name, unit that it tells, base unit that it is of."""
_ENDINGS = ("_bucket", "_sum", "_count")
"""Of the series of a histogram: no row can name one that is called so itself."""
_NOISE = re.compile(r"^(python|go|process|promhttp|nodejs|jvm|scrape|gc)_|^(target_info|up)$|_created$")
"""What clients and runtimes export of themselves."""


@dataclass(frozen=True, slots=True)
class Guess:
    """One indicator that a family may fill."""

    indicator: str
    unit: str
    """Unit of the page where it is not the base unit; empty when the name says nothing else."""


def is_noise(name: str) -> bool:
    """The series says something of the program's runtime and nothing of its work."""
    return _NOISE.search(name) is not None


def guess(family: Family, layer: str) -> Guess | None:
    """What the family may be for this layer, None when its name has no word that is known."""
    name = family.name.lower()
    for noun, kinds, words in _WORDS.get(layer, ()):
        if (
            family.kind in kinds
            and re.search(words, name)
            and not (kinds is _TIMES and family.sample.endswith(_ENDINGS))
        ):
            base = DEFAULT.unit(f"{layer}.{noun}")
            unit = next((unit for ending, unit, of in _UNITS if of == base and re.search(ending, name)), "")
            return Guess(f"{layer}.{noun}", unit)
    return None


def useful_first(families: Iterable[Family], layer: str) -> tuple[Family, ...]:
    """Families with a guess before those without, histograms before counters before gauges, then by name."""
    kinds = ("histogram", "summary", "counter", "gauge")

    def place(family: Family) -> tuple[bool, int, str]:
        kind = kinds.index(family.kind) if family.kind in kinds else len(kinds)
        return guess(family, layer) is None, kind, family.name

    return tuple(sorted(families, key=place))
