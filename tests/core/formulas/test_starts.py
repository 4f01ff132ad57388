"""Restarts of an engine."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.core.restarts import COUNTED_S
from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, World, page, sample

NAME = "engine.restarts"
UP = sample("engine.up", 1.0)


def started(*times: float, source: str = "page") -> World:
    """An engine that is up from second 0 on and began anew at these times."""
    world = World()
    world.apply(page(0.0, UP, source=source))
    world.apply(*(replace(page(t, UP, source=source), restarted=(ENGINE,)) for t in times))
    return world


def test_the_first_start_is_none() -> None:
    """An engine that was found running has not restarted."""
    assert started().frame(1.0).value(NAME, ENGINE) == 0.0


def test_each_restart_counts() -> None:
    """A loop is more than one."""
    assert started(100.0, 400.0, 700.0).frame(701.0).value(NAME, ENGINE) == 3.0


def test_what_was_more_than_six_hours_ago_does_not_count() -> None:
    """Yesterday's deployment is no loop of today."""
    assert started(100.0, 400.0).frame(401.0 + COUNTED_S).value(NAME, ENGINE) == 0.0
    assert started(100.0, 400.0 + COUNTED_S).frame(401.0 + COUNTED_S).value(NAME, ENGINE) == 1.0


def test_one_restart_that_two_sources_see_counts_once() -> None:
    """The page and the processes tell the same."""
    world = started(100.0)
    world.apply(replace(page(103.0, UP, source="processes"), restarted=(ENGINE,)))
    assert world.frame(104.0).value(NAME, ENGINE) == 1.0


def test_an_engine_without_a_sign_of_life_has_no_count() -> None:
    """What was only named by a gateway may have started a hundred times."""
    assert World().frame(1.0).value(NAME, ENGINE) is Missing.NEVER


def test_a_count_from_outside_overrides_it() -> None:
    """A situation says how often it started."""
    world = started(100.0)
    world.apply(page(101.0, UP, sample(NAME, 5.0)))
    assert world.frame(101.0).value(NAME, ENGINE) == 5.0
