"""How often an engine began anew."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, World, page, sample

RESTARTS = "engine.restarts"
UPTIME = "engine.uptime"


def began(*times: float, seen: bool = True) -> World:
    """An engine whose page says at these moments that it began anew; `seen` when it tells its start at all."""
    world = World()
    first = (sample(UPTIME, 100.0),) if seen else (sample("engine.up", 1.0),)
    world.apply(page(0.0, *first))
    for t in times:
        world.apply(replace(page(t, sample(UPTIME, 1.0)), restarted=(ENGINE,)))
    return world


def test_restarts_are_counted() -> None:
    """Three starts after the first one."""
    assert began(100.0, 200.0, 300.0).value(RESTARTS, 301.0) == 3.0


def test_restarts_are_forgotten_after_six_hours() -> None:
    """One of them was this morning."""
    assert began(100.0, 20_000.0, 22_000.0).value(RESTARTS, 22_000.0) == 2.0


def test_an_engine_that_runs_on_did_not_restart() -> None:
    """It says since when it runs: 0 is known."""
    assert began().value(RESTARTS, 1.0) == 0.0


def test_an_engine_that_does_not_tell_its_start_may_have() -> None:
    """Unknown is not 0."""
    assert isinstance(began(seen=False).value(RESTARTS, 1.0), Missing)


def test_an_engine_that_is_down_has_restarted_all_the_same() -> None:
    """What was seen stays seen."""
    assert began(100.0, 200.0).value(RESTARTS, 900.0) == 2.0
