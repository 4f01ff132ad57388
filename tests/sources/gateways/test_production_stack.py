"""Tests of the table of the production stack's router, whose page has names of vLLM, beside vLLM's own page."""

from __future__ import annotations

import pytest

from perfconsole.sources import engines
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.gateways import adapters
from perfconsole.sources.gateways.production_stack import ADAPTER
from perfconsole.sources.whosepage import recognise
from tests.sources.enginepages import capture
from tests.sources.gateways.reading import Reading

NEW = "production-stack/errors.prom"
OLD = "production-stack_old/load.prom"
BUSY, CALM, DOWN = "10.0.0.7:8000", "10.0.0.8:8000", "10.0.0.9:8000"


def test_counts_are_those_of_the_page() -> None:
    """Over models and engines."""
    found = Reading(ADAPTER, NEW)
    counts = {"requests": "num_incoming_requests", "errors": "request_errors"}
    counts |= {"tokens_in": "input_tokens", "tokens_out": "output_tokens"}
    assert {n: found.total(n) for n in counts} == {n: found.there.total(f"vllm:{m}_total") for n, m in counts.items()}
    assert found.times("latency") == pytest.approx((417.0, found.there.total("vllm:request_latency_seconds_sum")))


def test_each_engine_has_its_share() -> None:
    """Of what runs, of what was sent, and of health, which is a gauge whatever its name says."""
    found = Reading(ADAPTER, NEW)
    assert found.shares("inflight") == {BUSY: 18.0, CALM: 5.0}
    assert found.shares("upstream_requests") == {BUSY: 310.0, CALM: 90.0, DOWN: 17.0}
    assert found.shares("upstream_healthy") == {BUSY: 1.0, CALM: 1.0, DOWN: 0.0}


@pytest.mark.parametrize("page", [NEW, OLD])
def test_an_average_is_a_mean_and_minus_one_is_none(page: str) -> None:
    """No quantile, and no second engine that would answer in less than no time."""
    found = Reading(ADAPTER, page)
    assert (found.total("latency.mean"), found.total("itl.mean")) == (9.412, 0.0284)


def test_a_release_without_counters_has_no_zeros() -> None:
    """It does not say how many requests there were."""
    assert not {"requests", "errors", "tokens_in", "latency"} & Reading(ADAPTER, OLD).told()


def test_what_waits_is_never_taken_from_it() -> None:
    """It declares the name and fills it with nothing."""
    assert "vllm:num_requests_waiting" not in {row.metric for row in ADAPTER.metrics}


@pytest.mark.parametrize("page", [NEW, OLD, "production-stack/router.prom"])
def test_its_page_is_no_engine(page: str) -> None:
    """And a gateway."""
    found = PageParser().parse(capture(page))
    assert recognise(found, engines.adapters()) is None
    assert recognise(found, adapters()) is ADAPTER


def test_the_page_of_vllm_is_none_of_its() -> None:
    """Also asked as a gateway."""
    found = PageParser().parse(capture("vllm/load.prom"))
    assert recognise(found, adapters()) is None


def test_series_of_an_engine_on_the_same_page_are_left_out() -> None:
    """Something may hand on both in one page."""
    both = capture(NEW) + b'vllm:num_requests_running{engine="0",model_name="m"} 400\n'
    assert Reading(ADAPTER, both).shares("inflight") == {BUSY: 18.0, CALM: 5.0}


def test_a_release_that_counts_no_errors_has_none_of_them() -> None:
    """Neither do the tokens that it does not count become zeros; what runs and who is healthy it tells."""
    found = Reading(ADAPTER, "production-stack_old/0.1.8.prom")
    assert [found.total(noun) for noun in ("errors", "tokens_in", "tokens_out")] == [None, None, None]
    assert [found.total(noun) for noun in ("requests", "inflight")] == [305.0, 8.0]
    assert found.shares("upstream_healthy") == {"10.0.0.11:8000": 1.0, "10.0.0.12:8000": 0.0}


def test_a_release_that_counts_errors_has_zero_of_them() -> None:
    """Its times prove it, before the first error."""
    body = b'vllm:request_latency_seconds_count{server="http://a:1",model="m",status="success"} 4\n'
    assert Reading(ADAPTER, body).total("errors") == 0.0
