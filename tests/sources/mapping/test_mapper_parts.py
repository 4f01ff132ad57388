"""Tests of the parts that series become: one by one, rank by rank, numbered, bounded, and missed when they are gone."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Histogram
from perfconsole.sources.adapter import Metric, Operand
from perfconsole.sources.engines.vllm import ADAPTER
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.mapping.mapper import PageMapper
from perfconsole.sources.mapping.partnames import MOST_RANKS
from tests.sources.enginepages import ENGINE, by_part, folded, numbers
from tests.sources.mappings import TTFT, adapter_with, gauge, pages, text_mapped

RANK0 = (("rank", "0"),)
DEEP = "engine.spec_deep_accept_ratio"


def accepted(place: str, value: str) -> str:
    """One series of tokens accepted at a place of the draft."""
    return gauge("spec_decode_num_accepted_tokens_per_pos_total", value, extra=f',position="{place}"')


def test_each_series_of_a_row_is_a_part_by_number() -> None:
    """No label but the rank is kept: series are told apart by number, the first one by none."""
    text = "".join(gauge("num_requests_running", v, extra=f',lora="{n}"') for v, n in ("3a", "4b", "5c"))
    parts = numbers(text_mapped(text).samples, "engine.requests_running")
    assert parts == {RANK0: 3.0, (*RANK0, ("series", "1")): 4.0, (*RANK0, ("series", "2")): 5.0}


@pytest.mark.parametrize(
    ("name", "indicator", "expected"),
    [("num_requests_running", "engine.requests_running", 1.0), ("kv_cache_usage_perc", "engine.kv_cache_usage", 0.5)],
)
def test_parts_fold_as_the_dictionary_says(name: str, indicator: str, expected: float) -> None:
    """Requests add up and shares are averaged: summed, two caches of 25 and 75 % would be a full one."""
    text = gauge(name, "0.25", extra=',lora="a"') + gauge(name, "0.75", extra=',lora="b"')
    assert folded(text_mapped(text).samples, indicator) == {RANK0: expected}


def test_a_series_keeps_its_part_when_another_one_vanishes() -> None:
    """Neither the order nor the absence of others changes which counter a part is."""
    a, b = (gauge("generation_tokens_total", v, extra=f',lora="{n}"') for v, n in ("3a", "4b"))
    both, swapped, alone = (numbers(m.samples, "engine.generation_tokens") for m in pages(a + b, b + a, b))
    assert both == swapped
    assert alone == {(*RANK0, ("series", "1")): 4.0}


def test_parts_are_numbered_anew_after_a_restart() -> None:
    """A restart with another model fills the parts of before and adds none beside them."""
    mapper = PageMapper(ADAPTER, DEFAULT)
    pages("".join(gauge("num_requests_running", "3", extra=f',lora="{n}"') for n in "ab"), mapper=mapper)
    mapper.restart()
    (found,) = pages(gauge("num_requests_running", "5", extra=',lora="b"'), mapper=mapper)
    assert numbers(found.samples, "engine.requests_running") == {RANK0: 5.0}


@pytest.mark.parametrize(("count", "shared"), [(64, None), (65, 1.0), (70, 6.0)])
def test_label_sets_beyond_64_share_one_part(count: int, shared: float | None) -> None:
    """The 64th has a part of its own, all after it are summed: nothing is lost and the memory is bounded."""
    lines = [gauge("generation_tokens_total", "1", extra=f',user="{i}"') for i in range(count)]
    parts = numbers(text_mapped("".join(lines)).samples, "engine.generation_tokens")
    assert parts.get((*RANK0, ("series", "64"))) == shared
    assert (len(parts), sum(parts.values())) == (min(count, 65), count)


def test_ranks_do_not_share_the_64() -> None:
    """A second rank starts with a first part of its own, however many the other has."""
    lines = [gauge("generation_tokens_total", "1", extra=f',user="{i}"') for i in range(80)]
    parts = numbers(
        text_mapped("".join(lines) + gauge("generation_tokens_total", "7", "1")).samples, "engine.generation_tokens"
    )
    assert parts[("rank", "1"),] == 7.0


def test_histograms_of_two_label_sets_are_two_parts() -> None:
    """The bound is no part of what tells series apart, so the buckets of each stay together."""
    samples = text_mapped(TTFT + TTFT.replace('"m"', '"n"')).samples
    parts = {labels: v for (name, labels), v in by_part(samples).items() if name == "engine.ttft"}
    assert parts == dict.fromkeys([RANK0, (*RANK0, ("series", "1"))], Histogram((0.5, 1.0, inf), (2, 6, 8), 5.0))


def test_a_nan_of_one_rank_leaves_the_other_rank() -> None:
    """Ranks are apart: what one does not know does not hide the other."""
    text = gauge("num_requests_running", "NaN") + gauge("num_requests_running", "4", "1")
    assert numbers(text_mapped(text).samples, "engine.requests_running") == {(("rank", "1"),): 4.0}


def test_an_unknown_series_leaves_the_others() -> None:
    """A series that says NaN is absent as a part, and no other part takes its number."""
    text = gauge("request_success_total", "NaN", extra=',finished_reason="stop"')
    text += gauge("request_success_total", "5", extra=',finished_reason="length"')
    assert numbers(text_mapped(text).samples, "engine.requests_finished") == {(*RANK0, ("series", "1")): 5.0}


def test_ranks_become_entities_with_links() -> None:
    """Each rank stands under its engine."""
    found = text_mapped(gauge("num_requests_running", "4") + gauge("num_requests_running", "2", "1"))
    ranks = [Entity(Kind.RANK, f"vllm:8000/{i}") for i in (0, 1)]
    assert found.links == tuple(Link(Relation.ENGINE_HAS_RANK, ENGINE, rank) for rank in ranks)
    assert [by_part(found.samples, rank)["engine.rank_running", ()] for rank in ranks] == [4.0, 2.0]


def test_an_engine_that_names_no_rank_has_one_rank_that_belongs_to_it() -> None:
    """A figure of rank scope never stands without its engine."""
    found = text_mapped('vllm:num_requests_running{model_name="m"} 4\n')
    rank = Entity(Kind.RANK, "vllm:8000/0")
    assert by_part(found.samples, rank)["engine.rank_running", ()] == 4.0
    assert found.links == (Link(Relation.ENGINE_HAS_RANK, ENGINE, rank),)


def test_a_series_without_a_rank_and_one_of_rank_0_are_told_apart() -> None:
    """Both belong to rank 0, as two parts: one key never stands twice in a batch."""
    found = text_mapped('vllm:num_requests_running{model_name="m"} 4\n' + gauge("num_requests_running", "2"))
    rank = by_part(found.samples, Entity(Kind.RANK, "vllm:8000/0"))
    assert rank == {("engine.rank_running", ()): 4.0, ("engine.rank_running", (("series", "1"),)): 2.0}


def test_a_rank_that_appears_later_is_new_parts() -> None:
    """The counters of the ranks known before keep theirs."""
    first = gauge("generation_tokens_total", "3", "1")
    seen = [
        numbers(m.samples, "engine.generation_tokens")
        for m in pages(first, gauge("generation_tokens_total", "9") + first)
    ]
    assert seen == [{(("rank", "1"),): 3.0}, {(("rank", "1"),): 3.0, RANK0: 9.0}]


def test_a_rank_that_is_gone_is_remarked_upon() -> None:
    """Half an engine is told on every page that lacks it, and no longer once it is back."""
    one = gauge("num_requests_running", "4")
    both = one + gauge("num_requests_running", "2", "1")
    told = [m.notes for m in pages(one, both, one, one, both)]
    assert told == [(), (), *[("rank 1 is no longer on the page",)] * 2, ()]


def test_a_rank_whose_number_is_nan_is_not_gone() -> None:
    """What is on the page without a value is on the page."""
    both = [gauge("num_requests_running", "4") + gauge("num_requests_running", v, "1") for v in ("2", "NaN")]
    assert pages(*both)[1].notes == ()


def test_a_restart_ends_the_remark_on_a_rank() -> None:
    """An engine may come back with fewer ranks."""
    mapper = PageMapper(ADAPTER, DEFAULT)
    one = gauge("num_requests_running", "4")
    pages(one + gauge("num_requests_running", "2", "1"), mapper=mapper)
    mapper.restart()
    assert pages(one, mapper=mapper)[0].notes == ()


def test_an_engine_that_names_no_rank_loses_none() -> None:
    """The rank that it is given cannot vanish when a single metric does."""
    seen = pages(
        *(f'vllm:{name}{{model_name="m"}} 4\n' for name in ("num_requests_running", "generation_tokens_total"))
    )
    assert seen[1].notes == ()


def test_churning_labels_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """What series mean is remembered for a bounded number of them."""
    mapper = PageMapper(adapter_with(Metric("engine.requests_running", "x:n")), DEFAULT)
    parser = PageParser()
    monkeypatch.setattr("perfconsole.sources.mapping.mapper._MOST_SEEN", 1000)
    for start in (0, 600):
        lines = [f'x:n{{id="{i}"}} 1\n' for i in range(start, start + 600)]
        found = mapper.map(parser.parse("".join(lines).encode()), ENGINE)
    assert numbers(found.samples, "engine.requests_running") == {(("series", "64"),): 600.0}
    assert len(mapper._seen) <= 1001


def test_a_hostile_page_has_no_more_ranks_than_others() -> None:
    """Ranks without end become one, on page after page, and so do the remarks on those that are gone."""
    mapper = PageMapper(ADAPTER, DEFAULT)
    many = ["".join(gauge("num_requests_running", "1", f"{page}-{i}") for i in range(600)) for page in range(3)]
    found = pages(*many, mapper=mapper)[-1]
    assert len(found.links) <= MOST_RANKS + 1
    assert len(found.notes) <= MOST_RANKS + 1
    assert sum(numbers(found.samples, "engine.requests_running").values()) == 600.0


def test_upstreams_of_a_week_do_not_use_up_the_names() -> None:
    """A page names eighty pods one after the other, two at a time."""
    mapper = PageMapper(adapter_with(Metric("gateway.upstream_requests", "x:sent", upstream="pod")), DEFAULT)
    parser = PageParser()
    for first in range(80):
        page = "".join(f'x:sent{{pod="pod-{pod}"}} 1\n' for pod in (first, first + 1))
        found = mapper.map(parser.parse(page.encode()), ENGINE)
    assert found.named == {"pod-79", "pod-80"}


def test_links_are_looked_for_by_so_many_urls() -> None:
    """Each is looked up at every poll."""
    adapter = replace(
        adapter_with(Metric("gateway.upstream_requests", "x:sent")), prefixes=("x:",), upstream_labels=("url",)
    )
    page = "".join(f'x:sent{{url="http://10.0.{i >> 8}.{i & 255}:80"}} 1\n' for i in range(300))
    assert len(PageMapper(adapter, DEFAULT).map(PageParser().parse(page.encode()), ENGINE).upstreams) == 256


@given(st.lists(st.tuples(st.sampled_from("012"), st.integers(0, 1000)), min_size=1, max_size=8))
@settings(max_examples=60)
def test_parts_fold_to_the_page_rank_by_rank(series: list[tuple[str, int]]) -> None:
    """Whatever the order of ranks, nothing is lost and nothing counted twice."""
    lines = [gauge("num_requests_running", str(v), e, f',n="{i}"') for i, (e, v) in enumerate(series)]
    parts = folded(text_mapped("".join(lines)).samples, "engine.requests_running")
    assert parts == {(("rank", e),): sum(v for rank, v in series if rank == e) for e, _ in series}


def test_an_ordinal_is_the_one_label_that_is_kept() -> None:
    """The place in a draft tells its parts apart, whatever the order of the series."""
    rows = "".join(accepted(place, value) for place, value in (("2", "3"), ("0", "9"), ("10", "1")))
    parts = numbers(text_mapped(rows).samples, DEEP)
    assert parts == {(*RANK0, ("position", p)): v for p, v in (("2", 3.0), ("0", 9.0), ("10", 1.0))}


@pytest.mark.parametrize("place", ["", "user-7", "-1", "1234", "\u0663"])
def test_an_ordinal_that_is_no_small_number_is_left_out(place: str) -> None:
    """Names must not come in by this door."""
    assert numbers(text_mapped(accepted(place, "9")).samples, DEEP) == {}


BLOCKS = """\
x:blocks{kind="max",model="a"} 100
x:blocks{kind="tokens",model="a"} 64
x:blocks{kind="max",model="b"} 10
x:blocks{kind="tokens",model="b"} 16
"""


@pytest.mark.parametrize(("by", "capacities"), [("model", [160.0, 6400.0]), ("", [8800.0])])
def test_operands_go_in_pairs_by_a_label(by: str, capacities: list[float]) -> None:
    """Each model has its own size of a block; without the label both sums are multiplied."""
    tokens = Operand("x:blocks", (("kind", "tokens"),), by=by)
    adapter = adapter_with(
        Metric("engine.kv_cache_capacity", "x:blocks", where=(("kind", "max"),), times=tokens),
    )
    (found,) = pages(BLOCKS, mapper=PageMapper(adapter, DEFAULT))
    assert sorted(numbers(found.samples, "engine.kv_cache_capacity").values()) == capacities


def test_replicas_on_one_page_state_a_fact_each() -> None:
    """Their info series have the same labels that count: the second is a part of its own."""
    text = "".join(
        f'vllm:cache_config_info{{engine="0",replica="{r}",num_gpu_blocks="{blocks}",block_size="16"}} 1\n'
        for r, blocks in (("a", 100), ("b", 10))
    )
    assert sorted(numbers(text_mapped(text).samples, "engine.kv_cache_capacity").values()) == [160.0, 1600.0]


def test_a_place_in_a_draft_is_a_position_whatever_its_label() -> None:
    """The formula of the deepest positions reads one name."""
    row = Metric("engine.spec_deep_accept_ratio", "x:accepted_total", ordinal="token_position")
    (found,) = pages('x:accepted_total{token_position="2"} 7\n', mapper=PageMapper(adapter_with(row), DEFAULT))
    assert numbers(found.samples, "engine.spec_deep_accept_ratio") == {(("position", "2"),): 7.0}


def test_what_is_taken_off_is_taken_off_once() -> None:
    """The console's own request is in one of the series only, whichever that is."""
    row = Metric("gateway.inflight", "x:held", offset=-1.0)
    page = PageParser().parse(b'x:held{pid="11"} 3\nx:held{pid="12"} 0\nx:held{pid="13"} 2\n')
    found = PageMapper(adapter_with(row), DEFAULT).map(page, Entity(Kind.GATEWAY, "g"))
    assert [s.value for s in found.samples] == [4.0]
