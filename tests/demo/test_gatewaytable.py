"""The simulated gateway, read by its table."""

from __future__ import annotations

from perfconsole.demo.gatewaytable import TABLE
from perfconsole.demo.model.gateway import GatewayModel, Passed
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.sample import Histogram
from perfconsole.sources.layer import GATEWAY
from perfconsole.sources.targetpage import Poll, TargetPage


def gaps(*passed: Passed) -> Histogram:
    """What the console reads of the gaps between tokens."""
    gateway = GatewayModel("http://e/v1", 1.0)
    for one in passed:
        gateway.begin()
        gateway.end(one)
    target = TargetPage("127.0.0.1:1", (TABLE,), DEFAULT, "sim-gateway", layer=GATEWAY)
    poll = Poll(gateway.page().encode(), openmetrics=False, t=5.0, wall=5.0, took_s=0.01, cadence_s=1.0)
    values = {sample.key.indicator: sample.value for sample in target.batch(poll).samples}
    found = values["gateway.itl"]
    assert isinstance(found, Histogram)
    return found


def test_the_gaps_are_those_that_were_passed_on() -> None:
    """Ten gaps in a second."""
    assert gaps(Passed(200, 1.5, 1.5, 0.5, 10, 11)).total == 0.1
    assert gaps(Passed(200, 1.5, 1.5, 1.5, 10, 11)).total == 0.0


def test_one_token_has_no_gap() -> None:
    """Nor has an answer that failed."""
    assert gaps(Passed(200, 1.5, 1.5, 0.5, 10, 1), Passed(500, 1.0)).counts[-1] == 0


def test_it_is_litellm_otherwise() -> None:
    """So that whatever is known of that holds."""
    assert TABLE.name == "litellm"
    assert "gateway.itl" in {metric.indicator for metric in TABLE.metrics}
