"""Rates and ratios of a gateway, and what goes past it."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Absence, Batch, Missing
from tests.core.building import ENGINE, GATEWAY, World, page, sample
from tests.core.formulas.agents import Counts, closed_loop, engine_pages, gateway_pages, linked, polls, task

SECOND = Entity(Kind.GATEWAY, "other")
FINISHED, RUNNING, WAITING = "engine.requests_finished", "engine.requests_running", "engine.requests_waiting"
REQUESTS, UPSTREAM, INFLIGHT = "gateway.requests", "gateway.upstream_requests", "gateway.inflight"
GAP = (Absence(UPSTREAM, GATEWAY, Missing.NOT_EXPORTED),)


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


def test_a_gateway_that_counts_no_calls_sends_each_request_once() -> None:
    """A plain proxy knows only what came in."""
    made = world({FINISHED: (0.0, 100.0)}, (GATEWAY, {REQUESTS: (0.0, 70.0)}))
    made.apply(replace(page(60.0, sample(REQUESTS, 70.0, GATEWAY), source=GATEWAY.name, cadence_s=60.0), absences=GAP))
    assert made.value("gateway.bypass_ratio", 60.0, GATEWAY) == pytest.approx(0.3)


def test_a_gateway_in_front_of_another_counts_nothing_twice() -> None:
    """What it sends the other one sends on."""
    made = world({FINISHED: (0.0, 100.0)}, (GATEWAY, {UPSTREAM: (0.0, 60.0)}), (SECOND, {UPSTREAM: (0.0, 60.0)}))
    assert made.value("gateway.bypass_ratio", 60.0, GATEWAY) == 0.0
    made.topology.replace("more", [Link(Relation.GATEWAY_TO_GATEWAY, SECOND, GATEWAY)])
    assert made.value("gateway.bypass_ratio", 60.0, GATEWAY) == pytest.approx(0.4)


def test_a_gateway_in_front_of_agents_has_no_bypass() -> None:
    """They make several calls of each of its requests."""
    made = world({FINISHED: (0.0, 500.0)}, (GATEWAY, {UPSTREAM: (0.0, 100.0)}))
    made.topology.replace("more", [Link(Relation.GATEWAY_TO_ORCHESTRATOR, GATEWAY, Entity(Kind.ORCHESTRATOR, "a"))])
    assert made.value("gateway.bypass_ratio", 60.0, GATEWAY) is Missing.UNSUPPORTED


def test_what_another_gateway_sends_is_no_amplification() -> None:
    """They share the engine."""
    made = world({FINISHED: (0.0, 100.0)}, (GATEWAY, {REQUESTS: (0.0, 40.0)}), (SECOND, {UPSTREAM: (0.0, 60.0)}))
    assert made.value("gateway.amplification", 60.0, GATEWAY) == pytest.approx(1.0)


def test_a_dead_gateway_leaves_nothing_open() -> None:
    """It sends nothing any more."""
    made = world({FINISHED: (0.0, 100.0)}, (GATEWAY, {UPSTREAM: (0.0, 60.0)}), (SECOND, {"gateway.up": (1.0, 0.0)}))
    assert made.value("gateway.bypass_ratio", 60.0, GATEWAY) == pytest.approx(0.4)


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


LOADS = {
    "short calls": (8, 0.5),
    "long streams": (40, 25.0),
}


def through(workers: int, call_s: float, begins: float, end: float, seed: int) -> Counts:
    """Callers with one request after another."""
    random = Random(seed)  # noqa: S311 - a load that comes again
    tasks = closed_loop(workers, begins, end, lambda t: task(t, 1, "chain", call_s, random))
    return Counts([t.span for t in tasks])


def behind(requests: Counts, calls: Counts, end: float, *, at_end: bool, first_seen: float = 0.0) -> World:
    """A gateway, first seen at a moment, before an engine that was seen from the start."""
    random = Random(1)  # noqa: S311 - polls that come again
    made = linked((Relation.GATEWAY_TO_ENGINE, GATEWAY, ENGINE))
    engine_pages(made, calls, polls(0.3, end, random))
    gateway_pages(made, requests, polls(first_seen, end, random), at_end=at_end)
    return made


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("begins", [-120.0, 20.0])
def test_a_gateway_that_passes_requests_on_amplifies_and_loses_none(load: str, begins: float, *, at_end: bool) -> None:
    """Whether it counts them as they come or as they end, and whether the load was there first or the console."""
    requests = through(*LOADS[load], begins, 200.0, seed=3)
    made = behind(requests, requests, 200.0, at_end=at_end)
    assert made.value("gateway.amplification", 200.0, GATEWAY) == pytest.approx(1.0, rel=0.05)
    assert made.value("gateway.bypass_ratio", 200.0, GATEWAY) == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("at_end", [True, False])
def test_a_gateway_that_was_found_later_is_measured_from_then_on(*, at_end: bool) -> None:
    """The engine was polled for two minutes before."""
    requests = through(8, 0.5, -60.0, 200.0, seed=4)
    made = behind(requests, requests, 200.0, at_end=at_end, first_seen=120.0)
    assert made.value("gateway.amplification", 200.0, GATEWAY) == pytest.approx(1.0, rel=0.05)
    assert made.value("gateway.bypass_ratio", 200.0, GATEWAY) == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("entity", [GATEWAY, ENGINE])
def test_after_a_restart_both_are_measured_from_then_on(entity: Entity) -> None:
    """What one of them forgot is not held against the other."""
    requests = through(8, 0.5, -60.0, 200.0, seed=5)
    made = behind(requests, requests, 140.0, at_end=True)
    source = "gateway" if entity == GATEWAY else entity.name
    made.apply(Batch(source, "metrics page", 141.0, 141.0, 1.0, took_s=0.01, restarted=(entity,)))
    after = through(8, 0.5, 141.0, 200.0, seed=6)
    random = Random(2)  # noqa: S311 - polls that come again
    fresh = after if entity == ENGINE else requests
    engine_pages(made, fresh, polls(142.0, 200.0, random))
    fresh = after if entity == GATEWAY else requests
    gateway_pages(made, fresh, polls(142.4, 200.0, random), at_end=True)
    assert made.value("gateway.amplification", 200.0, GATEWAY) == pytest.approx(1.0, rel=0.1)


def test_what_goes_past_the_gateway_is_a_share_of_all() -> None:
    """A quarter of the callers, within five percent."""
    own, others = through(12, 0.5, -60.0, 200.0, seed=7), through(4, 0.5, -60.0, 200.0, seed=8)
    made = linked((Relation.GATEWAY_TO_ENGINE, GATEWAY, ENGINE))
    random = Random(3)  # noqa: S311 - polls that come again
    for t in polls(0.3, 200.0, random):
        values = {FINISHED: own.ended(t) + others.ended(t), RUNNING: own.held(t) + others.held(t)}
        made.apply(page(t, *(sample(n, v) for n, v in values.items()), source="engine"))
    gateway_pages(made, own, polls(0.0, 200.0, random), at_end=True)
    truth = others.begun(200.0) - others.begun(0.0)
    truth /= truth + own.begun(200.0) - own.begun(0.0)
    assert made.value("gateway.bypass_ratio", 200.0, GATEWAY) == pytest.approx(truth, rel=0.05)


def test_every_request_may_become_many() -> None:
    """Five calls at the engine for each at the gateway, within five percent."""
    random = Random(9)  # noqa: S311 - a load that comes again
    tasks = closed_loop(6, -60.0, 200.0, lambda t: task(t, 5, "fan", 0.5, random))
    requests, calls = Counts([t.span for t in tasks]), Counts([c for t in tasks for c in t.calls])
    for at_end in (True, False):
        made = behind(requests, calls, 200.0, at_end=at_end)
        assert made.value("gateway.amplification", 200.0, GATEWAY) == pytest.approx(5.0, rel=0.05)
