"""Tests of the table for vLLM: captured pages by hand-checked numbers, old releases by pages made from their names."""

from __future__ import annotations

import re
from math import inf

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Histogram
from perfconsole.sources.engines.vllm import ADAPTER, METRICS
from perfconsole.sources.version import within
from tests.sources.enginepages import by_part, capture, folded, histogram, mapped

RANK0, RANK1 = (("rank", "0"),), (("rank", "1"),)
CORE0 = (("taken", "core"), *RANK0)
CAPTURED = ("vllm/cold_idle.prom", "vllm/load.prom", "vllm_dp2/load.prom", "vllm_kv/queued.prom")
OLD = ("0.6.6", "0.9.2", "0.11.0", "0.14.1")
PAGES = (*CAPTURED, *(f"vllm_old/{v}.prom" for v in OLD))


def _names(page: str) -> set[str]:
    """Sample names on a page."""
    return set(re.findall(r"^([a-zA-Z_:][\w:]*)", capture(page).decode(), re.MULTILINE))


def test_every_mapped_name_is_on_a_page_or_optional() -> None:
    """A misspelled name would never be found by anybody; the pages of all releases have each that is not optional."""
    seen = set().union(*map(_names, PAGES))
    absent = {m.metric for m in METRICS if not m.optional and not {m.metric, f"{m.metric}_count"} & seen}
    assert absent == set()


@pytest.mark.parametrize("version", OLD)
def test_a_page_of_an_old_release_leaves_nothing_to_remark(version: str) -> None:
    """Names of other eras are not missed: since and until of the table agree with the pages."""
    assert mapped(capture(f"vllm_old/{version}.prom"), version).notes == ()


@pytest.mark.parametrize("name", CAPTURED)
def test_a_captured_page_leaves_nothing_to_remark(name: str) -> None:
    """The page of 0.32 has every name that the table expects of it."""
    assert mapped(capture(name), "0.32.0").notes == ()


@pytest.mark.parametrize("version", OLD)
def test_each_era_fills_the_same_indicators(version: str) -> None:
    """Whatever a release calls it, the figures on call are there."""
    samples = mapped(capture(f"vllm_old/{version}.prom"), version).samples
    found = {
        name: sum(v for (n, _), v in by_part(samples).items() if n == name and isinstance(v, float))
        for name in (
            "engine.requests_running",
            "engine.requests_waiting",
            "engine.requests_finished",
            "engine.kv_cache_usage",
            "engine.preemptions",
            "engine.prompt_tokens",
            "engine.generation_tokens",
            "engine.kv_cache_capacity",
        )
    }
    assert list(found.values()) == [3.0, 2.0, 8.0, 0.25, 2.0, 400.0, 800.0, 16000.0]
    itl = histogram(samples, "engine.itl")
    assert itl == Histogram((0.01, 0.1, inf), (10, 90, 100), 4.0)


@pytest.mark.parametrize("version", ["0.9.2", "0.11.0", "0.14.1"])
def test_hits_and_look_ups_count_once_in_every_era(version: str) -> None:
    """The counters of the prefix cache are taken under their old or their new name, never under both."""
    parts = folded(mapped(capture(f"vllm_old/{version}.prom")).samples, "engine.prefix_cache_hit_ratio")
    assert parts == {(("part", "hit"), *RANK0): 150.0, (("part", "looked-up"), *RANK0): 600.0}


def test_queue_time_has_one_name_of_two() -> None:
    """0.6.6 exports two histograms of waiting; the one that lived on is taken."""
    found = histogram(mapped(capture("vllm_old/0.6.6.prom")).samples, "engine.queue_time")
    assert found == Histogram((0.5, 1.0, inf), (2, 6, 8), 5.0)


def test_errors_counted_by_the_core_are_failures_from_0_14_on() -> None:
    """The reason `error` came with 0.14."""
    parts = folded(mapped(capture("vllm_old/0.14.1.prom"), "0.14.1").samples, "engine.requests_failed")
    assert parts == {(("seen", "core"), *RANK0): 4.0}


@pytest.mark.parametrize("release", ["0.6.6", "0.9.2", "0.11.0"])
def test_a_release_that_counts_no_errors_has_none_of_them(release: str) -> None:
    """A page says nothing of its release, and what it does not count is not 0."""
    assert not folded(mapped(capture(f"vllm_old/{release}.prom")).samples, "engine.requests_failed")


