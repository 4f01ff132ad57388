"""Rates and ratios of a gateway, and what goes past it."""

from __future__ import annotations

import pytest

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, GATEWAY, World, page, sample

SECOND = Entity(Kind.GATEWAY, "other")
FINISHED, RUNNING, WAITING = "engine.requests_finished", "engine.requests_running", "engine.requests_waiting"
REQUESTS, UPSTREAM, INFLIGHT = "gateway.requests", "gateway.upstream_requests", "gateway.inflight"


def world(engine: dict[str, tuple[float, float]], *gateways: tuple[Entity, dict[str, tuple[float, float]]]) -> World:
    """An engine behind gateways, each with (first, last) of its indicators over 60 s."""
    made = World()
    made.topology.replace("config", [Link(Relation.GATEWAY_TO_ENGINE, g, ENGINE) for g, _ in gateways])
    for place, t in enumerate((0.0, 60.0)):
        made.apply(page(t, *(sample(n, pair[place]) for n, pair in engine.items()), cadence_s=60.0))
        for gateway, rows in gateways:
            samples = (sample(n, pair[place], gateway) for n, pair in rows.items())
            made.apply(page(t, *samples, source=gateway.name, cadence_s=60.0))
    return made


@pytest.mark.parametrize(
    ("name", "counter"),
    [("gateway.request_rate", REQUESTS), ("gateway.generation_rate", "gateway.tokens_out")],
)
def test_rates_are_growth_a_second(name: str, counter: str) -> None:
    """Each rate reads its own counter."""
    assert world({}, (GATEWAY, {counter: (0.0, 300.0)})).value(name, 60.0, GATEWAY) == 5.0


@pytest.mark.parametrize("part", ["errors", "rate_limited", "retries", "client_gone"])
def test_ratios_are_shares_of_the_requests(part: str) -> None:
    """Of the window."""
    name = {"errors": "error_ratio", "retries": "retry_ratio"}.get(part, f"{part}_ratio")
    made = world({}, (GATEWAY, {REQUESTS: (0.0, 100.0), f"gateway.{part}": (0.0, 5.0)}))
    assert made.value(f"gateway.{name}", 60.0, GATEWAY) == 0.05


def test_a_ratio_of_few_requests_says_nothing() -> None:
    """One error of three is no third."""
    made = world({}, (GATEWAY, {REQUESTS: (0.0, 19.0), "gateway.errors": (0.0, 5.0)}))
    assert made.value("gateway.error_ratio", 60.0, GATEWAY) is Missing.WARMING_UP


def test_amplification_counts_what_arrives() -> None:
    """Ended or still held."""
    engine = {FINISHED: (0.0, 150.0), RUNNING: (0.0, 30.0), WAITING: (0.0, 20.0)}
    made = world(engine, (GATEWAY, {REQUESTS: (0.0, 100.0)}))
    assert made.value("gateway.amplification", 60.0, GATEWAY) == 2.0


@pytest.mark.parametrize(("sent", "ratio"), [(100.0, 0.0), (60.0, 0.4), (150.0, 0.0)])
def test_what_the_gateway_did_not_send_went_past_it(sent: float, ratio: float) -> None:
    """Never less than nothing."""
    made = world({FINISHED: (0.0, 100.0)}, (GATEWAY, {UPSTREAM: (0.0, sent)}))
    assert made.value("gateway.bypass_ratio", 60.0, GATEWAY) == pytest.approx(ratio)


def test_requests_on_their_way_are_no_bypass() -> None:
    """The engine has them, and the gateway counts them when they end."""
    engine = {FINISHED: (0.0, 60.0), WAITING: (0.0, 40.0)}
    made = world(engine, (GATEWAY, {UPSTREAM: (0.0, 60.0), INFLIGHT: (0.0, 40.0)}))
    assert made.value("gateway.bypass_ratio", 60.0, GATEWAY) == 0.0


def test_what_another_gateway_sends_is_no_bypass() -> None:
    """They share the engine."""
    made = world({FINISHED: (0.0, 100.0)}, (GATEWAY, {UPSTREAM: (0.0, 60.0)}), (SECOND, {UPSTREAM: (0.0, 40.0)}))
    assert made.value("gateway.bypass_ratio", 60.0, GATEWAY) == 0.0


def test_another_gateway_that_is_silent_leaves_it_open() -> None:
    """It may have sent the rest."""
    made = world({FINISHED: (0.0, 100.0)}, (GATEWAY, {UPSTREAM: (0.0, 60.0)}), (SECOND, {}))
    assert isinstance(made.value("gateway.bypass_ratio", 60.0, GATEWAY), Missing)


def test_few_arrivals_say_nothing() -> None:
    """A console's own probe is no bypass."""
    made = world({FINISHED: (0.0, 5.0)}, (GATEWAY, {UPSTREAM: (0.0, 0.0)}))
    assert made.value("gateway.bypass_ratio", 60.0, GATEWAY) is Missing.WARMING_UP


def test_without_an_engine_nothing_can_go_past() -> None:
    """Missing, not 0."""
    made = world({}, (GATEWAY, {UPSTREAM: (0.0, 60.0)}))
    made.topology.replace("config", [])
    assert made.value("gateway.bypass_ratio", 60.0, GATEWAY) is Missing.NEVER
