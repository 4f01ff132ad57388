"""Tests of how evenly a gateway spreads its requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from tests.core.building import World, page, sample

if TYPE_CHECKING:
    from collections.abc import Mapping

GATEWAY = Entity(Kind.GATEWAY, "router:30000")


def spread(before: Mapping[str, float], after: Mapping[str, float]) -> float | Missing:
    """The indicator 10 s later, by the counts of each upstream then and now."""
    world = World()
    for t, counts in ((0.0, before), (10.0, after)):
        sent = (sample("gateway.upstream_requests", n, GATEWAY, upstream=name) for name, n in counts.items())
        world.apply(page(t, *sent, cadence_s=10.0))
    return world.value("gateway.upstream_spread", 10.0, GATEWAY)


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ({"a": 120.0, "b": 920.0}, 1.0),
        ({"a": 130.0, "b": 910.0}, 1.5),
        ({"a": 140.0, "b": 900.0}, 2.0),
    ],
)
def test_it_is_the_busiest_against_the_mean(after: dict[str, float], expected: float) -> None:
    """1 where all get as many, the number of them where one gets all; what was sent before does not count."""
    assert spread({"a": 100.0, "b": 900.0}, after) == expected


def test_few_requests_spread_nowhere() -> None:
    """Three requests that went to one of two say nothing."""
    assert spread({"a": 100.0, "b": 900.0}, {"a": 103.0, "b": 900.0}) is Missing.WARMING_UP


def test_one_upstream_has_no_spread() -> None:
    """There is nothing to compare it with."""
    assert spread({"a": 0.0}, {"a": 100.0}) is Missing.NOT_EXPORTED


def test_only_those_that_stand_in_for_each_other_are_compared() -> None:
    """A pool of chat servers may get a hundred times what one of embeddings gets; the most uneven pool counts."""
    world = World()
    for t, chat, embed in ((0.0, 0.0, 0.0), (10.0, 1000.0, 15.0)):
        counts = (("a", "1", chat), ("b", "1", chat), ("a", "2", embed), ("c", "2", 3 * embed))
        sent = (sample("gateway.upstream_requests", n, GATEWAY, upstream=name, pool=pool) for name, pool, n in counts)
        world.apply(page(t, *sent, cadence_s=10.0))
    assert world.value("gateway.upstream_spread", 10.0, GATEWAY) == 1.5


def test_pools_that_are_not_told_apart_are_not_compared() -> None:
    """Nobody knows who stands in for whom."""
    world = World()
    for t in (0.0, 10.0):
        counts = (("a", 1.0), ("b", 50.0))
        sent = (sample("gateway.upstream_requests", t * n, GATEWAY, upstream=s, pool="others") for s, n in counts)
        world.apply(page(t, *sent, cadence_s=10.0))
    assert world.value("gateway.upstream_spread", 10.0, GATEWAY) is Missing.NOT_EXPORTED


def test_services_that_are_pools_of_their_own_are_not_compared() -> None:
    """Nothing stands in for either of them."""
    world = World()
    for t in (0.0, 10.0):
        sent = (sample("gateway.upstream_requests", t * n, GATEWAY, upstream=f"s{n}", pool=str(n)) for n in (1, 50))
        world.apply(page(t, *sent, cadence_s=10.0))
    assert world.value("gateway.upstream_spread", 10.0, GATEWAY) is Missing.NOT_EXPORTED
