"""Tests of the table of Higress: figures of its plugin beside those of the Envoy in it."""

from __future__ import annotations

import pytest

from perfconsole.sources.exposition import PageParser
from perfconsole.sources.gateways import adapters
from perfconsole.sources.gateways.higress import ADAPTER
from perfconsole.sources.whosepage import recognise
from tests.sources.enginepages import capture
from tests.sources.gateways.reading import Reading

BOTH = ["higress/load.prom", "higress/envoy.prom"]
"""With the labels of Istio, and with those of Envoy."""
OLD = "higress_old/2.0.prom"
OLDEST = "higress_old/1.4.prom"
NEW_NAMES, OLD_NAMES = "route_upstream_model_consumer_metric_", "route_upstream_model_metric_"
LLAMA, QWEN = "outbound|80||llm-llama.internal.dns", "outbound|443||llm-qwen.internal.dns"


@pytest.mark.parametrize("page", BOTH)
def test_requests_are_those_that_were_answered_and_those_that_failed(page: str) -> None:
    """The plugin counts only the former; Envoy's own doors are left out."""
    found = Reading(ADAPTER, page)
    assert found.total("requests") == found.there.total(f"{NEW_NAMES}llm_duration_count_total") + 23
    assert [found.total(noun) for noun in ("errors", "inflight", "client_gone")] == [23.0, 21.0, 14.0]


@pytest.mark.parametrize(("page", "limited"), [(BOTH[0], 90.0), (BOTH[1], 7.0)])
def test_what_was_refused_is_told_by_status_or_by_a_full_breaker(page: str, limited: float) -> None:
    """The former where Envoy counts single codes."""
    assert Reading(ADAPTER, page).total("rate_limited") == limited


@pytest.mark.parametrize(("page", "names"), [(BOTH[0], NEW_NAMES), (BOTH[1], NEW_NAMES), (OLD, OLD_NAMES)])
def test_times_are_means_of_seconds(page: str, names: str) -> None:
    """From a sum of milliseconds and a count of another name; those of Envoy count its own doors too, and wait."""
    found = Reading(ADAPTER, page)
    count, total = (found.there.total(f"{names}llm_{part}_total") for part in ("duration_count", "service_duration"))
    assert found.times("latency") == pytest.approx((count, total / 1e3))
    first = [
        found.there.total(f"{names}llm_{part}_total") for part in ("stream_duration_count", "first_token_duration")
    ]
    assert found.times("ttft") == pytest.approx((first[0], first[1] / 1e3))
    assert found.total("tokens_out") == found.there.total(f"{names}output_token_total")


@pytest.mark.parametrize("page", BOTH)
def test_each_cluster_has_its_share(page: str) -> None:
    """But for those of the control plane."""
    found = Reading(ADAPTER, page)
    assert found.shares("upstream_requests") == {LLAMA: 2110.0, QWEN: 520.0}
    assert found.shares("upstream_healthy") == {LLAMA: 0.5, QWEN: 1.0}
    assert found.shares("circuit_open") == {LLAMA: 1.0, QWEN: 0.0}
    assert (found.total("retries"), found.total("queue_depth")) == (12.0, 3.0)


def test_without_envoy_the_plugin_tells_the_shares() -> None:
    """By the cluster that it names."""
    assert Reading(ADAPTER, OLD).shares("upstream_requests") == {LLAMA: 2011.0, QWEN: 480.0}


def test_a_plugin_that_counts_tokens_alone_leaves_requests_to_envoy() -> None:
    """Answered ones and failed ones, but for Envoy's own doors."""
    found = Reading(ADAPTER, OLDEST)
    assert [found.total(noun) for noun in ("requests", "errors", "rate_limited")] == [2620.0, 23.0, 90.0]
    assert found.total("tokens_in") == found.there.total("route_upstream_model_input_token_total") == 1501665.0
    assert found.shares("upstream_requests") == {LLAMA: 2110.0, QWEN: 520.0}


@pytest.mark.parametrize("page", [*BOTH, OLD, OLDEST])
def test_it_is_asked_before_any_envoy(page: str) -> None:
    """Whose series it has too."""
    found = PageParser().parse(capture(page))
    assert recognise(found, adapters()) is ADAPTER


def test_the_page_of_envoy_alone_is_none_of_its() -> None:
    """Istio's and others have the same."""
    found = PageParser().parse(capture("envoy/backend_down.prom"))
    assert recognise(found, (ADAPTER,)) is None


@pytest.mark.parametrize(
    "line",
    [
        "/usr/local/bin/pilot-agent proxy router --domain=higress-system.svc.cluster.local",
        "/usr/local/bin/envoy -c etc/istio/proxy/envoy-rev.json --service-node router~10.0.0.1~higress-0.higress",
    ],
)
def test_the_agent_and_the_envoy_below_it_are_one_program(line: str) -> None:
    """One holds the port of the page, the other those of requests."""
    assert ADAPTER.processes.launches(tuple(line.split()))
