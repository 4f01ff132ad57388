"""Tests of the table of Dynamo's workers: its own counts, the engine's that pass through, and whose page is whose."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.engines.dynamo import ADAPTER
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.mapping.mapper import PageMapper
from tests.sources.enginepages import ENGINE, capture
from tests.sources.engines.reading import counted, mapped, means, taker, values
from tests.sources.exposed import Exposed, parts

VLLM, TRTLLM, OLD, SGLANG = (
    "dynamo/vllm_worker.prom",
    "dynamo/trtllm_worker.prom",
    "dynamo_old/0.7_trtllm.prom",
    "dynamo_sglang/worker.prom",
)
PAGES = [VLLM, TRTLLM, OLD, SGLANG]


@pytest.mark.parametrize("name", PAGES)
def test_only_requests_that_generate_count(name: str) -> None:
    """A worker answers many more questions of the router."""
    page = Exposed(capture(name))
    assert counted(ADAPTER, name, "engine.requests_finished") == 1204.0
    assert page.total("dynamo_component_requests_total", dynamo_endpoint="load_metrics") > 10_000


@pytest.mark.parametrize(
    ("indicator", "name"),
    [
        ("engine.requests_running", "num_requests_running"),
        ("engine.requests_waiting", "num_requests_waiting"),
        ("engine.generation_tokens", "generation_tokens_total"),
        ("engine.preemptions", "num_preemptions_total"),
    ],
)
def test_the_names_of_vllm_pass_through(indicator: str, name: str) -> None:
    """Summed over its ranks; what waits in the engine is not counted as running."""
    assert counted(ADAPTER, VLLM, indicator) == Exposed(capture(VLLM)).total(f"vllm:{name}")
    assert counted(ADAPTER, VLLM, "engine.requests_running") < 33


def test_the_names_of_sglang_pass_through() -> None:
    """A copy of the counts for another tensor rank counts once."""
    assert counted(ADAPTER, SGLANG, "engine.requests_running") == 21.0
    assert counted(ADAPTER, SGLANG, "engine.requests_waiting") == 3.0


def test_an_engine_that_does_not_say_what_runs_is_told_by_dynamo() -> None:
    """Requests in progress at the worker."""
    assert counted(ADAPTER, TRTLLM, "engine.requests_running") == 33.0
    assert len(means(ADAPTER, TRTLLM, "engine.ttft")) == 1
    assert means(ADAPTER, TRTLLM, "engine.kv_transfer_time") != []


def test_a_colon_is_an_underscore_of_later_releases() -> None:
    """0.7 writes `trtllm:`, and its figures of the cache under kvstats."""
    assert len(means(ADAPTER, OLD, "engine.tpot")) == 1
    assert values(ADAPTER, OLD, "engine.kv_cache_usage") == {(): 0.126875}


def test_what_is_in_work_had_another_name_first() -> None:
    """0.4 writes concurrent requests, and counts no cancellations: there are none of them, and not 0."""
    page = "dynamo_old/0.4.prom"
    assert counted(ADAPTER, page, "engine.requests_running") == 17.0
    assert values(ADAPTER, page, "engine.http_inflight") == {(("seen", "page"),): 17.0}
    assert counted(ADAPTER, page, "engine.requests_finished") == 640.0
    assert not values(ADAPTER, page, "engine.requests_aborted")
    assert taker(capture(page)) == "dynamo"


def test_errors_and_callers_that_left_are_among_the_requests() -> None:
    """9 errors of two kinds, 4 cancellations."""
    assert values(ADAPTER, VLLM, "engine.requests_failed")[(("seen", "worker"),)] == 9.0
    assert counted(ADAPTER, VLLM, "engine.requests_aborted") == 4.0


def test_an_answer_that_nobody_took_is_no_failure_of_the_engine() -> None:
    """A release without a counter of cancellations says so among its errors."""
    assert values(ADAPTER, OLD, "engine.requests_failed")[(("seen", "worker"),)] == 1.0
    assert counted(ADAPTER, OLD, "engine.requests_aborted") == 5.0


def test_questions_of_the_router_alone_are_no_requests() -> None:
    """Before the first request that generates, a page may have nothing else."""
    lines = capture(VLLM).splitlines(keepends=True)
    idle = b"".join(line for line in lines if b'dynamo_endpoint="generate"' not in line)
    found = PageMapper(ADAPTER, DEFAULT).map(PageParser().parse(idle), ENGINE)
    assert parts(found, "engine.http_inflight") == []
    assert b"worker_kv_indexer_query_dp0" in idle
    assert 311.0 not in parts(found, "engine.requests_finished")


def test_the_pools_of_the_ranks_add_up() -> None:
    """Each states its own in labels of vLLM."""
    assert values(ADAPTER, VLLM, "engine.kv_cache_capacity") == {(): 2 * 11426 * 16.0}


@pytest.mark.parametrize("name", PAGES)
def test_its_page_is_never_one_of_the_engine_inside(name: str) -> None:
    """Though its names stand there."""
    assert taker(capture(name)) == "dynamo"


def test_a_page_of_a_frontend_is_no_worker_s() -> None:
    """It has counts of a router that begin like a worker's."""
    assert b"dynamo_component_router_requests_total" in capture("dynamo_gateway/load.prom")
    assert taker(capture("dynamo_gateway/load.prom")) == ""


def test_a_page_of_vllm_stays_one() -> None:
    """Without a name of Dynamo."""
    assert taker(capture("vllm/load.prom")) == "vllm"
    assert mapped(ADAPTER, "dynamo/vllm_worker.prom").own_series > 0
