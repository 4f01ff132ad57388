"""Restarts in the store: what is forgotten, what stays, and when two notices are one restart."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, OTHER, World, growth, page, sample

RUNNING = "engine.requests_running"
TOKENS = "engine.generation_tokens"
FAILED = "engine.requests_failed"
HITS = "engine.prefix_cache_hit_ratio"


def test_a_restart_that_the_counter_shows_is_dropped() -> None:
    """A fall gives no negative rate and no spike."""
    world = World()
    world.play({TOKENS: [1000.0, 1100.0, 40.0, 140.0]})
    assert growth(world, 3.0) == (200.0, 2.0)


def test_a_bad_page_is_no_restart() -> None:
    """A rank that falls to 0 for one poll takes nothing from the growth of the engine."""
    world = World()
    for t, second in enumerate((500.0, 0.0, 520.0)):
        world.apply(page(float(t), sample(TOKENS, 10.0 * t, rank="0"), sample(TOKENS, second, rank="1")))
    assert growth(world, 2.0) == (40.0, 2.0)


def test_a_restart_that_the_counter_hides_is_dropped_when_announced() -> None:
    """A restarted engine that already passed its old total has no increase across the restart."""
    world = World()
    world.play({TOKENS: [100.0, 110.0]})
    world.apply(replace(page(2.0, sample(TOKENS, 5000.0)), restarted=(ENGINE,)), page(3.0, sample(TOKENS, 5010.0)))
    assert growth(world, 3.0) == (10.0, 1.0)


def test_one_poll_after_a_restart_warms_up() -> None:
    """A rate needs two polls of the new process."""
    world = World()
    world.play({TOKENS: [100.0, 110.0]})
    world.apply(replace(page(2.0, sample(TOKENS, 5.0)), restarted=(ENGINE,)))
    assert growth(world, 2.0) is Missing.WARMING_UP


def test_the_parts_of_a_ratio_begin_anew_too() -> None:
    """Hit and looked-up tokens are counters although the ratio made of them is derived."""
    world = World()
    world.play({HITS: [100.0, 110.0]}, part="hit")
    world.apply(replace(page(2.0, sample(HITS, 5000.0, part="hit")), restarted=(ENGINE,)))
    assert growth(world, 2.0, HITS) is Missing.WARMING_UP


def test_points_begin_at_the_restart() -> None:
    """A window over a gauge does not mix two processes; the poll that tells of the restart is the first."""
    world = World()
    world.play({RUNNING: [1.0, 2.0]})
    world.apply(replace(page(2.0, sample(RUNNING, 3.0)), restarted=(ENGINE,)), page(3.0, sample(RUNNING, 4.0)))
    assert world.store.points(RUNNING, ENGINE, 0.0, 3.0) == [(2.0, 3.0), (3.0, 4.0)]


def test_a_restart_keeps_the_value_of_a_gauge() -> None:
    """Seen by another source, it takes nothing from the page that still answers."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 4.0)), replace(page(1.5, source="processes"), restarted=(ENGINE,)))
    assert world.value(RUNNING, 1.5) == 4.0


def test_nothing_restarted_before_it_was_seen() -> None:
    """Without a notice the points reach back as far as they are kept."""
    assert World().store.restarts.at(ENGINE) == -inf


def restarts(*notices: tuple[float, str]) -> float:
    """Time of the restart that counts after these notices."""
    world = World()
    for t, source in notices:
        world.apply(replace(page(t, source=source), restarted=(ENGINE,)))
    return world.store.restarts.at(ENGINE)


@pytest.mark.parametrize(
    ("notices", "counts"),
    [
        ([(1.0, "page"), (31.0, "processes")], 1.0),
        ([(1.0, "page"), (61.0, "processes")], 1.0),
        ([(1.0, "page"), (61.5, "processes")], 61.5),
        ([(1.0, "page"), (3.0, "page")], 3.0),
        ([(1.0, "page"), (2.0, "processes"), (3.0, "page")], 3.0),
        ([(1.0, "page"), (40.0, "processes"), (80.0, "processes")], 80.0),
    ],
)
def test_one_restart_seen_by_two_sources_is_one(notices: list[tuple[float, str]], counts: float) -> None:
    """For a minute only the source that saw it first can tell of another; after that any."""
    assert restarts(*notices) == counts


def test_the_echo_of_a_restart_takes_no_growth() -> None:
    """What the new process has counted since stays when the second source notices."""
    world = World()
    world.apply(replace(page(1.0, sample(TOKENS, 0.0)), restarted=(ENGINE,)), page(2.0, sample(TOKENS, 50.0)))
    world.apply(replace(page(2.5, source="processes"), restarted=(ENGINE,)))
    assert growth(world, 2.5) == (50.0, 1.0)


def test_an_entity_that_comes_back_has_not_restarted() -> None:
    """What was noticed of it before it was gone is forgotten, and the next notice counts."""
    world = World()
    world.apply(replace(page(1.0), restarted=(ENGINE,)), replace(page(2.0), gone=(ENGINE,)))
    world.apply(replace(page(3.0, source="processes"), restarted=(ENGINE,)))
    assert world.store.restarts.at(ENGINE) == 3.0


def test_a_restart_of_one_engine_leaves_the_others() -> None:
    """The neighbour's counters go on."""
    world = World()
    world.play({TOKENS: [100.0, 110.0]})
    world.apply(replace(page(2.0, sample(TOKENS, 120.0)), restarted=(OTHER,)))
    assert growth(world, 2.0) == (20.0, 2.0)


def test_a_part_that_returns_after_a_restart_needs_two_polls() -> None:
    """A failure counter known from before the restart starts again like a new one."""
    world = World()
    world.play({FAILED: [7.0, 7.0]})
    world.apply(replace(page(2.0, sample(TOKENS, 1.0)), restarted=(ENGINE,)), page(3.0, sample(FAILED, 4.0)))
    assert growth(world, 3.0, FAILED) is Missing.WARMING_UP


def test_a_restart_seen_by_another_source_gives_no_spike() -> None:
    """The page polled before the restart was known is no zero for the totals after it."""
    world = World()
    world.play({TOKENS: [100.0, 110.0]})
    world.apply(replace(page(1.5, source="processes"), restarted=(ENGINE,)), page(2.0, sample(TOKENS, 5e6)))
    assert growth(world, 2.0) is Missing.WARMING_UP
