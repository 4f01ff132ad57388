"""Tests of LiteLLM's table on pages of a real proxy: idle, and after requests and refusals."""

from __future__ import annotations

import re
from math import fsum

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Histogram
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.gateways import adapters
from perfconsole.sources.gateways.litellm import ADAPTER
from perfconsole.sources.layer import GATEWAY as GATEWAY_LAYER
from perfconsole.sources.mapping.mapper import Mapped, PageMapper
from tests.sources.enginepages import capture
from tests.sources.exposed import Exposed, poll, target
from tests.sources.gateways.reading import Reading

GATEWAY = Entity(Kind.GATEWAY, "litellm:4000")
FAILED = 'litellm_proxy_failed_requests_metric_total{{exception_status="{status}"}} 2\nlitellm_in_flight_requests 1\n'


def mapped(body: bytes) -> Mapped:
    """What the table makes of a page."""
    return PageMapper(ADAPTER, DEFAULT).map(PageParser().parse(body), GATEWAY)


def total(page: Mapped, indicator: str) -> float | None:
    """Sum of the parts of a plain indicator, None when it is not there."""
    parts = [s.value for s in page.samples if s.key.indicator == indicator and not isinstance(s.value, Histogram)]
    return fsum(parts) if parts else None


def histogram(page: Mapped, indicator: str) -> Histogram | None:
    """The one histogram of an indicator."""
    found = [s.value for s in page.samples if s.key.indicator == indicator and isinstance(s.value, Histogram)]
    assert len(found) <= 1
    return found[0] if found else None


@pytest.mark.parametrize(
    ("indicator", "number"),
    [
        ("gateway.requests", 96.0),
        ("gateway.errors", 0.0),
        ("gateway.rate_limited", 0.0),
        ("gateway.retries", 0.0),
        ("gateway.upstream_requests", 93.0),
        ("gateway.inflight", 0.0),
        ("gateway.upstream_healthy", 1.0),
    ],
)
def test_a_page_after_requests_and_refusals(indicator: str, number: float) -> None:
    """93 requests went through, 3 named a model that does not exist: no errors, and no calls upstream."""
    assert total(mapped(capture("litellm/after_errors.prom")), indicator) == number


@pytest.mark.parametrize("indicator", ["ttft", "latency", "upstream_latency", "queue_time"])
def test_every_answered_request_is_in_the_histograms(indicator: str) -> None:
    """In seconds, with 93 of them."""
    found = histogram(mapped(capture("litellm/after_errors.prom")), f"gateway.{indicator}")
    assert found is not None
    assert found.count == 93.0


def test_tokens_are_counted_in_both_directions() -> None:
    """As many as the page says."""
    page = mapped(capture("litellm/after_errors.prom"))
    tokens = [total(page, name) for name in ("gateway.tokens_in", "gateway.tokens_out")]
    assert all(count is not None and count > 1000 for count in tokens)


OLD, LATER = "litellm_old/1.55.prom", "litellm_old/1.85.prom"


@pytest.mark.parametrize(("page", "part"), [(OLD, ""), (LATER, "_metric")])
def test_older_names_of_tokens_say_the_same(page: str, part: str) -> None:
    """They lacked a part that all others have."""
    found = Reading(ADAPTER, page)
    expected = [found.there.total(f"litellm_{side}_tokens{part}_total") for side in ("input", "output")]
    assert [found.total("tokens_in"), found.total("tokens_out")] == expected


@pytest.mark.parametrize("page", [OLD, LATER])
def test_each_deployment_has_its_share(page: str) -> None:
    """By the place that it calls; a model that nobody configured has none."""
    found = Reading(ADAPTER, page)
    assert found.shares("upstream_requests") == {"10.3.0.31:8000": 3010.0, "10.3.0.32:8000": 1104.0}
    assert found.shares("upstream_healthy") == {"10.3.0.31:8000": 1.0, "10.3.0.32:8000": 0.0}


def test_a_caller_that_left_is_no_error() -> None:
    """Where the proxy noticed it; a timeout is one."""
    found = Reading(ADAPTER, LATER)
    assert [found.total(noun) for noun in ("errors", "rate_limited", "client_gone")] == [20.0, 31.0, 8.0]
    assert Reading(ADAPTER, OLD).total("client_gone") is None


def test_a_release_without_requests_in_flight_has_zeros_since_its_first_request() -> None:
    """Beside the counter of requests an error that never was is 0."""
    found = Reading(ADAPTER, b'litellm_proxy_total_requests_metric_total{requested_model="m"} 3\n')
    assert [found.total(noun) for noun in ("errors", "rate_limited", "retries", "fallbacks")] == [0.0] * 4
    assert found.total("inflight") is None


def test_writes_that_timed_out_are_those_of_its_stores() -> None:
    """Other faults of a store are not."""
    assert Reading(ADAPTER, LATER).total("store_timeouts") == 5.0


