"""Tests of guessing from the name of a series what it may fill."""

from __future__ import annotations

import re

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.dictionary.entry import Sort
from perfconsole.view.pagereport_guess import _WORDS, Guess, guess, is_noise, useful_first
from tests.view.readpages import family


@pytest.mark.parametrize(
    ("name", "kind", "layer", "expected"),
    [
        ("tasks_done_total", "counter", "orchestration", Guess("orchestration.requests", "")),
        ("task_duration_ms", "histogram", "orchestration", Guess("orchestration.latency", "ms")),
        ("task_failures_total", "counter", "orchestration", Guess("orchestration.errors", "")),
        ("worker_busy_percent", "gauge", "orchestration", Guess("orchestration.workers", "%")),
        ("tasks_queue", "gauge", "orchestration", Guess("orchestration.queue_depth", "")),
        ("llm_call_seconds", "summary", "orchestration", Guess("orchestration.llm_call_latency", "")),
        ("AgentToolSeconds", "histogram", "orchestration", Guess("orchestration.tool_call_time", "")),
        ("http_requests_total", "counter", "gateway", Guess("gateway.requests", "")),
        ("request_retries_total", "counter", "gateway", Guess("gateway.retries", "")),
        ("upstream_latency_seconds", "histogram", "gateway", Guess("gateway.upstream_latency", "")),
        ("sglang:num_running_reqs", "gauge", "engine", Guess("engine.requests_running", "")),
        ("sglang:time_to_first_token_seconds", "histogram", "engine", Guess("engine.ttft", "")),
        ("llamacpp:prompt_tokens_total", "counter", "engine", Guess("engine.prompt_tokens", "")),
        ("num_requests_running", "unknown", "orchestration", Guess("orchestration.inflight", "")),
        ("tasks_done_total", "gauge", "orchestration", None),
        ("teams_count", "gauge", "orchestration", None),
        ("x", "counter", "nowhere", None),
    ],
)
def test_names_hint_at_indicators(name: str, kind: str, layer: str, expected: Guess | None) -> None:
    """By words, by the kind of series, and for the layer that was asked for."""
    assert guess(family(name, kind), layer) == expected


@pytest.mark.parametrize("layer", sorted(_WORDS))
def test_every_guess_can_be_mapped(layer: str) -> None:
    """It is in the dictionary, of the sort that the series have, and its words are a regular expression."""
    sorts = {"histogram": Sort.HISTOGRAM, "counter": Sort.COUNTER, "gauge": Sort.GAUGE}
    for noun, kinds, words in _WORDS[layer]:
        entry = DEFAULT.find(f"{layer}.{noun}")
        assert entry is not None
        assert entry.sort is sorts[kinds[0]]
        re.compile(words)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("python_gc_objects_collected_total", True),
        ("process_open_fds", True),
        ("go_goroutines", True),
        ("litellm_requests_created", True),
        ("target_info", True),
        ("gopher_requests_total", False),
        ("processed_total", False),
    ],
)
def test_runtimes_are_noise(name: str, expected: object) -> None:
    """And what only begins alike is not."""
    assert is_noise(name) is expected


def test_what_looks_useful_comes_first() -> None:
    """Then histograms, counters, gauges, by name."""
    names = [
        ("zz", "histogram"),
        ("tasks_total", "counter"),
        ("aa", "gauge"),
        ("ab", "weird"),
        ("task_seconds", "summary"),
    ]
    found = useful_first([family(*each) for each in names], "orchestration")
    assert [f.name for f in found] == ["task_seconds", "tasks_total", "zz", "aa", "ab"]
