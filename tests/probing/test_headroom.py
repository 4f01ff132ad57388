"""What is left beside the traffic before the probe."""

from __future__ import annotations

from perfconsole.model.proberesult import Goodput, Knee
from perfconsole.probing.headroom import headroom_of
from tests.probing.building import rung

KNEE = Knee(16.0, "queue", "")
STEPS = [rung(8, 1280), rung(16, 2560)]


def test_capacity_is_what_keeps_the_promise() -> None:
    """Ten a second of goodput take 1.3 times seven, and not 1.5 times."""
    found = headroom_of(25.0, Goodput(10.0, 8.0), KNEE, STEPS)
    assert (found.capacity_per_s, found.ratio) == (10.0, 1.4)
    assert found.takes == ((1.3, True), (1.5, False))


def test_without_goodput_it_is_the_rate_at_the_knee() -> None:
    """And it is said."""
    found = headroom_of(10.0, Goodput(None, None), KNEE, STEPS)
    assert (found.capacity_per_s, found.ratio) == (20.0, 3.0)
    assert found.why.startswith("the rate at the knee (16), as no step kept the SLO")


def test_without_either_there_is_none() -> None:
    """Nothing to compare the traffic with."""
    found = headroom_of(10.0, Goodput(None, None), Knee(None, "none", ""), STEPS)
    assert (found.capacity_per_s, found.ratio, found.takes) == (None, None, ())


def test_a_curve_that_still_rises_has_an_unknown_capacity() -> None:
    """A light probe beside heavy traffic does not make it too much."""
    rising = Knee(None, "none", "")
    found = headroom_of(100.0, Goodput(20.0, 16.0), rising, STEPS)
    assert (found.capacity_per_s, found.ratio, found.takes) == (20.0, None, ())
    assert found.why.endswith("at more load, which was not tried, it may be more")
    assert headroom_of(10.0, Goodput(20.0, 16.0), rising, STEPS).takes == ((1.3, True), (1.5, True))
    assert headroom_of(100.0, Goodput(10.0, 8.0), rising, STEPS).takes == ((1.3, False), (1.5, False))


def test_traffic_that_is_not_known_or_not_there() -> None:
    """Has no ratio, and the reason is said."""
    unknown, idle = (headroom_of(traffic, Goodput(10.0, 8.0), KNEE, STEPS) for traffic in (None, 0.0))
    assert (unknown.capacity_per_s, unknown.ratio, "nothing tells" in unknown.why) == (10.0, None, True)
    assert (idle.ratio, "no traffic before" in idle.why) == (None, True)
