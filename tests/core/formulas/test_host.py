"""Creeping memory and descriptors."""

from __future__ import annotations

from math import inf

import pytest

from perfconsole.model.entity import Entity, Link, Relation
from perfconsole.model.sample import Missing
from tests.core.building import HOST, PROCESS, World, known, page, sample

RSS = "host.process_rss"
GROWTH = "host.process_rss_growth"
FDS = "host.process_fds"
LIMIT = "host.process_fd_limit"
FREE = "host.mem_available"
GIB = 2.0**30


def creeping(name: str, entity: Entity, values: list[float], step_s: float = 10.0) -> tuple[World, float]:
    """A session whose ticks saw these values, the newest of them current."""
    world = World()
    for i, value in enumerate(values):
        world.history.record(i * step_s, [(name, entity, value)])
    end = (len(values) - 1) * step_s
    world.apply(page(end, sample(name, values[-1], entity), cadence_s=step_s))
    return world, end


def line(start: float, slope: float, minutes: float, step_s: float = 10.0) -> list[float]:
    """Values on a line."""
    return [start + slope * step_s * i for i in range(int(minutes * 60 / step_s) + 1)]


def test_steady_growth_of_memory_is_its_slope() -> None:
    """A process that takes 4 KiB more each second."""
    world, end = creeping(RSS, PROCESS, line(GIB, 4096.0, 40))
    assert known(world.value(GROWTH, end, PROCESS)) == pytest.approx(4096.0)


def test_growth_warms_up_below_half_an_hour() -> None:
    """Twenty minutes are no creep."""
    world, end = creeping(RSS, PROCESS, line(GIB, 4096.0, 20))
    assert world.value(GROWTH, end, PROCESS) is Missing.WARMING_UP


def test_growth_without_a_line_is_zero() -> None:
    """Memory that swings is not creeping."""
    swinging = [GIB + 1e8 * ((i // 6) % 2) for i in range(241)]
    world, end = creeping(RSS, PROCESS, swinging)
    assert world.value(GROWTH, end, PROCESS) == 0.0


def test_growth_of_a_process_that_is_not_seen_is_missing() -> None:
    """No resident memory, no growth of 0."""
    assert World().value(GROWTH, 0.0, PROCESS) is Missing.NEVER


def test_growth_forgets_what_is_older_than_two_hours() -> None:
    """A start-up that took memory long ago does not hide that it stands now."""
    world, end = creeping(RSS, PROCESS, [*line(0.0, 1e6, 60), *[3.6e9] * 725])
    assert world.value(GROWTH, end, PROCESS) == 0.0


def test_time_to_full_of_a_process_is_the_hosts_rest_by_its_growth() -> None:
    """4 GiB free at 4 KiB a second."""
    world, end = creeping(RSS, PROCESS, line(GIB, 4096.0, 40))
    world.apply(page(end, sample(FREE, 4 * GIB, HOST), source="host", cadence_s=10.0))
    world.topology.replace("host", [Link(Relation.HOST_HAS, HOST, PROCESS)])
    assert known(world.value("host.process_rss_time_to_full", end, PROCESS)) == pytest.approx(2.0**20)


def test_time_to_full_of_a_process_needs_its_host() -> None:
    """Without a host nobody knows what is left."""
    world, end = creeping(RSS, PROCESS, line(GIB, 4096.0, 40))
    assert world.value("host.process_rss_time_to_full", end, PROCESS) is Missing.NEVER


def test_time_to_full_of_a_steady_process_is_infinite() -> None:
    """No growth, no end."""
    world, end = creeping(RSS, PROCESS, line(GIB, 0.0, 40))
    world.apply(page(end, sample(FREE, GIB, HOST), source="host", cadence_s=10.0))
    world.topology.replace("host", [Link(Relation.HOST_HAS, HOST, PROCESS)])
    assert world.value("host.process_rss_time_to_full", end, PROCESS) == inf


def test_memory_of_the_host_runs_out_on_its_line() -> None:
    """What is left by what is lost a second."""
    values = line(100e6, -10e3, 40)
    world, end = creeping(FREE, HOST, values)
    assert known(world.value("host.mem_time_to_full", end, HOST)) == pytest.approx(values[-1] / 10e3)


@pytest.mark.parametrize("slope", [0.0, 10e3])
def test_memory_that_does_not_fall_never_runs_out(slope: float) -> None:
    """Flat or rising: infinite."""
    world, end = creeping(FREE, HOST, line(100e6, slope, 40))
    assert world.value("host.mem_time_to_full", end, HOST) == inf


@pytest.mark.parametrize("tick_s", [1.0, 1.01, 1.7, 5.0])
def test_memory_warms_up_once_and_not_again(tick_s: float) -> None:
    """Whenever in a minute it is asked and however ticks drift, half an hour stays half an hour."""
    world = World()
    missing = []
    for i in range(int(2400 / tick_s)):
        t = i * tick_s
        world.history.record(t, [(FREE, HOST, 1e9 - 1e3 * t)])
        if t > 2040:
            world.apply(page(t, sample(FREE, 1e9 - 1e3 * t, HOST)))
            missing.append(isinstance(world.value("host.mem_time_to_full", t, HOST), Missing))
    assert not any(missing)


def test_descriptors_run_out_on_their_line() -> None:
    """The rest to the limit by the rise a second."""
    values = line(100.0, 0.1, 40)
    world, end = creeping(FDS, PROCESS, values)
    world.apply(page(end, sample(LIMIT, 1024.0, PROCESS), source="limits", cadence_s=10.0))
    left = known(world.value("host.process_fd_time_to_full", end, PROCESS))
    assert left == pytest.approx((1024.0 - values[-1]) / 0.1)


def test_descriptors_without_a_limit_have_no_time() -> None:
    """An unreadable limit is not an infinite one."""
    world, end = creeping(FDS, PROCESS, line(100.0, 0.1, 40))
    assert isinstance(world.value("host.process_fd_time_to_full", end, PROCESS), Missing)


def test_descriptors_that_stand_never_run_out() -> None:
    """Infinite without a rise."""
    world, end = creeping(FDS, PROCESS, line(100.0, 0.0, 40))
    world.apply(page(end, sample(LIMIT, 1024.0, PROCESS), source="limits", cadence_s=10.0))
    assert world.value("host.process_fd_time_to_full", end, PROCESS) == inf
