"""How the time that a gateway adds to the first token grows with load."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Link, Relation
from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, GATEWAY, OTHER, World, histogram, known, page, sample

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

GROWTH = "gateway.adder_growth"
OUTSIDE = "gateway.ttft.p50"
INSIDE = "engine.ttft.p50"
RUNNING = "engine.requests_running"
LOADS = (2.0, 2.0, 2.0, 2.0, 10.0, 10.0, 10.0, 10.0, 18.0, 18.0)
"""Requests running, by minutes."""


def observed(adder_of: Callable[[float], float], loads: Sequence[float] = LOADS) -> tuple[World, float]:
    """A gateway over two engines that answer the first token after 50 ms, and what it added at these loads."""
    world = World()
    links = [Link(Relation.GATEWAY_TO_ENGINE, GATEWAY, e) for e in (ENGINE, OTHER)]
    world.topology.replace("page", links)
    t = 0.0
    for load in loads:
        for _ in range(6):
            added = adder_of(load)
            inside = [(INSIDE, e, 0.05) for e in (ENGINE, OTHER)]
            running = [(RUNNING, e, load / 2) for e in (ENGINE, OTHER)]
            world.history.record(t, [(OUTSIDE, GATEWAY, 0.05 + added), *inside, *running])
            t += 10.0
    world.history.record(t, [])
    world.apply(page(t, sample(OUTSIDE, 0.05 + adder_of(loads[-1]), GATEWAY)))
    world.apply(page(t, *(sample(INSIDE, 0.05, e) for e in (ENGINE, OTHER)), source="engines"))
    world.apply(page(t, *(sample(RUNNING, loads[-1] / 2, e) for e in (ENGINE, OTHER)), source="gauges"))
    return world, t


def test_a_timer_adds_the_same_at_any_load() -> None:
    """50 ms, whatever runs."""
    world, end = observed(lambda _load: 0.05)
    assert known(world.value(GROWTH, end, GATEWAY)) == pytest.approx(1.0)


def test_work_adds_more_under_load() -> None:
    """5 ms for each request that runs: five times as much at five times the load."""
    world, end = observed(lambda load: 0.005 * load)
    assert known(world.value(GROWTH, end, GATEWAY)) == pytest.approx(5.0)


def test_an_adder_of_nothing_has_no_growth() -> None:
    """A millisecond is within what two medians differ by."""
    world, end = observed(lambda _load: 0.001)
    assert world.value(GROWTH, end, GATEWAY) is Missing.NEVER


def test_an_adder_that_only_load_brings_has_no_growth() -> None:
    """By a rest of nothing nobody can divide."""
    world, end = observed(lambda load: 0.0 if load < 5 else 0.1)
    assert world.value(GROWTH, end, GATEWAY) is Missing.NEVER


def test_one_load_says_nothing() -> None:
    """From 9 to 11 requests there are no thirds worth the name."""
    world, end = observed(lambda _load: 0.05, loads=(9.0, 10.0, 11.0) * 4)
    assert world.value(GROWTH, end, GATEWAY) is Missing.NEVER


def test_a_few_minutes_warm_up() -> None:
    """Three of either third are six at the least."""
    world, end = observed(lambda _load: 0.05, loads=(2.0, 10.0, 18.0))
    assert world.value(GROWTH, end, GATEWAY) is Missing.WARMING_UP


def test_without_engines_there_is_nothing_to_compare_with() -> None:
    """What is behind it is not known."""
    world = World()
    world.apply(page(0.0, sample(OUTSIDE, 0.1, GATEWAY)))
    assert world.value(GROWTH, 0.0, GATEWAY) is Missing.NEVER


def test_a_gateway_without_first_tokens_says_so() -> None:
    """The reason of the histogram is passed on."""
    world, end = observed(lambda _load: 0.05)
    other = World()
    other.topology.replace("page", [Link(Relation.GATEWAY_TO_ENGINE, GATEWAY, ENGINE)])
    other.apply(page(0.0, sample("gateway.ttft", histogram(1.0, 1.0, 1.0, 1.0), GATEWAY), sample(RUNNING, 1.0)))
    assert other.value(GROWTH, 0.0, GATEWAY) is Missing.WARMING_UP
    assert not isinstance(world.value(GROWTH, end, GATEWAY), Missing)


def test_what_was_before_a_restart_of_the_gateway_does_not_count() -> None:
    """Another process, perhaps with another timer."""
    world, end = observed(lambda _load: 0.05)
    world.history.restart(GATEWAY, end - 120.0)
    assert world.value(GROWTH, end, GATEWAY) is Missing.WARMING_UP


def test_a_step_probe_overrides() -> None:
    """It measured what the hour only shows by chance."""
    world, end = observed(lambda _load: 0.05)
    world.apply(page(end, sample(GROWTH, 3.0, GATEWAY), source="probe"))
    assert world.value(GROWTH, end, GATEWAY) == 3.0
