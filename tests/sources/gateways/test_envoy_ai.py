"""Tests of the table of Envoy AI Gateway on pages of 1.2, of 0.3, and of an exporter that leaves units out."""

from __future__ import annotations

from math import fsum

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Histogram
from perfconsole.sources.gateways.envoy_ai import ADAPTER
from tests.sources.enginepages import capture
from tests.sources.exposed import mapped, parts

AI = Entity(Kind.GATEWAY, "envoy-ai:1064")
NEW, OLD, BARE = "envoy-ai/1.2.prom", "envoy-ai_old/0.3.prom", "envoy-ai_old/unitless.prom"
NAMES = ("gateway.requests", "gateway.errors", "gateway.tokens_in", "gateway.tokens_out")


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (NEW, [529.0, 9.0, 402150.0 + 240377.0 + 9120.0, 61230.0 + 37001.0]),
        (OLD, [73.0, 3.0, 70110.0, 9020.0]),
        (BARE, [53.0, 3.0, 70110.0, 9020.0]),
    ],
)
def test_counts_are_those_of_the_page(page: str, expected: list[float]) -> None:
    """Cached and reasoning tokens are parts of others, and a total is the sum of them."""
    found = mapped(ADAPTER, capture(page), AI)
    assert [fsum(parts(found, name)) for name in NAMES] == expected


@pytest.mark.parametrize(("page", "count"), [(NEW, 529.0), (OLD, 73.0), (BARE, 53.0)])
def test_times_are_there_under_either_name(page: str, count: float) -> None:
    """With the unit behind it, and without."""
    found = mapped(ADAPTER, capture(page), AI)
    times = [s.value for s in found.samples if s.key.indicator == "gateway.latency"]
    assert fsum(t.counts[-1] for t in times if isinstance(t, Histogram)) == count
    assert "gateway.ttft" in {s.key.indicator for s in found.samples}


@pytest.mark.parametrize(
    ("page", "shares"),
    [
        (NEW, {"default/vllm-a": 300.0, "default/vllm-b": 189.0, "default/embedder": 40.0}),
        (OLD, {"openai": 53.0, "aws.bedrock": 20.0}),
    ],
)
def test_upstreams_are_told_apart_as_well_as_a_release_can(page: str, shares: dict[str, float]) -> None:
    """By backend, before that by provider, which 0.3 called a system."""
    found: dict[str, float] = {}
    for sample in mapped(ADAPTER, capture(page), AI).samples:
        if sample.key.indicator == "gateway.upstream_requests" and isinstance(sample.value, float):
            name = dict(sample.key.labels)["upstream"]
            found[name] = found.get(name, 0.0) + sample.value
    assert found == shares


def test_without_a_failure_there_are_no_errors() -> None:
    """The count of requests proves that nothing failed."""
    body = b'gen_ai_server_request_duration_seconds_count{gen_ai_provider_name="openai"} 4\n'
    assert parts(mapped(ADAPTER, body, AI), "gateway.errors") == [0.0]


def test_a_library_that_calls_models_is_no_gateway() -> None:
    """It writes the names of the client alone."""
    own = mapped(ADAPTER, b'gen_ai_client_token_usage_sum{gen_ai_token_type="input"} 4\n', AI).own_series
    assert own == 0
