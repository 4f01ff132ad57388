"""Tests of the table for SGLang: captured pages, and pages of other releases with ranks, copies and priorities."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.engines.sglang import ADAPTER
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.flags import with_defaults
from perfconsole.sources.inforoutes import read_info
from perfconsole.sources.mapping.mapper import PageMapper
from tests.sources.enginepages import capture, folded, histogram
from tests.sources.exposed import Exposed

if TYPE_CHECKING:
    from perfconsole.model.sample import Sample
    from perfconsole.sources.mapping.mapper import Mapped

ENGINE = Entity(Kind.ENGINE, "vllm:8000")  # the name that the helpers of captured pages look for
RANK0, RANK1 = (("rank", "0"),), (("rank", "1"),)
LIVE = (("counted", "live"),)
CAPTURED = ("sglang/first.prom", "sglang/page.prom", "sglang/queued.prom", "sglang_kv/kv_pressure.prom")
DP2 = "sglang_dp2/0.5.10.prom"


def mapped(name: str, version: str = "") -> Mapped:
    """What the table makes of a page."""
    return PageMapper(ADAPTER, DEFAULT).map(PageParser().parse(capture(name)), ENGINE, version)


def samples(name: str) -> tuple[Sample, ...]:
    """Samples of a page."""
    return mapped(name).samples


@pytest.mark.parametrize(
    ("name", "version"),
    [
        *((name, "0.5.23") for name in CAPTURED),
        ("sglang_old/0.4.6.prom", "0.4.6"),
        ("sglang_old/0.5.2.prom", "0.5.2"),
    ],
)
def test_a_page_leaves_nothing_to_remark(name: str, version: str) -> None:
    """Since and until of the table agree with the pages of that release."""
    assert mapped(name, version).notes == ()


@pytest.mark.parametrize("name", CAPTURED)
def test_numbers_of_captured_pages_are_those_on_the_page(name: str) -> None:
    """Read by prometheus_client: gauges, live and final counters, each summed over its series."""
    page, found = Exposed(capture(name)), samples(name)
    for indicator, metric, labels in (
        ("engine.requests_running", "sglang:num_running_reqs", {}),
        ("engine.requests_waiting", "sglang:num_queue_reqs", {}),
        ("engine.kv_cache_usage", "sglang:token_usage", {}),
        ("engine.kv_cache_capacity", "sglang:max_total_num_tokens", {}),
        ("engine.requests_finished", "sglang:num_requests_total", {}),
        ("engine.prompt_tokens", "sglang:realtime_tokens_total", {"mode": "prefill_compute"}),
        ("engine.generation_tokens", "sglang:realtime_tokens_total", {"mode": "decode"}),
        ("engine.http_inflight", "sglang:http_requests_active", {"method": "POST"}),
        ("engine.preemptions", "sglang:num_retracted_requests_total", {}),
    ):
        if page.has(metric):
            assert sum(folded(found, indicator).values()) == page.total(metric, **labels), indicator


def test_histograms_of_a_captured_page() -> None:
    """Streaming and other requests are one distribution; the gap between tokens is taken in the front-end."""
    page = Exposed(capture("sglang/queued.prom"))
    found = [s for s in samples("sglang/queued.prom") if s.key.indicator == "engine.ttft"]
    assert sum(s.value.count for s in found if not isinstance(s.value, float)) == page.total(
        "sglang:time_to_first_token_seconds_count"
    )
    itl = [s.key.labels for s in samples("sglang/queued.prom") if s.key.indicator == "engine.itl"]
    assert itl == [(("taken", "frontend"),)]


def test_what_is_not_a_number_or_means_off_is_not_there() -> None:
    """fwd_occupancy is NaN without its flag, and an accepted length of 0 is no speculation."""
    found = {s.key.indicator for s in samples("sglang/page.prom")}
    assert not found & {"engine.busy", "engine.spec_accept_length", "engine.spec_accept_ratio"}


def test_an_engine_without_graphs_runs_none_of_its_passes_from_one() -> None:
    """Only passes without a graph are on the page: the others count as 0."""
    parts = folded(samples("sglang/page.prom"), "engine.graph_ratio")
    assert parts == {(("part", "graph"),): 0.0, (("part", "passes"),): 922.0}


def test_the_first_release_with_short_labels() -> None:
    """0.4.6 has no ranks, and a mean of the last batch in place of a distribution of queue times."""
    found = samples("sglang_old/0.4.6.prom")
    assert folded(found, "engine.requests_running") == {(): 17.0}
    assert folded(found, "engine.requests_waiting") == {(): 3.0}
    assert folded(found, "engine.generation_tokens") == {(): 9600.0}
    assert folded(found, "engine.generation_rate") == {LIVE: 11230.0}
    parts = folded(found, "engine.prefix_cache_hit_ratio")
    assert parts == {(("part", "looked-up"),): 41200.0, (("part", "hit"),): 10300.0}
    assert [s.value for s in found if s.key.indicator == "engine.queue_time.mean"] == [0.75]


def test_a_release_that_does_not_count_it_has_no_zero_of_it() -> None:
    """0.4.3 counts neither cached tokens nor aborts, and has no count of outputs that moves while requests run."""
    found = samples("sglang_old/0.4.3.prom")
    assert folded(found, "engine.prefix_cache_hit_ratio") == {(("part", "looked-up"),): 52000.0}
    assert not folded(found, "engine.requests_aborted")
    assert not folded(found, "engine.generation_rate")
    assert folded(found, "engine.generation_tokens") == {(): 20400.0}


def test_the_names_of_0_5_2() -> None:
    """Retractions are a gauge that only rises, the queue time ends in _s, and a transfer has a mean in ms."""
    found = samples("sglang_old/0.5.2.prom")
    assert folded(found, "engine.preemptions") == {(): 4.0}
    waits = histogram(found, "engine.queue_time")
    assert waits is not None
    assert (waits.count, waits.total) == (60.0, 21.5)
    assert [s.value for s in found if s.key.indicator == "engine.kv_transfer_time.mean"] == [0.04]
    assert sum(folded(found, "engine.kv_transfers_pending").values()) == 4.0
    assert sum(folded(found, "engine.requests_deferred").values()) == 6.0
    assert sum(folded(found, "engine.kv_transfer_failures").values()) == 3.0
    assert folded(found, "engine.spec_accept_length") == {(): 2.5}


@pytest.mark.parametrize(
    ("indicator", "expected"),
    [
        ("engine.requests_running", {RANK0: 6.0, RANK1: 4.0}),
        ("engine.requests_waiting", {RANK0: 5.0, RANK1: 0.0}),
        ("engine.kv_cache_usage", {RANK0: 0.9, RANK1: 0.3}),
        ("engine.kv_cache_capacity", {RANK0: 200000.0, RANK1: 200000.0}),
        ("engine.preemptions", {RANK0: 7.0, RANK1: 2.0}),
        ("engine.generation_tokens", {RANK0: 5000.0, RANK1: 4000.0}),
        ("engine.generation_rate", {(*LIVE, *RANK0): 5000.0, (*LIVE, *RANK1): 4000.0}),
        ("engine.spec_accept_ratio", {RANK0: 0.5, RANK1: 0.25}),
        ("engine.lora_active", {RANK0: 3.0, RANK1: 2.0}),
        ("engine.requests_failed", {(("seen", "http"),): 7.0}),
        ("engine.requests_rejected", {(): 4.0}),
        ("engine.http_inflight", {(("seen", "page"),): 18.0}),
    ],
)
def test_copies_and_priorities_of_two_ranks_count_once(
    indicator: str, expected: dict[tuple[tuple[str, str], ...], float]
) -> None:
    """Tensor ranks repeat each count, and priority="" is the total of the others."""
    assert folded(samples(DP2), indicator) == expected


def test_a_transfer_in_milliseconds_is_a_distribution_in_seconds() -> None:
    """From 0.5.10 on the same name is a histogram."""
    found = [s.value for s in samples(DP2) if s.key.indicator == "engine.kv_transfer_time"]
    bounds = [value.bounds[:2] for value in found if not isinstance(value, float)]
    assert bounds == [(0.02, 0.1), (0.02, 0.1)]


def test_the_facts_of_the_server_are_the_cap_per_rank_and_its_configuration() -> None:
    """Paths as in /get_server_info of 0.5.23; -1 is no budget, and the text of the policy is a fact of 0 or 1."""
    document = {
        "version": "0.5.23",
        "tp_size": 2,
        "dp_size": 1,
        "mem_fraction_static": 0.3,
        "chunked_prefill_size": -1,
        "max_prefill_tokens": 16384,
        "schedule_policy": "lpm",
        "cpu_offload_gb": 2,
        "disaggregation_mode": "prefill",
        "api_key": "secret",
        "internal_states": [{"effective_max_running_requests_per_dp": 4}],
    }
    facts = read_info(ADAPTER, {"/get_server_info": document})
    assert facts.version == "0.5.23"
    numbers = {(name, tag): value for name, value, tag in facts.samples}
    assert numbers["engine.max_num_seqs", (("origin", "server-info"),)] == 4.0
    assert numbers["engine.max_batched_tokens", ()] == 16384.0
    assert numbers["engine.prefix_first_policy", ()] == 1.0
    assert numbers["engine.prefill_only", ()] == 1.0
    assert numbers["engine.cpu_offload", ()] == 2.0**31
    assert "secret" not in json.dumps(facts.texts)


def test_flags_of_a_command_line() -> None:
    """Names as people write them, short and long."""
    line = "python -m sglang.launch_server --model x --tp 2 --dp-size=2 --max-running-requests 48"
    stated = {name: value for name, value, _ in with_defaults(ADAPTER, shlex.split(line))}
    assert stated["engine.tensor_parallel"] == 2.0
    assert stated["engine.data_parallel"] == 2.0
    assert stated["engine.max_num_seqs"] == 48.0


@pytest.mark.parametrize(
    "command",
    [
        "python -m sglang.launch_server --model-path x",
        "/venv/bin/python3.11 -m sglang.launch_server",
        "sglang serve --model-path x",
        "/venv/bin/python /venv/bin/sglang serve",
    ],
)
def test_command_lines_that_start_it(command: str) -> None:
    """The launcher is known before its page is read."""
    assert ADAPTER.processes.launches(tuple(command.split()))


@pytest.mark.parametrize(
    ("title", "role"), [("sglang::scheduler_TP0", "core"), ("sglang::detokenizer", "frontend"), ("python", None)]
)
def test_titles_of_its_processes(title: str, role: str | None) -> None:
    """The children carry titles in place of command lines."""
    assert ADAPTER.processes.titled(title) == role


def test_no_route_that_generates_is_polled() -> None:
    """The health route of SGLang runs a request."""
    asked = {ADAPTER.health_path, ADAPTER.version_route, *(fact.route for fact in ADAPTER.info_facts)}
    assert not asked & set(ADAPTER.never_read)
    assert {"/health", "/health_generate"} <= set(ADAPTER.never_read)


def test_gauges_that_begin_at_0_say_nothing_then() -> None:
    """A transfer that never was took no 0 s, and an engine that is not up yet did not start in 0 s."""
    page = capture("sglang_old/0.5.2.prom")
    names = {"engine.kv_transfer_time.mean": 0.04, "engine.startup_time": 41.5}
    for body, expected in ((page, names), (page.replace(b"} 40.0", b"} 0.0").replace(b"} 41.5", b"} 0.0"), {})):
        found = PageMapper(ADAPTER, DEFAULT).map(PageParser().parse(body), ENGINE).samples
        assert {s.key.indicator: s.value for s in found if s.key.indicator in names} == expected


def test_requests_with_a_grammar_are_counted_from_0() -> None:
    """Their counter appears at the first of them; a release without a count of answers may never have had it."""
    page = capture("sglang/queued.prom")
    line = b'sglang:num_so_requests_total{engine_type="unified",model_name="tiny"} 7.0\n'
    found = [
        folded(PageMapper(ADAPTER, DEFAULT).map(PageParser().parse(body), ENGINE).samples, "engine.structured_share")
        for body in (page, page + line, capture("sglang_old/0.4.6.prom"))
    ]
    assert found == [{(("part", "requests"),): 0.0}, {(("part", "requests"),): 7.0}, {}]