def test_no_answer_of_5xx_is_no_failure_where_answers_are_counted() -> None:
    """The counter of a status comes with the first answer of it."""
    parts = folded(mapped(capture("vllm_dp2/load.prom")).samples, "engine.requests_failed")
    assert parts[(("seen", "http"),)] == 0.0


@pytest.mark.parametrize(
    ("page", "indicator", "expected"),
    [
        ("vllm/load.prom", "engine.requests_running", {RANK0: 4.0}),
        ("vllm/load.prom", "engine.requests_waiting", {RANK0: 0.0}),
        ("vllm/load.prom", "engine.kv_cache_usage", {RANK0: 0.005873715124816492}),
        ("vllm/load.prom", "engine.requests_finished", {RANK0: 33.0}),
        ("vllm/load.prom", "engine.generation_tokens", {RANK0: 2079.0}),
        ("vllm/load.prom", "engine.prompt_tokens", {RANK0: 1332.0}),
        ("vllm/load.prom", "engine.asleep", {RANK0: 0.0}),
        ("vllm/load.prom", "engine.requests_rejected", {(): 0.0}),
        ("vllm/cold_idle.prom", "engine.requests_running", {RANK0: 0.0}),
        ("vllm/cold_idle.prom", "engine.generation_tokens", {RANK0: 0.0}),
        ("vllm_kv/queued.prom", "engine.requests_running", {RANK0: 6.0}),
        ("vllm_kv/queued.prom", "engine.requests_waiting", {RANK0: 4.0}),
        ("vllm_kv/queued.prom", "engine.requests_deferred", {RANK0: 0.0}),
        ("vllm_kv/queued.prom", "engine.kv_cache_usage", {RANK0: 1.0}),
        ("vllm_kv/queued.prom", "engine.preemptions", {RANK0: 7.0}),
        ("vllm_kv/queued.prom", "engine.requests_finished", {RANK0: 19.0}),
        ("vllm_kv/queued.prom", "engine.generation_tokens", {RANK0: 4556.0}),
        ("vllm_kv/queued.prom", "engine.kv_cache_capacity", {RANK0: 1536.0}),
        ("vllm_kv/queued.prom", "engine.kv_max_concurrency", {RANK0: 3.0}),
        ("vllm_kv/queued.prom", "engine.kv_pool", {RANK0: 2.0**30}),
        ("vllm_dp2/load.prom", "engine.requests_running", {RANK0: 4.0, RANK1: 4.0}),
        ("vllm_dp2/load.prom", "engine.requests_waiting", {RANK0: 1.0, RANK1: 3.0}),
        ("vllm_dp2/load.prom", "engine.requests_finished", {RANK0: 8.0, RANK1: 5.0}),
        ("vllm_dp2/load.prom", "engine.generation_tokens", {RANK0: 537.0, RANK1: 517.0}),
        ("vllm_dp2/load.prom", "engine.kv_cache_capacity", {RANK0: 87296.0, RANK1: 87296.0}),
    ],
)  # fmt: skip
def test_numbers_of_captured_pages(
    page: str, indicator: str, expected: dict[tuple[tuple[str, str], ...], float]
) -> None:
    """What was read off the page by eye comes out."""
    assert folded(mapped(capture(page)).samples, indicator) == expected


def test_time_to_first_token_of_a_captured_page() -> None:
    """The sum and the number of observations are those on the page."""
    found = histogram(mapped(capture("vllm/load.prom")).samples, "engine.ttft")
    assert found is not None
    assert (found.count, found.total, found.bounds[-1]) == (37.0, 5.277425289154053, inf)


def test_two_ranks_are_two_entities() -> None:
    """Running and KV use of each rank stand at the rank."""
    found = mapped(capture("vllm_dp2/load.prom"))
    for name in ("vllm:8000/0", "vllm:8000/1"):
        rank = by_part(found.samples, Entity(Kind.RANK, name))
        assert rank == {("engine.rank_running", ()): 4.0, ("engine.rank_kv_cache_usage", ()): 0.005873715124816492}
    assert [link.child.name for link in found.links] == ["vllm:8000/0", "vllm:8000/1"]


