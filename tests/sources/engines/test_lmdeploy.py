"""Tests of the table of LMDeploy on pages of three releases: two ranks, both queues, and what was renamed."""

from __future__ import annotations

import pytest

from perfconsole.sources.engines.lmdeploy import ADAPTER
from tests.sources.enginepages import capture
from tests.sources.engines.reading import counted, mapped, means, values
from tests.sources.exposed import Exposed

NEW, OLD, BETWEEN = "lmdeploy/load.prom", "lmdeploy_old/0.10.prom", "lmdeploy_old/0.12.1.prom"
P = "lmdeploy:"


@pytest.mark.parametrize(
    ("indicator", "name"),
    [
        ("engine.requests_running", "num_requests_running"),
        ("engine.requests_finished", "request_success_total"),
        ("engine.requests_failed", "num_requests_failed"),
        ("engine.prompt_tokens", "prompt_tokens_total"),
        ("engine.generation_tokens", "generation_tokens_total"),
    ],
)
def test_counts_add_up_over_the_ranks(indicator: str, name: str) -> None:
    """Read by another parser."""
    assert counted(ADAPTER, NEW, indicator) == Exposed(capture(NEW)).total(P + name)


def test_both_queues_are_waiting() -> None:
    """4 requests at the API and 5 in the engine."""
    assert counted(ADAPTER, NEW, "engine.requests_waiting") == 9.0
    assert counted(ADAPTER, OLD, "engine.requests_waiting") == 3.0


def test_the_kv_use_of_each_rank_is_kept() -> None:
    """A ratio though the name says percent."""
    assert sorted(values(ADAPTER, NEW, "engine.kv_cache_usage").values()) == [0.58, 0.62]


def test_failures_are_not_among_the_finished() -> None:
    """Only a request that ended well is counted by its reason."""
    assert all(("in_finished", "no") in labels for labels in values(ADAPTER, NEW, "engine.requests_failed"))


def test_the_gap_is_the_whole_interval() -> None:
    """And not that divided by its tokens, which is a third of it here."""
    page = Exposed(capture(OLD))
    whole = page.total(P + "iter_token_latency_sum") / page.total(P + "iter_token_latency_count")
    assert means(ADAPTER, OLD, "engine.itl") == pytest.approx([whole])


def test_cached_tokens_are_hits_of_the_prompts() -> None:
    """Since 0.14; before, nobody counted them."""
    parts = values(ADAPTER, NEW, "engine.prefix_cache_hit_ratio")
    hit = sum(v for labels, v in parts.items() if ("part", "hit") in labels)
    assert hit == Exposed(capture(NEW)).total(P + "cached_tokens_total")
    assert not [labels for labels in values(ADAPTER, OLD, "engine.prefix_cache_hit_ratio") if ("part", "hit") in labels]


@pytest.mark.parametrize(
    ("indicator", "number"),
    [("engine.max_num_seqs", 256.0), ("engine.tensor_parallel", 2.0), ("engine.max_model_len", 32768.0)],
)
def test_the_info_metric_states_facts(indicator: str, number: float) -> None:
    """In its labels; a release that leaves them empty states none."""
    assert values(ADAPTER, NEW, indicator) == {(): number}
    assert values(ADAPTER, OLD, indicator) == {}


@pytest.mark.parametrize(("name", "version"), [(NEW, "0.16.0"), (OLD, "0.10.0"), (BETWEEN, "0.12.1")])
def test_a_page_leaves_nothing_to_remark(name: str, version: str) -> None:
    """Since and until of the table agree with the pages."""
    assert mapped(ADAPTER, name, version).notes == ()
