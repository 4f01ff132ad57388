"""What the console's own polls cannot tell."""

from __future__ import annotations

from perfconsole.model.sample import Missing
from tests.core.building import World, page, sample

RATIO = "engine.scrape_stall_ratio"


def test_polls_in_turn_say_nothing_of_a_health_time_during_a_scrape() -> None:
    """Many of both, and none at the same time: unsupported, and not 1."""
    world = World()
    end = world.play({"engine.health_time": [0.1, 0.9] * 10, "engine.scrape_time": [0.1, 3.0] * 10})
    assert world.value(RATIO, end) is Missing.UNSUPPORTED


def test_a_ratio_from_outside_stands() -> None:
    """Somebody measured it."""
    world = World()
    world.apply(page(0.0, sample(RATIO, 4.0)))
    assert world.value(RATIO, 0.0) == 4.0
