"""The simulated gateway's page, read as one of LiteLLM."""

from __future__ import annotations

import re
from pathlib import Path

from perfconsole.demo.model.gateway import GAPS, GatewayModel, Passed
from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources import gateways
from perfconsole.sources.layer import GATEWAY
from perfconsole.sources.targetpage import Poll, TargetPage

CAPTURE = Path(__file__).parents[2] / "captures/litellm/after_errors.prom"


def values(gateway: GatewayModel) -> dict[str, object]:
    """Indicators that the console's page class reads."""
    target = TargetPage("127.0.0.1:1", gateways.adapters(), DEFAULT, "sim-gateway", layer=GATEWAY)
    poll = Poll(gateway.page().encode(), openmetrics=False, t=5.0, wall=5.0, took_s=0.01, cadence_s=1.0)
    batch = target.batch(poll)
    assert batch.error is None
    return {sample.key.indicator: sample.value for sample in batch.samples}


def test_an_idle_gateway_has_no_request_in_flight() -> None:
    """LiteLLM counts the scrape, and the console knows."""
    assert values(GatewayModel("http://e/v1", 1.0))["gateway.inflight"] == 0.0


def test_requests_under_way_and_ended_are_told_apart() -> None:
    """One of two has ended."""
    gateway = GatewayModel("http://e/v1", 1.0)
    gateway.begin()
    gateway.begin()
    gateway.end(Passed(200, 1.0, 0.9, 0.1, 10, 20))
    found = values(gateway)
    assert (found["gateway.inflight"], found["gateway.requests"], found["gateway.upstream_requests"]) == (1, 1, 1)


def test_a_failure_of_the_engine_is_an_error_of_the_gateway() -> None:
    """With its status."""
    gateway = GatewayModel("http://e/v1", 1.0)
    gateway.begin()
    gateway.end(Passed(503, 1.0))
    assert values(gateway)["gateway.errors"] == 1


def test_every_name_is_one_of_litellm() -> None:
    """But for the overhead, which only some releases have, and the series of its own."""
    gateway = GatewayModel("http://e/v1", 1.0)
    gateway.begin()
    gateway.end(Passed(500, 1.0, 0.9, 0.1, 10, 20))
    names = set(re.findall(r"(?m)^# TYPE (\S+)", gateway.page()))
    real = set(re.findall(r"(?m)^# TYPE (\S+)", CAPTURE.read_text(encoding="utf-8")))
    assert {n for n in names - real if "overhead" not in n} == {GAPS, f"{GAPS}_created"}
