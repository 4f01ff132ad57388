"""Tests of the table of the endpoint picker on pages of four generations of its names."""

from __future__ import annotations

import pytest

from perfconsole.sources.gateways.epp import ADAPTER
from perfconsole.sources.roles import parse_argv
from tests.sources.gateways.reading import Reading

PAGES = {
    "epp_old/gie-1.0.prom": "inference_model_",
    "epp/gie-1.2.prom": "inference_objective_",
    "epp/gie-1.5.prom": "inference_objective_",
    "epp/llm-d-0.9.prom": "llm_d_epp_",
}
QUEUES = {"epp/gie-1.5.prom": "inference_extension_", "epp/llm-d-0.9.prom": "llm_d_epp_"}
A, B, C = "llama-8b-6d5f-a", "llama-8b-6d5f-b", "qwen-7c9-a"

each_page = pytest.mark.parametrize("page", sorted(PAGES))


@each_page
def test_each_generation_counts_once(page: str) -> None:
    """A page that has old names beside new ones says the same thing twice."""
    found = Reading(ADAPTER, page)
    assert found.total("requests") == found.there.total(f"{PAGES[page]}request_total") == 9267.0


@each_page
def test_errors_are_not_those_of_the_caller_nor_of_a_limit(page: str) -> None:
    """A bad request is nobody's error here, and a refusal is told apart."""
    found = Reading(ADAPTER, page)
    assert (found.total("errors"), found.total("rate_limited")) == (15.0, 65.0)


@pytest.mark.parametrize("code", ["BadRequest", "Unauthorized", "Forbidden", "NotFound", "401", "403"])
def test_what_is_answered_with_4xx_is_no_error(code: str) -> None:
    """By name or by number."""
    body = f'inference_objective_request_error_total{{error_code="{code}"}} 4\ninference_objective_request_total 9\n'
    assert Reading(ADAPTER, body.encode()).total("errors") == 0.0


@each_page
def test_times_are_those_of_the_page(page: str) -> None:
    """In seconds."""
    found = Reading(ADAPTER, page)
    name = f"{PAGES[page]}request_duration_seconds"
    assert found.times("latency") == (found.there.total(f"{name}_count"), found.there.total(f"{name}_sum"))


@each_page
def test_tokens_are_the_sums_of_their_sizes(page: str) -> None:
    """They are on no counter."""
    found = Reading(ADAPTER, page)
    part = "request_" if PAGES[page] == "llm_d_epp_" else ""
    expected = [found.there.total(f"{PAGES[page]}{part}{side}_tokens_sum") for side in ("input", "output")]
    assert [found.total("tokens_in"), found.total("tokens_out")] == expected


@each_page
def test_a_pool_has_ready_pods_or_none(page: str) -> None:
    """How many are not ready is on no page, so that three of them are whole."""
    assert Reading(ADAPTER, page).total("upstream_healthy") == 1.0


def test_a_pool_without_a_ready_pod_is_down() -> None:
    """That much can be said."""
    assert Reading(ADAPTER, b'inference_pool_ready_pods{name="p"} 0\n').total("upstream_healthy") == 0.0


@pytest.mark.parametrize("page", sorted(QUEUES))
def test_flow_control_tells_its_queue_and_who_left_it(page: str) -> None:
    """Waiting, and gone before an endpoint was picked."""
    found = Reading(ADAPTER, page)
    assert (found.total("queue_depth"), found.total("client_gone")) == (17.0, 9.0)
    name = f"{QUEUES[page]}flow_control_request_queue_duration_seconds"
    assert found.times("queue_time") == (found.there.total(f"{name}_count"), found.there.total(f"{name}_sum"))


@pytest.mark.parametrize("page", sorted(QUEUES))
def test_each_endpoint_has_its_share_of_the_picks(page: str) -> None:
    """Under the name of its pod; a pick that failed is none."""
    assert Reading(ADAPTER, page).shares("upstream_requests") == {A: 6010.0, B: 2417.0, C: 840.0}


@pytest.mark.parametrize(("value", "full"), [("0.4", 0.4), ("1.7", 1.0)])
def test_more_than_full_is_full(value: str, full: float) -> None:
    """A ratio ends at 1."""
    page = f'inference_extension_flow_control_pool_saturation{{inference_pool="p"}} {value}\n'.encode()
    assert Reading(ADAPTER, page).total("saturation") == full


def test_it_is_no_other_program_of_three_letters() -> None:
    """A short name needs one of its flags."""
    assert ADAPTER.processes.launches(parse_argv("/app/epp\0--pool-name\0llama\0--grpc-port\x009002"))
    assert not ADAPTER.processes.launches(parse_argv("epp\0--help"))