@pytest.mark.parametrize("name", PAGES)
def test_every_reason_of_an_end_is_a_part_of_its_own(name: str) -> None:
    """A reason that appears later must not make the total of the others look like a jump."""
    samples = mapped(capture(name)).samples
    lines = re.findall(r"^vllm:request_success_total\{.* (\S+)$", capture(name).decode(), re.MULTILINE)
    parts = [s.value for s in samples if s.key.indicator == "engine.requests_finished"]
    assert parts == [float(text) for text in lines]


@pytest.mark.parametrize("name", PAGES)
def test_no_raw_label_is_stored(name: str) -> None:
    """Names of models and users in labels end at the mapping."""
    stored = {label for s in mapped(capture(name)).samples for label, _ in s.key.labels}
    assert stored <= {"rank", "series", "part", "seen", "taken"}


@pytest.mark.parametrize("name", PAGES)
def test_no_series_stands_twice_in_a_batch(name: str) -> None:
    """One indicator, entity and part has one value on a page."""
    keys = [s.key for s in mapped(capture(name)).samples]
    assert len(keys) == len(set(keys))


def test_alternates_of_one_part_do_not_overlap_without_an_order() -> None:
    """Where two names fill one part, the newer one stands first: at the newest release only the first can be due."""
    for metric in METRICS:
        same = [m for m in METRICS if (m.indicator, m.tag) == (metric.indicator, metric.tag)]
        assert same[0].until == "" or len(same) == 1 or within("0.33.0", same[0].since, same[0].until)


@pytest.mark.parametrize("row", [*ADAPTER.flags, *ADAPTER.defaults], ids=lambda r: f"{type(r).__name__} {r.indicator}")
def test_facts_are_facts(row: object) -> None:
    """Flags and defaults fill facts, never measured figures."""
    entry = DEFAULT.find(row.indicator)  # type: ignore[attr-defined] # both kinds of row have it
    assert entry is not None
    assert entry.sort is Sort.FACT


def test_since_and_until_are_in_order() -> None:
    """No row is empty by its own bounds."""
    assert all(not within(m.since, m.until, "") for m in METRICS if m.since and m.until)


def test_the_health_route_runs_no_generation() -> None:
    """Only routes that cost the engine nothing are in the table."""
    routes = {ADAPTER.metrics_path, ADAPTER.health_path, ADAPTER.version_route, *(f.route for f in ADAPTER.info_facts)}
    assert routes == {"/metrics", "/health", "/version", "/v1/models"}


def test_defaults_stand_back_for_what_a_command_line_states() -> None:
    """A default that takes part in a maximum is a part of its own, so that a flag of another source wins over it."""
    folded = [d for d in ADAPTER.defaults if d.indicator != "engine.chunked_prefill"]
    assert all(d.tag == (("origin", "default"),) for d in folded)


def test_adapters_in_use_are_counted_and_never_named() -> None:
    """Of `vllm:lora_requests_info` the sets of the last five minutes, and the slots that one batch has."""
    rows = (("a,b", "c", "1000.0"), ("b,c,d", "", "1200.0"), ("x,y,z", "", "100.0"))
    labels = 'max_lora="2",running_lora_adapters="{}",waiting_lora_adapters="{}"'
    text = "".join(f"vllm:lora_requests_info{{{labels.format(*sets)}}} {at}\n" for *sets, at in rows)
    found = {s.key.indicator: s.value for s in mapped(text.encode()).samples}
    assert found == {"engine.lora_active": 4.0, "engine.lora_slots": 2.0}


def test_looked_up_media_are_a_part_of_the_share() -> None:
    """Items, which are not requests."""
    text = 'vllm:mm_cache_queries_total{engine="0",model_name="m"} 7\n'
    found = {s.key.indicator: (s.key.labels, s.value) for s in mapped(text.encode()).samples}
    assert found == {"engine.multimodal_share": ((("part", "items"), *RANK0), 7.0)}


def test_operations_are_read_where_they_are_counted() -> None:
    """The counter stands on every page, and without its flag it stays 0: that is no engine that computes nothing."""
    page = capture("vllm/load.prom")
    counted = re.sub(rb"(?m)^(vllm:estimated_flops_per_gpu_total\{.*\}) 0\.0$", rb"\1 4.5e+16", page)
    assert folded(mapped(page).samples, "engine.model_flops") == {}
    found = folded(mapped(counted).samples, "engine.model_flops")
    assert [(dict(labels)["counted"], value) for labels, value in found.items()] == [("seconds", 4.5e16)]
