"""Growth along a line, on generated ramps, noise, sawteeth, steps, gaps and restarts."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.core.trends import QUEUE_FITS, knee, queue_rise, rise, trends
from perfconsole.model.entity import Link, Relation
from perfconsole.model.trend import Goal, Growing, Trend
from tests.core.building import ENGINE, GPU, HOST, PROCESS, World, page, sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfconsole.model.entity import Entity

WAITING, FINISHED, CAP = "engine.requests_waiting", "engine.requests_finished", "engine.max_num_seqs"
HOUR_S = 3600.0


def course(value: Callable[[int], float], seconds: int = 120, step: int = 1) -> list[tuple[float, float]]:
    """A value a second."""
    return [(float(t), value(t)) for t in range(0, seconds + 1, step)]


def noise(seed: int = 7, by: float = 3.0) -> Callable[[int], float]:
    """Numbers around 0."""
    drawn = Random(seed)  # noqa: S311 - a repeatable course, no secret
    values = [drawn.uniform(-by, by) for _ in range(200)]
    return lambda t: values[t]


def test_a_ramp_rises() -> None:
    """At its slope, over its whole length."""
    found = rise(course(lambda t: 2 + 0.1 * t))
    assert found is not None
    assert found == pytest.approx((0.1, 1.0, 120.0))


@pytest.mark.parametrize(
    "flat",
    [
        lambda _: 40.0,
        lambda t: 80 - 0.5 * t,
        lambda t: 20 + noise()(t),
        lambda t: float(t % 20),
        lambda t: 5.0 if t < 60 else 40.0,
        lambda t: 5.0 if t < 110 else 40.0,
        lambda t: min(0.5 * t, 30.0),
        lambda t: 30 - abs(t - 60) / 2,
    ],
    ids=["level", "falling", "noise", "sawtooth", "step", "late step", "levelled off", "up and down"],
)
def test_what_does_not_grow_along_a_line_has_no_trend(flat: Callable[[int], float]) -> None:
    """A queue that is long, drains, trembles, comes in waves, jumped once, or has stopped growing."""
    assert rise(course(flat), QUEUE_FITS) is None


def test_a_noisy_ramp_rises_all_the_same() -> None:
    """What is real growth shows through its bursts."""
    tremble = noise()
    assert rise(course(lambda t: 2 + 0.2 * t + tremble(t)), QUEUE_FITS) is not None


def test_only_what_follows_a_gap_counts() -> None:
    """What was before it may have been another load."""
    points = [p for p in course(lambda t: 0.1 * t if t < 60 else 90 - 0.1 * t) if not 30 < p[0] < 60]
    assert rise(points) is None
    found = rise([p for p in course(lambda t: 50.0 if t < 60 else 0.1 * t) if not 30 < p[0] < 60])
    assert found is not None
    assert found.span_s == 60.0


def test_a_few_points_after_a_gap_foretell_nothing() -> None:
    """It takes ten."""
    assert rise([p for p in course(lambda t: 0.1 * t) if not 90 < p[0] < 112]) is None


def test_a_slow_cadence_is_no_gap() -> None:
    """Polls 10 s apart are as good as it gets."""
    assert rise(course(lambda t: 0.1 * t, step=10)) is not None


@given(st.lists(st.tuples(st.floats(0, 600), st.floats(0, 1e6)), max_size=40))
def test_any_points_give_a_growth_or_none(points: list[tuple[float, float]]) -> None:
    """Never an error, and never a growth that is not one."""
    found = rise(sorted(points))
    assert found is None or (found.rate > 0 and found.r2 > 0)


def test_a_queue_is_judged_over_two_minutes_where_there_are() -> None:
    """The longer line is the surer one; then one minute, then less where it fits very well."""
    spans = [queue_rise(course(lambda t: 2 + 0.1 * t, n), float(n)) for n in (120, 60, 25, 15)]
    assert [found.span_s if found else None for found in spans] == [120.0, 60.0, 25.0, None]


def test_growth_that_began_a_minute_ago_is_seen() -> None:
    """Two minutes back the queue was empty, which no line fits as well."""
    found = queue_rise(course(lambda t: max(0.0, 0.5 * (t - 58))), 120.0)
    assert found is not None
    assert found.rate == pytest.approx(0.5, rel=0.1) or found.span_s == 120.0


def test_a_short_line_must_fit_very_well() -> None:
    """Twenty-five trembling seconds are not enough."""
    tremble = noise(by=1.2)
    assert queue_rise(course(lambda t: 5 + 0.15 * t + tremble(t), 25), 25.0) is None


def met(waiting: float, served: float | None, cap: float | None) -> tuple[Goal, float, int]:
    """What a queue that grows by 6 a minute meets, and after how many seconds."""
    found = knee(waiting, 0.1, served, cap)
    assert found is not None
    return found.goal, found.limit, round(found.left_s)


def test_the_first_token_is_late_when_the_queue_takes_too_long() -> None:
    """12 wait, 20 a second end: at 30 the last one waits 1.5 s, and that is in 180 s at 6 a minute."""
    assert met(12.0, 20.0, None) == (Goal.TTFT, 1.5, 180)


def test_the_knee_is_at_twice_the_running_ones() -> None:
    """Where nobody counts ended requests, or they end fast."""
    assert met(12.0, None, 8.0) == (Goal.KNEE, 16.0, 40)
    assert met(12.0, 20.0, 8.0) == (Goal.KNEE, 16.0, 40)


def test_what_is_passed_already_is_now() -> None:
    """Not a negative time."""
    assert met(12.0, 2.0, 32.0) == (Goal.TTFT, 1.5, 0)


@pytest.mark.parametrize(("served", "cap"), [(None, None), (0.0, None), (0.0, 0.0)])
def test_without_a_pace_and_a_cap_nobody_knows(served: float | None, cap: float | None) -> None:
    """Nothing ends and nothing is stated."""
    assert knee(12.0, 0.1, served, cap) is None


def seen(world: World, t: float, *entities: Entity) -> list[Trend]:
    """Trends at t."""
    return list(trends(world.frame(t), entities or (ENGINE,)))


def queued(waiting: Iterable[float | None], ended: float = 20.0) -> tuple[World, float]:
    """An engine with a queue, which ends so many requests a second."""
    world, rows = World(), list(waiting)
    t = world.play({WAITING: rows, FINISHED: [ended * i for i in range(len(rows))]})
    return world, t


def test_a_growing_queue_foretells_late_first_tokens() -> None:
    """The time is from now, along the line."""
    world, t = queued(2 + 0.1 * i for i in range(101))
    (found,) = seen(world, t)
    assert (found.growing, found.goal, found.value) == (Growing.QUEUE, Goal.TTFT, 12.0)
    assert (found.rate, found.left_s) == pytest.approx((0.1, 180.0))


@pytest.mark.parametrize(
    ("waiting", "ended"),
    [
        ([2 + 0.1 * i for i in range(101)], 200.0),
        ([0.015 * i for i in range(101)], 20.0),
        ([0.0] * 101, 20.0),
        ([2 + 0.1 * i for i in range(99)] + [None] * 9, 20.0),
    ],
    ids=["beyond the horizon", "one or two", "nobody waits", "no longer known"],
)
def test_a_queue_that_is_no_worry_has_no_trend(waiting: list[float | None], ended: float) -> None:
    """It meets nothing within ten minutes, is hardly there, or is not seen any more."""
    assert seen(*queued(waiting, ended)) == []


def test_a_restart_begins_a_new_line() -> None:
    """What waited before waited at another process."""
    world, t = queued(2 + 0.1 * i for i in range(101))
    world.apply(replace(page(t + 1, sample(WAITING, 13.0), sample(FINISHED, 0.0)), restarted=(ENGINE,)))
    assert seen(world, t + 1) == []


def of(world: World, t: float, entity: Entity, **values: float) -> list[Trend]:
    """Trends of an entity for which these values were given."""
    rows = (sample(n.replace("__", ".", 1), v, entity) for n, v in values.items())
    world.apply(page(t, *rows))
    return seen(world, t, entity)


def test_kv_that_will_be_full_within_ten_minutes() -> None:
    """At the rate that leads there."""
    (found,) = of(World(), 0.0, ENGINE, engine__kv_cache_usage=0.7, engine__kv_time_to_full=300.0)
    assert (found.growing, found.goal, found.left_s) == (Growing.KV, Goal.FULL, 300.0)
    assert found.rate == pytest.approx(0.001)


@pytest.mark.parametrize("left", [601.0, inf, 0.0])
def test_kv_that_will_not_be_full_soon_or_is_full(left: float) -> None:
    """No trend; of a full cache other rules speak."""
    assert of(World(), 0.0, ENGINE, engine__kv_cache_usage=0.7, engine__kv_time_to_full=left) == []


def test_host_memory_that_will_be_gone_within_a_day() -> None:
    """What is left shrinks."""
    (found,) = of(World(), 0.0, HOST, host__mem_available=36e9, host__mem_time_to_full=10 * HOUR_S)
    assert found.growing is Growing.HOST_MEMORY
    assert (found.left_s, found.rate) == pytest.approx((36_000.0, 1e6))


def test_memory_of_a_process_is_measured_against_what_the_host_has_left() -> None:
    """The one that grows is named."""
    world = World()
    world.topology.replace("x", (Link(Relation.HOST_HAS, HOST, PROCESS),))
    values = {"host__process_rss": 4e9, "host__process_rss_growth": 1e6, "host__process_rss_time_to_full": 3 * HOUR_S}
    (found,) = of(world, 0.0, PROCESS, **values)
    assert (found.growing, found.entity) == (Growing.PROCESS_MEMORY, PROCESS)
    assert (found.rate, found.limit) == pytest.approx((1e6, 4e9 + 1e6 * 3 * HOUR_S))


@pytest.mark.parametrize(("left", "count"), [(1800.0, 1), (HOUR_S + 1, 0)])
def test_descriptors_that_will_be_used_up_within_an_hour(left: float, count: int) -> None:
    """Later than that is no matter of tonight."""
    values = {"host__process_fds": 600.0, "host__process_fd_limit": 1024.0, "host__process_fd_time_to_full": left}
    assert len(of(World(), 0.0, PROCESS, **values)) == count


def test_memory_of_a_card_that_creeps() -> None:
    """What is left by what is added."""
    (found,) = of(World(), 0.0, GPU, gpu__mem_used=70e9, gpu__mem_total=80e9, gpu__mem_growth=1e6)
    assert found.growing is Growing.GPU_MEMORY
    assert found.left_s == pytest.approx(10_000.0)


def test_the_soonest_comes_first() -> None:
    """Whatever it is."""
    world = World()
    process = {"host.process_fds": 600.0, "host.process_fd_limit": 1024.0, "host.process_fd_time_to_full": 60.0}
    engine = {"engine.kv_cache_usage": 0.7, "engine.kv_time_to_full": 300.0}
    rows = ((sample(n, v, e)) for e, values in ((ENGINE, engine), (PROCESS, process)) for n, v in values.items())
    world.apply(page(0.0, *rows))
    assert [t.left_s for t in seen(world, 0.0, ENGINE, PROCESS)] == [60.0, 300.0]


def test_the_cap_is_that_of_each_rank() -> None:
    """Waiting requests are counted over all of them."""
    world = World()
    rows = [2 + 0.1 * i for i in range(101)]
    t = world.play({WAITING: rows, CAP: [4.0] * 101, "engine.data_parallel": [2.0] * 101})
    (found,) = seen(world, t)
    assert (found.goal, found.limit) == (Goal.KNEE, 16.0)
