"""Tests of the table of Kong on pages of 2.8 and 3.x, with and without the switches of its plugin."""

from __future__ import annotations

import pytest

from perfconsole.sources.gateways import adapters
from perfconsole.sources.gateways.kong import ADAPTER
from perfconsole.sources.layer import GATEWAY
from tests.sources.exposed import poll, target
from tests.sources.gateways.reading import Reading

FULL = "kong/load.prom"
OLD = "kong_old/2.8.prom"
PLAIN = "kong/plain.prom"


@pytest.mark.parametrize(
    ("page", "metric", "limits"),
    [(FULL, "kong_http_requests_total", (53, 310, 77)), (OLD, "kong_http_status_total", (9, 21, 4))],
)
def test_requests_are_told_apart_by_status(page: str, metric: str, limits: tuple[int, int, int]) -> None:
    """Of every consumer, service and route; the old page says those of consumers a second time."""
    found = Reading(ADAPTER, page)
    assert found.total("requests") == found.there.total(metric)
    assert tuple(found.total(noun) for noun in ("errors", "rate_limited", "client_gone")) == limits


@pytest.mark.parametrize(
    ("noun", "name", "kind"),
    [("latency", "request", "request"), ("upstream_latency", "upstream", "upstream"), ("overhead", "kong", "kong")],
)
def test_times_are_seconds(noun: str, name: str, kind: str) -> None:
    """Its page says milliseconds, under three names in 3.x and one in 2.x."""
    new, old = Reading(ADAPTER, FULL), Reading(ADAPTER, OLD)
    metric = f"kong_{name}_latency_ms"
    assert new.times(noun) == pytest.approx(
        (new.there.total(f"{metric}_count"), new.there.total(f"{metric}_sum") / 1e3)
    )
    assert old.times(noun) == pytest.approx(
        (old.there.total("kong_latency_count", type=kind), old.there.total("kong_latency_sum", type=kind) / 1e3)
    )


@pytest.mark.parametrize("page", [FULL, OLD])
def test_a_target_is_healthy_or_not(page: str) -> None:
    """Of four series one is 1; without checks it counts as healthy, without an address as down."""
    health = {"vllm-1:8000": 1.0, "vllm-2:8000": 0.0, "vllm-3:8000": 1.0, "vllm-4:8000": 0.0}
    assert Reading(ADAPTER, page).shares("upstream_healthy") == health


def test_a_target_with_two_addresses_may_be_half_healthy() -> None:
    """Its name stands for both."""
    states = (("1", "healthy", 1), ("1", "unhealthy", 0), ("2", "healthy", 0), ("2", "unhealthy", 1))
    page = "".join(
        f'kong_upstream_target_health{{upstream="u",target="t:1",address="{a}",state="{s}"}} {v}\n'
        for a, s, v in states
    )
    assert Reading(ADAPTER, page.encode()).shares("upstream_healthy") == {"t:1": 0.5}


def test_only_what_reached_a_service_went_upstream() -> None:
    """Kong's own refusals and errors did not."""
    assert Reading(ADAPTER, FULL).shares("upstream_requests") == {"llama-pool": 83201.0, "qwen-pool": 9040.0}
    assert Reading(ADAPTER, OLD).shares("upstream_requests") == {"llama-pool": 110.0, "qwen-pool": 110.0}


def test_tokens_are_not_counted_with_their_total() -> None:
    """It stands beside its parts."""
    found = Reading(ADAPTER, FULL)
    parts = [
        found.there.total("kong_ai_llm_tokens_total", token_type=f"{kind}_tokens") for kind in ("prompt", "completion")
    ]
    assert [found.total("tokens_in"), found.total("tokens_out")] == parts


def test_connections_that_wait_are_not_held() -> None:
    """Nor the poll itself, nor those of the other subsystem; a gauge whatever its name says."""
    assert [Reading(ADAPTER, page).total("inflight") for page in (FULL, OLD, PLAIN)] == [38.0, 10.0, 38.0]


def test_without_switches_there_is_the_count_of_nginx() -> None:
    """And nothing that would tell errors or times: no zeros."""
    found = Reading(ADAPTER, PLAIN)
    assert (found.total("requests"), found.told()) == (120411.0, {"requests", "inflight"})


def test_names_of_consumers_are_kept_nowhere() -> None:
    """They may be persons."""
    assert "team-a" not in repr(Reading(ADAPTER, FULL).mapped)


@pytest.mark.parametrize(
    "line",
    [
        'kong_nginx_requests_total{node_id="3f8c",subsystem="http"}',
        'kong_nginx_http_current_connections{state="total"}',
    ],
)
def test_a_kong_that_is_only_polled_stands_still(line: str) -> None:
    """Without the plugin's count by status nginx counts the console too."""
    kong = target(GATEWAY, adapters())
    batches = [kong.batch(poll(f"{line} {total}\n".encode())) for total in (900, 901, 902, 905)]
    assert [[s.value for s in b.samples if s.key.indicator == "gateway.requests"] for b in batches] == [
        [900.0],
        [900.0],
        [900.0],
        [902.0],
    ]
