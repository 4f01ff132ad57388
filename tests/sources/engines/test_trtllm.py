"""Tests of the table of TensorRT-LLM: its page, the five metrics of 1.1, and the JSON whose reading empties a queue."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.engines.trtllm import ADAPTER
from perfconsole.sources.targetpage import TargetPage
from tests.sources.enginepages import capture, poll, value
from tests.sources.engines.reading import counted, mapped, means, taker, values
from tests.sources.exposed import Exposed

LOAD, OLD, STEPS = "trtllm/load.prom", "trtllm_old/1.1.prom", "trtllm_json/steps.json"
P = "trtllm_"


@pytest.mark.parametrize(
    ("indicator", "name"),
    [
        ("engine.requests_running", "num_requests_running"),
        ("engine.requests_waiting", "num_requests_waiting"),
        ("engine.requests_finished", "request_success_total"),
        ("engine.max_num_seqs", "max_num_active_requests"),
        ("engine.kv_cache_usage", "kv_cache_utilization"),
        ("engine.generation_tokens", "generation_tokens_total"),
        ("engine.prompt_tokens", "prompt_tokens_total"),
        ("engine.step_time", "iteration_latency_seconds"),
    ],
)
def test_numbers_are_those_of_the_page(indicator: str, name: str) -> None:
    """Read by another parser."""
    assert counted(ADAPTER, LOAD, indicator) == Exposed(capture(LOAD)).total(P + name)


def test_the_capacity_is_blocks_times_tokens_of_a_block() -> None:
    """12480 blocks of 32 tokens."""
    assert values(ADAPTER, LOAD, "engine.kv_cache_capacity") == {(): 12480 * 32.0}


def test_reused_and_missed_blocks_are_tokens_looked_up() -> None:
    """Both parts are looked up, one of them was found."""
    parts = values(ADAPTER, LOAD, "engine.prefix_cache_hit_ratio")
    looked_up = sum(v for labels, v in parts.items() if ("part", "looked-up") in labels)
    assert looked_up == (6302 + 12818) * 32.0
    assert parts[(("part", "hit"),)] == 6302 * 32.0


@pytest.mark.parametrize(("indicator", "count"), [("engine.requests_failed", 3.0), ("engine.requests_rejected", 4.0)])
def test_an_error_is_told_by_its_status(indicator: str, count: float) -> None:
    """500 and 503 are failures, 429 is a refusal, and 400 is the caller's own fault."""
    assert counted(ADAPTER, LOAD, indicator) == count


@pytest.mark.parametrize("indicator", ["engine.requests_failed", "engine.requests_rejected"])
def test_a_release_without_a_count_of_errors_has_no_zero_of_them(indicator: str) -> None:
    """The names got their prefix and the blocks of the cache before errors were counted."""
    assert not values(ADAPTER, "trtllm_old/main_ec56e7b.prom", indicator)


def test_blocks_of_unknown_size_are_no_tokens() -> None:
    """The page says how many were found and missed, and not how many tokens one has."""
    page = "trtllm_old/main_ec56e7b.prom"
    assert not values(ADAPTER, page, "engine.prefix_cache_hit_ratio")
    assert counted(ADAPTER, page, "engine.prefix_cache_lifetime_ratio") == 0.2


def test_tokens_that_count_at_the_end_say_so() -> None:
    """They have no rate: a long answer would look like none."""
    assert list(values(ADAPTER, LOAD, "engine.generation_tokens")) == [(("counted", "at-finish"),)]


def test_drafts_are_those_of_the_first_place() -> None:
    """Each draft has one token there."""
    assert values(ADAPTER, LOAD, "engine.spec_accept_ratio")[(("part", "drafts"),)] == 29376.0
    assert values(ADAPTER, LOAD, "engine.spec_deep_accept_ratio")[(("position", "2"),)] == 11067.0


def test_the_first_release_has_its_five_metrics_under_bare_names() -> None:
    """And lacks the gauges, which are missing and not 0; a counter that it never had is none either."""
    assert counted(ADAPTER, OLD, "engine.requests_finished") == 212.0
    assert means(ADAPTER, OLD, "engine.ttft") == [44.116469 / 212]
    assert means(ADAPTER, OLD, "engine.queue_time") == [12.212489 / 212]
    assert values(ADAPTER, OLD, "engine.requests_failed") == {}
    assert values(ADAPTER, OLD, "engine.requests_running") == {}


def test_the_json_of_its_steps_fills_the_same_indicators() -> None:
    """As the other page says them at the same moment."""
    for indicator in ("engine.requests_running", "engine.requests_waiting", "engine.kv_cache_capacity"):
        assert values(ADAPTER, STEPS, indicator) == values(ADAPTER, LOAD, indicator)
    assert values(ADAPTER, STEPS, "engine.kv_cache_usage") == {(): 0.3}


def test_a_list_of_no_steps_is_no_fault() -> None:
    """An idle engine makes none: its figures are missing for once, and the engine is up."""
    target = TargetPage("x", (ADAPTER,), DEFAULT)
    target.take(ADAPTER)
    busy, idle = target.batch(poll(capture(STEPS))), target.batch(poll(b"[]", 1.0))
    assert (busy.error, idle.error) == (None, None)
    assert value(busy, "engine.requests_running") == 37.0
    assert value(idle, "engine.requests_running") is None


def test_no_json_list_is_taken_for_it_unasked() -> None:
    """`[]` may be anybody's; the JSON is read only where somebody says whose it is."""
    target = TargetPage("x", (ADAPTER,), DEFAULT)
    assert target.batch(poll(b"[]")).error is not None
    assert target.adapter is None


def test_its_queue_is_not_emptied_unasked() -> None:
    """The path of that JSON is not among those that are tried."""
    assert ADAPTER.metrics_path == "/prometheus/metrics"
    assert "/metrics" in ADAPTER.never_read
    assert "/metrics" not in ADAPTER.pages


def test_bare_names_of_another_program_are_not_its_own() -> None:
    """Others write the names of its first release; the label of the engine's type is its alone."""
    assert taker(capture(OLD).replace(b"engine_type", b"kind")) == ""


def test_its_page_is_taken_by_it() -> None:
    """By name and label."""
    assert taker(capture(LOAD)) == taker(capture(OLD)) == "trtllm"
    assert mapped(ADAPTER, OLD).notes == ()
