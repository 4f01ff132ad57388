"""Tests of the table of vLLM under Ray Serve: both spellings, counters without their ending, replicas of one node."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.engines import vllm
from perfconsole.sources.engines.ray_serve import ADAPTER
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.mapping.mapper import PageMapper
from tests.sources.enginepages import ENGINE, capture, folded
from tests.sources.engines.reading import counted, means, taker, values
from tests.sources.exposed import Exposed

NEW, OLD = "ray-serve_engine/load.prom", "ray-serve_engine_old/load.prom"


@pytest.mark.parametrize(
    ("indicator", "name"),
    [
        ("engine.requests_running", "num_requests_running"),
        ("engine.requests_waiting", "num_requests_waiting"),
        ("engine.requests_finished", "request_success_total"),
        ("engine.prompt_tokens", "prompt_tokens_total"),
        ("engine.generation_tokens", "generation_tokens_total"),
        ("engine.preemptions", "num_preemptions_total"),
    ],
)
def test_counts_add_up_over_the_replicas_of_a_node(indicator: str, name: str) -> None:
    """Under the newer spelling and under the older one, which leaves the ending away."""
    new, old = Exposed(capture(NEW)), Exposed(capture(OLD))
    assert counted(ADAPTER, NEW, indicator) == new.total(f"ray_vllm_{name}")
    assert counted(ADAPTER, OLD, indicator) == old.total("ray_vllm:" + name.removesuffix("_total"))


def test_the_kv_use_is_the_mean_of_the_replicas() -> None:
    """Whatever an era calls it."""
    assert values(ADAPTER, NEW, "engine.kv_cache_usage") == {(): pytest.approx(0.29)}
    assert values(ADAPTER, OLD, "engine.kv_cache_usage") == {(): 0.31}


def test_the_pools_of_the_replicas_add_up() -> None:
    """Each states its own in labels."""
    assert values(ADAPTER, NEW, "engine.kv_cache_capacity") == {(): (9000 + 8500) * 16.0}


def test_both_names_of_the_gap_are_read() -> None:
    """The older one is that of time_per_output_token."""
    assert len(means(ADAPTER, NEW, "engine.itl")) == 2
    assert len(means(ADAPTER, OLD, "engine.itl")) == 1


def test_an_error_that_never_happened_is_none() -> None:
    """Ray makes no series before the first event: it is 0 only beside a name of releases that count errors."""
    old = b'ray_vllm_request_success_total{engine="0",finished_reason="stop",model_name="m"} 5\n'
    new = old + b'ray_vllm_prompt_tokens_by_source_total{engine="0",model_name="m",source="local_compute"} 70\n'
    assert taker(old) == "ray-serve"
    assert counted(ADAPTER, NEW, "engine.requests_failed") == 1.0
    pages = [PageMapper(ADAPTER, DEFAULT).map(PageParser().parse(body), ENGINE).samples for body in (old, new)]
    assert [folded(found, "engine.requests_failed") for found in pages] == [{}, {(("seen", "core"),): 0.0}]


@pytest.mark.parametrize("name", [NEW, OLD])
def test_its_page_is_an_engine_s_first(name: str) -> None:
    """What Ray Serve says of its own requests stands on the same page."""
    assert taker(capture(name)) == "ray-serve"


def test_every_name_of_vllm_is_renamed() -> None:
    """A row that is added there is one here."""
    ours = {row.metric for row in ADAPTER.metrics}
    theirs = [
        row.metric
        for row in vllm.METRICS
        if row.metric.startswith("vllm:") and not row.indicator.startswith("engine.rank_")
    ]
    assert all(name.replace("vllm:", spelled) in ours for name in theirs for spelled in ("ray_vllm_", "ray_vllm:"))


def test_a_row_that_is_divided_by_itself_has_its_operand_renamed_too() -> None:
    """No row of this table reads a name that Ray never writes."""
    operands = [o for row in ADAPTER.metrics for o in (row.times, row.over) if o is not None]
    assert operands
    assert all(o.metric.startswith(ADAPTER.prefixes) for o in operands)
