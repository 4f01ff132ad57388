"""Tests of the lag of an event loop of a gateway: what its page states, else the delays of its monitor."""

from __future__ import annotations

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from tests.core.building import World, histogram, page, sample

FRONT = Entity(Kind.GATEWAY, "dynamo:8000")
LAG, DELAY = "gateway.loop_lag", "gateway.loop_delay"


def test_delays_of_ten_seconds_give_their_p99() -> None:
    """Those before are left out: the loop was held up now."""
    world = World()
    for t, grown in ((0.0, 0.0), (10.0, 1.0)):
        late = histogram(500 + 98 * grown, 500 + 98 * grown, 500 + 100 * grown, 500 + 100 * grown)
        world.apply(page(t, sample(DELAY, late, FRONT), cadence_s=10.0))
    assert world.value(LAG, 10.0, FRONT) == pytest.approx(0.75)


def test_a_stated_lag_holds() -> None:
    """It is the worst of its window."""
    world = World()
    world.apply(page(1.0, sample(LAG, 0.2, FRONT), sample(DELAY, histogram(9, 9, 9, 9), FRONT)))
    assert world.value(LAG, 1.0, FRONT) == 0.2


def test_a_loop_that_nobody_looks_at_has_no_lag() -> None:
    """Missing, and not 0."""
    world = World()
    world.apply(page(1.0, sample("gateway.requests", 5.0, FRONT)))
    assert world.value(LAG, 1.0, FRONT) is Missing.NEVER
