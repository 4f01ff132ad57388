"""Tests of the table of APISIX on pages with and without its plugins for models."""

from __future__ import annotations

import pytest

from perfconsole.sources.gateways.apisix import ADAPTER
from tests.sources.gateways.reading import Reading

LLM = "apisix/llm.prom"
OLD = "apisix_old/2.15.prom"
PLAIN = "apisix/plain.prom"


@pytest.mark.parametrize("page", [LLM, OLD])
def test_requests_are_told_apart_by_status(page: str) -> None:
    """Of every route, consumer and node."""
    found = Reading(ADAPTER, page)
    assert found.total("requests") == found.there.total("apisix_http_status_total")
    assert [found.total(noun) for noun in ("errors", "rate_limited", "client_gone")] == [37.0, 204.0, 18.0]


@pytest.mark.parametrize("page", [LLM, OLD])
@pytest.mark.parametrize(
    ("noun", "kind"), [("latency", "request"), ("upstream_latency", "upstream"), ("overhead", "apisix")]
)
def test_times_are_seconds_of_one_kind(page: str, noun: str, kind: str) -> None:
    """One histogram of milliseconds holds three kinds."""
    found = Reading(ADAPTER, page)
    count, total = (found.there.total(f"apisix_http_latency_{end}", type=kind) for end in ("count", "sum"))
    assert found.times(noun) == pytest.approx((count, total / 1e3))


def test_the_first_token_is_not_the_whole_answer() -> None:
    """Both stand in one histogram, in milliseconds; the dictionary wants the first in seconds."""
    found = Reading(ADAPTER, LLM)
    count, total = (found.there.total(f"apisix_llm_latency_{end}", type="ttft") for end in ("count", "sum"))
    assert found.times("ttft") == pytest.approx((count, total / 1e3))


def test_each_node_has_its_share() -> None:
    """What APISIX answered itself went to none."""
    found = Reading(ADAPTER, LLM)
    assert found.shares("upstream_requests") == {"10.2.0.21": 50130.0, "10.2.0.22": 12081.0, "10.2.0.23": 3900.0}
    assert found.shares("upstream_healthy") == {"10.2.0.21": 1.0, "10.2.0.22": 0.0, "10.2.0.23": 1.0}


def test_tokens_are_the_counters_and_not_their_distributions() -> None:
    """Which have nearly the same names."""
    found = Reading(ADAPTER, LLM)
    expected = [found.there.total(f"apisix_llm_{kind}_tokens_total") for kind in ("prompt", "completion")]
    assert [found.total("tokens_in"), found.total("tokens_out")] == expected


@pytest.mark.parametrize(("page", "held"), [(LLM, 21.0), (OLD, 25.0), (PLAIN, 1.0)])
def test_what_is_held_is_what_models_answer_or_what_is_written(page: str, held: float) -> None:
    """Without the look for it; idle connections are not held."""
    assert Reading(ADAPTER, page).total("inflight") == held


def test_without_its_plugin_on_a_route_there_is_the_count_of_nginx() -> None:
    """A gauge whatever its name says, and no zeros beside it."""
    found = Reading(ADAPTER, PLAIN)
    assert (found.total("requests"), found.told()) == (812.0, {"requests", "inflight"})


def test_before_types_the_first_token_is_that_of_streams() -> None:
    """Of other answers the same name has the whole time."""
    found = Reading(ADAPTER, "apisix_old/3.15.prom")
    assert found.times("ttft") == pytest.approx((950.0, 294.7))
    assert found.shares("upstream_requests") == {"llama-a": 690.0, "llama-b": 314.0}


def test_the_source_of_an_answer_tells_upstream_requests_where_nodes_are_left_out() -> None:
    """Which has no shares, and is not 0."""
    found = Reading(ADAPTER, "apisix/3.18.prom")
    assert found.shares("upstream_requests") == {"": 413.0}
    assert [found.total(noun) for noun in ("requests", "errors", "rate_limited")] == [440.0, 3.0, 22.0]
    assert found.times("ttft") == pytest.approx((410.0, 120.3))
