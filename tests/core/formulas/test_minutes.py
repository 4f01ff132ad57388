"""The line through the minute means: what creeps, and what only shakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.core.fit import Fit
from perfconsole.core.formulas.minutes import LINE_WINDOW_S, minute_line, minute_slope
from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, OTHER, World

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "engine.kv_cache_usage"
STEP_S = 10.0


def watched(seconds: float, value: Callable[[float], float | None], start: float = 0.0) -> World:
    """An engine whose indicator went like this, a tick every ten seconds."""
    world = World()
    for i in range(int(seconds / STEP_S) + 1):
        t = start + i * STEP_S
        world.history.record(t, [(NAME, ENGINE, value(t))])
    return world


def slope(world: World, t: float, window_s: float = LINE_WINDOW_S) -> float | Missing:
    """Growth a second at t."""
    return minute_slope(world.frame(t), NAME, ENGINE, window_s)


def creeping(t: float) -> float:
    """One in a hundred seconds."""
    return 5.0 + t / 100.0


def test_a_steady_rise_is_its_slope() -> None:
    """A second, whatever the minutes."""
    assert slope(watched(2000.0, creeping), 2000.0) == pytest.approx(0.01)


def test_a_steady_fall_is_negative() -> None:
    """What empties creeps too."""
    assert slope(watched(2000.0, lambda t: -creeping(t)), 2000.0) == pytest.approx(-0.01)


def test_what_stays_as_it_is_has_no_slope() -> None:
    """Exactly none, so that == 0 holds."""
    assert slope(watched(2000.0, lambda _t: 0.3), 2000.0) == 0.0


def test_below_half_an_hour_nothing_is_said() -> None:
    """Twenty minutes of a rise are a warm-up."""
    assert slope(watched(1200.0, creeping), 1200.0) is Missing.WARMING_UP


def test_what_was_never_seen_is_warming_up() -> None:
    """There is no track of it."""
    assert minute_slope(watched(2000.0, creeping).frame(2000.0), NAME, OTHER, LINE_WINDOW_S) is Missing.WARMING_UP


@pytest.mark.parametrize("end", [2000.0 + 10.0 * i for i in range(7)])
def test_the_window_holds_half_an_hour_at_every_moment_of_a_minute(end: float) -> None:
    """One minute is still open, and that never makes it fall silent."""
    assert slope(watched(end, creeping), end) == pytest.approx(0.01)


def test_a_long_outage_leaves_too_few_minutes() -> None:
    """A line through the ends of a gap fits too easily."""
    gapped = watched(2000.0, lambda t: None if 240.0 <= t < 1740.0 else creeping(t))
    assert slope(gapped, 2000.0) is Missing.WARMING_UP


def test_a_short_gap_does_not_end_the_line() -> None:
    """The minutes around it are enough."""
    gapped = watched(2000.0, lambda t: None if 600.0 <= t < 900.0 else creeping(t))
    assert slope(gapped, 2000.0) == pytest.approx(0.01)


def test_noise_is_no_growth() -> None:
    """Minutes that jump up and down have no line, and that is 0 and not missing."""
    assert slope(watched(2000.0, lambda t: float(t // 60 % 2) + t / 1e5), 2000.0) == 0.0


def test_the_line_itself_is_there_for_noise_too() -> None:
    """Who asks for it judges the fit."""
    line = minute_line(watched(2000.0, lambda t: float(t // 60 % 2)).frame(2000.0), NAME, ENGINE, LINE_WINDOW_S)
    assert isinstance(line, Fit)
    assert line.r2 < 0.5


def test_a_step_long_ago_is_no_part_of_the_line() -> None:
    """Only the window counts."""
    world = watched(5000.0, lambda t: 100.0 if t < 2000.0 else 0.3)
    assert slope(world, 5000.0) == 0.0


def test_an_entity_that_began_anew_has_a_line_of_its_own() -> None:
    """What had the name before is no part of it, and half an hour is needed again."""
    world = watched(3000.0, lambda t: creeping(t) if t < 2000.0 else creeping(t - 2000.0))
    world.history.restart(ENGINE, 2000.0)
    assert slope(world, 3000.0, 3600.0) is Missing.WARMING_UP


def test_half_an_hour_after_it_began_anew_it_creeps_again() -> None:
    """The fall at the start is not in it."""
    world = watched(4000.0, lambda t: creeping(t) if t < 2000.0 else creeping(t - 2000.0))
    world.history.restart(ENGINE, 2000.0)
    assert slope(world, 4000.0, 3600.0) == pytest.approx(0.01)
