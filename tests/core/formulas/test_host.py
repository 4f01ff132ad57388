"""Creeping memory and descriptors."""

from __future__ import annotations

from math import inf
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, HOST, PROCESS, World, known, page, sample

if TYPE_CHECKING:
    from collections.abc import Callable

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


TRENDS = [
    ("host.mem_time_to_full", FREE, HOST, -1.0, 4e9),
    ("host.process_rss_time_to_full", RSS, PROCESS, 1.0, 4e9),
    ("host.process_fd_time_to_full", FDS, PROCESS, 1.0, 1000.0),
]
"""Indicator, what it reads, of whom, which way that runs out, and how much of it there is."""


def time_left(trend: tuple[str, str, Entity, float, float], course: Callable[[float], float]) -> float | Missing:
    """Time to full after 40 min of this course, from 0 (nothing is used) to 1 (all is); 1 is the limit."""
    name, read, entity, sign, whole = trend
    used = [course(i * 10.0) * whole for i in range(241)]
    values = used if sign > 0 else [whole - u for u in used]
    world, end = creeping(read, entity, values)
    world.topology.replace("host", [Link(Relation.HOST_HAS, HOST, PROCESS)])
    left = sample(FREE, whole - used[-1], HOST), sample(LIMIT, whole, PROCESS)
    world.apply(page(end, *(left[1:] if read == FREE else left), source="rest", cadence_s=10.0))
    return world.value(name, end, entity)


@pytest.mark.parametrize("trend", TRENDS, ids=lambda trend: trend[0])
@given(rise_s=st.floats(3000.0, 1e6), noise=st.floats(0.0, 0.02), seed=st.integers(0, 99))
@settings(max_examples=10)
def test_a_ramp_ends_when_it_says(
    trend: tuple[str, str, Entity, float, float], rise_s: float, noise: float, seed: int
) -> None:
    """From empty to full in `rise_s`, with noise of a share of what was added so far in 40 min."""
    random = Random(seed)  # noqa: S311 - a course that comes again
    grain = noise * 2400.0 / rise_s
    left = time_left(trend, lambda t: t / rise_s + grain * random.random())
    assert known(left) == pytest.approx(rise_s - 2400.0, rel=0.1, abs=0.1 * rise_s)


@pytest.mark.parametrize("trend", TRENDS, ids=lambda trend: trend[0])
@pytest.mark.parametrize("period_s", [120.0, 300.0, 700.0, 1300.0])
def test_a_sawtooth_never_ends(trend: tuple[str, str, Entity, float, float], period_s: float) -> None:
    """Caches that fill and are emptied, pools that grow and shrink: no line, no end."""
    assert time_left(trend, lambda t: 0.3 + 0.4 * (t % period_s) / period_s) == inf


@pytest.mark.parametrize("trend", TRENDS, ids=lambda trend: trend[0])
@pytest.mark.parametrize("at_s", [600.0, 1200.0, 1800.0, 2300.0])
def test_one_step_is_no_trend(trend: tuple[str, str, Entity, float, float], at_s: float) -> None:
    """A process that took its memory at once does not creep."""
    assert time_left(trend, lambda t: 0.2 if t < at_s else 0.6) == inf


def test_what_had_the_number_of_a_process_before_is_no_part_of_the_line() -> None:
    """A process number that is used again begins anew."""
    world, end = creeping(RSS, PROCESS, line(GIB, 4096.0, 40))
    world.history.restart(PROCESS, end - 600.0)
    assert world.value(GROWTH, end, PROCESS) is Missing.WARMING_UP


def busy_host(*totals: float) -> World:
    """A host of four cores, three of them busy, with processes of an engine that use so many."""
    world = World()
    processes = [Entity(Kind.PROCESS, str(pid)) for pid in range(len(totals))]
    links = [Link(Relation.HOST_HAS, HOST, ENGINE), *(Link(Relation.ENGINE_HAS_PROCESS, ENGINE, p) for p in processes)]
    own = [sample("host.process_total_cpu", total, p) for total, p in zip(totals, processes, strict=True)]
    whole = (sample("host.cpu_utilization", 0.75, HOST), sample("host.cores", 4.0, HOST))
    world.apply(page(0.0, *whole, *own))
    world.topology.replace("page", links)
    return world


def test_what_nothing_watched_uses_is_used_elsewhere() -> None:
    """Three cores are busy, two of them with the engine."""
    assert busy_host(1.5, 0.5).value("host.cpu_elsewhere", 0.0, HOST) == 0.25


def test_ticks_that_do_not_add_up_are_no_negative_share() -> None:
    """The host and its processes are read at moments a little apart."""
    assert busy_host(2.5, 1.0).value("host.cpu_elsewhere", 0.0, HOST) == 0.0


def test_without_a_process_nothing_tells_what_is_elsewhere() -> None:
    """An engine on another host is no proof that this one is busy with others."""
    assert busy_host().value("host.cpu_elsewhere", 0.0, HOST) is Missing.NEVER
