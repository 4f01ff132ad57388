"""Whether more running requests give more tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, World, known, page, sample

RUNNING = "engine.requests_running"
OUTPUT = "engine.generation_rate"
SCALING = "engine.scaling"


def moved(
    running: tuple[float, float], output: tuple[float, float], minutes: int = 13, step_s: float = 5.0
) -> tuple[World, float]:
    """An engine at one level, and for the last four minutes at another one."""
    world = World()
    ticks = int(minutes * 60 / step_s)
    for i in range(ticks + 1):
        late = i > ticks - 240 / step_s
        world.history.record(i * step_s, [(RUNNING, ENGINE, running[late]), (OUTPUT, ENGINE, output[late])])
    end = ticks * step_s
    world.apply(page(end, sample(RUNNING, running[1]), sample(OUTPUT, output[1])))
    return world, end


@pytest.mark.parametrize(
    ("running", "output", "scaling"),
    [
        ((16.0, 32.0), (800.0, 1600.0), 1.0),
        ((16.0, 32.0), (800.0, 800.0), 0.0),
        ((16.0, 32.0), (800.0, 880.0), 0.1),
        ((16.0, 32.0), (800.0, 400.0), -0.5),
        ((32.0, 16.0), (800.0, 800.0), 0.0),
        ((32.0, 16.0), (1600.0, 800.0), 1.0),
    ],
)
def test_scaling_is_output_against_running(
    running: tuple[float, float], output: tuple[float, float], scaling: float
) -> None:
    """1 linear, 0 flat, below 0 falling; up or down."""
    world, end = moved(running, output)
    assert known(world.value(SCALING, end)) == pytest.approx(scaling)


@pytest.mark.parametrize("running", [(16.0, 16.0), (16.0, 18.0), (0.02, 30.0), (30.0, 0.0)])
def test_a_batch_that_hardly_moved_or_was_empty_says_nothing(running: tuple[float, float]) -> None:
    """Less than a fifth, or from and to nearly idle."""
    world, end = moved(running, (800.0, 900.0))
    assert world.value(SCALING, end) is Missing.NEVER


def test_ten_minutes_warm_up() -> None:
    """Two full minutes lie ten minutes back only after thirteen."""
    world, end = moved((16.0, 32.0), (800.0, 800.0), minutes=10)
    assert world.value(SCALING, end) is Missing.WARMING_UP


def test_it_warms_up_once_and_not_again() -> None:
    """Whenever in a minute it is asked."""
    world = World()
    missing = []
    for i in range(1200):
        t = float(i)
        world.history.record(t, [(RUNNING, ENGINE, 16.0 + i / 60), (OUTPUT, ENGINE, 800.0)])
        if t > 790:
            world.apply(page(t, sample(RUNNING, 16.0), sample(OUTPUT, 800.0)))
            missing.append(world.value(SCALING, t))
    assert not any(isinstance(value, Missing) for value in missing)


def test_a_gap_ten_minutes_ago_is_no_level() -> None:
    """Minutes without a value are not 0."""
    world = World()
    for i in range(157):
        seen = i * 5 > 400
        values = [(RUNNING, ENGINE, 16.0 if seen else None), (OUTPUT, ENGINE, 800.0 if seen else None)]
        world.history.record(i * 5.0, values)
    world.apply(page(780.0, sample(RUNNING, 32.0), sample(OUTPUT, 800.0)))
    assert world.value(SCALING, 780.0) is Missing.WARMING_UP


def test_what_was_before_a_restart_does_not_count() -> None:
    """Another process, perhaps with other flags."""
    world, end = moved((16.0, 32.0), (800.0, 800.0))
    world.history.restart(ENGINE, 300.0)
    assert world.value(SCALING, end) is Missing.WARMING_UP


def test_a_missing_output_passes_its_reason_on() -> None:
    """An engine that counts tokens only at the end has no rate."""
    world = World()
    world.apply(page(0.0, sample(RUNNING, 16.0)))
    assert world.value(SCALING, 0.0) is Missing.NEVER


def test_a_value_from_outside_overrides() -> None:
    """A situation file states it."""
    world = World()
    world.apply(page(0.0, sample(SCALING, 0.1)))
    assert world.value(SCALING, 0.0) == 0.1


@given(before=st.floats(1.0, 500.0), factor=st.floats(1.3, 20.0), each=st.floats(0.1, 200.0))
def test_equal_output_of_each_request_is_linear(before: float, factor: float, each: float) -> None:
    """Whatever the sizes: the same tokens a request give 1."""
    world, end = moved((before, before * factor), (before * each, before * factor * each))
    assert known(world.value(SCALING, end)) == pytest.approx(1.0)