@pytest.mark.parametrize(
    "indicator", ["requests", "errors", "rate_limited", "upstream_requests", "retries", "inflight"]
)
def test_an_idle_proxy_has_zeros(indicator: str) -> None:
    """Its counters do not exist before the first request, and its own scrape is no request of anybody."""
    assert total(mapped(capture("litellm/idle.prom")), f"gateway.{indicator}") == 0.0


@pytest.mark.parametrize(("status", "errors", "limited"), [("500", 2.0, 0.0), ("None", 2.0, 0.0), ("429", 0.0, 2.0)])
def test_failures_are_errors_and_refusals_are_not(status: str, errors: float, limited: float) -> None:
    """What the upstream or the gateway did wrong, apart from a limit that was reached."""
    page = mapped(FAILED.format(status=status).encode())
    assert (total(page, "gateway.errors"), total(page, "gateway.rate_limited")) == (errors, limited)


def test_no_label_is_stored() -> None:
    """They hold keys and users."""
    labels = {name for s in mapped(capture("litellm/after_errors.prom")).samples for name, _ in s.key.labels}
    assert labels <= {"series", "fallback", "upstream", "pool"}


PAGES = ["idle", "load", "after_errors"]
COUNTS = {
    "gateway.requests": "litellm_proxy_total_requests_metric_total",
    "gateway.tokens_in": "litellm_input_tokens_metric_total",
    "gateway.tokens_out": "litellm_output_tokens_metric_total",
}
TIMES = {
    "gateway.latency": "litellm_request_total_latency_metric",
    "gateway.upstream_latency": "litellm_llm_api_latency_metric",
    "gateway.ttft": "litellm_llm_api_time_to_first_token_metric",
    "gateway.queue_time": "litellm_request_queue_time_seconds",
    "gateway.overhead": "litellm_overhead_latency_metric",
}


@pytest.mark.parametrize("name", PAGES)
def test_counts_are_those_of_the_page(name: str) -> None:
    """Read by another parser; of failures and upstream calls, those that the table means."""
    body = capture(f"litellm/{name}.prom")
    page, there = mapped(body), Exposed(body)
    expected = {indicator: there.total(metric) for indicator, metric in COUNTS.items()}
    failed = "litellm_proxy_failed_requests_metric_total"
    upstream = "litellm_deployment_total_requests_total"
    expected["gateway.errors"] = there.total(failed) - there.total(failed, exception_status="400")
    expected["gateway.upstream_requests"] = there.total(upstream) - there.total(upstream, api_base="")
    expected["gateway.inflight"] = there.total("litellm_in_flight_requests") - 1
    assert {indicator: total(page, indicator) for indicator in expected} == expected


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("indicator", sorted(TIMES))
def test_times_are_those_of_the_page(name: str, indicator: str) -> None:
    """Count and sum, or none where the page has none."""
    body = capture(f"litellm/{name}.prom")
    found, there = histogram(mapped(body), indicator), Exposed(body)
    metric = TIMES[indicator]
    assert (found is not None) is there.has(metric + "_count")
    assert found is None or (found.count, found.total) == (there.total(metric + "_count"), there.total(metric + "_sum"))


@pytest.mark.parametrize("name", ["load", "after_errors"])
def test_no_identifier_is_stored(name: str) -> None:
    """Labels of the page name callers, keys and models; none of their values is in what is handed on but the URL."""
    body = capture(f"litellm/{name}.prom")
    proxy = target(GATEWAY_LAYER, adapters())
    batch = proxy.batch(poll(body))
    told = repr((batch.samples, batch.facts, batch.notes, batch.absences, batch.entities, batch.links))
    secrets = {value for value in re.findall(r'="([^"]{4,})"', body.decode()) if not value.replace(".", "").isdigit()}
    assert batch.samples
    assert len(secrets) > 5
    assert not [value for value in secrets - {"None", "litellm"} if value in told]
    assert proxy.upstreams == {"http://127.0.0.1:28000/v1"}


STATE = 'litellm_deployment_state{{api_base="http://{host}/v1",litellm_model_name="{name}",model_id="{id}"}} {state}\n'


@pytest.mark.parametrize(("later", "healthy"), [("0.0", 1.0), ("1.0", 0.5)])
def test_a_deployment_that_recovered_is_healthy(later: str, healthy: float) -> None:
    """Its outage stays on the page under its public name; another deployment on the same host is one of its own."""
    page = STATE.format(host="10.3.0.31:8000", name="chat", id="91", state="2.0")
    page += STATE.format(host="10.3.0.31:8000", name="llama-3.1-8b", id="91", state=later)
    page += STATE.format(host="10.3.0.31:8000", name="bge-m3", id="92", state="0.0")
    found = [s.value for s in mapped(page.encode()).samples if s.key.indicator == "gateway.upstream_healthy"]
    assert found == [healthy, 1.0]
