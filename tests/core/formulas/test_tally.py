"""Counts over a stretch that several pages share."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.core.formulas.tally import Tally, arrivals, held, shared_stretch, tally
from perfconsole.model.sample import Batch, Missing
from tests.core.building import ENGINE, GATEWAY, OTHER, World, histogram, page, sample

REQUESTS, FINISHED = "gateway.requests", "engine.requests_finished"


def counted(world: World, t: float, name: str = REQUESTS) -> Tally:
    """The count of the gateway at t, which must be known."""
    found = tally(world.frame(t), name, GATEWAY)
    assert isinstance(found, Tally)
    return found


def grown(world: World, t: float) -> float:
    """From its first poll to its last."""
    line = counted(world, t)
    return line.growth(line.start, line.end)


def poll(world: World, t: float, *values: float, more: bool = True) -> None:
    """A page with one part for each value; `more` is something else that the page has."""
    parts = [sample(REQUESTS, v, GATEWAY, part=str(i)) for i, v in enumerate(values)]
    rest = [sample("gateway.inflight", 0.0, GATEWAY)] if more else []
    world.apply(page(t, *parts, *rest))


@pytest.mark.parametrize(
    ("t", "count"), [(-5.0, 0.0), (0.0, 0.0), (1.0, 5.0), (2.0, 10.0), (5.0, 40.0), (6.0, 50.0), (9.0, 50.0)]
)
def test_a_count_rises_evenly_between_polls(t: float, count: float) -> None:
    """And stands before the first and after the last."""
    assert Tally([0.0, 2.0, 6.0], [0.0, 10.0, 50.0]).at(t) == count


@given(
    st.lists(st.tuples(st.floats(0.1, 5.0), st.floats(0.0, 50.0)), min_size=1, max_size=30),
    st.lists(st.floats(-5.0, 160.0), max_size=20).map(sorted),
)
def test_many_moments_at_once_are_as_one_after_another(steps: list[tuple[float, float]], moments: list[float]) -> None:
    """Whether they lie between polls, on them or outside."""
    times = list(accumulate(gap for gap, _ in steps))
    counts = list(accumulate(rise for _, rise in steps))
    line = Tally(times, counts)
    plain = [
        interpolated(t, times, counts) if times[0] < t < times[-1] else counts[0 if t <= times[0] else -1]
        for t in [*moments, *times]
    ]
    assert [line.at(t) for t in [*moments, *times]] == pytest.approx(plain)
    assert line.sampled(moments) == pytest.approx(plain[: len(moments)])


def interpolated(t: float, times: list[float], counts: list[float]) -> float:
    """On the straight line between the polls around t."""
    i = next(k for k, poll in enumerate(times) if poll >= t)
    return counts[i - 1] + (counts[i] - counts[i - 1]) * (t - times[i - 1]) / (times[i] - times[i - 1])


def test_parts_add_up() -> None:
    """Each label set is a series of its own."""
    world = World()
    poll(world, 0.0, 5.0, 7.0)
    poll(world, 1.0, 6.0, 9.0)
    assert grown(world, 1.0) == 3.0


def test_a_part_that_appears_counts_from_zero() -> None:
    """The page was there before, and the exporter makes a series at its first event."""
    world = World()
    poll(world, 0.0, 5.0)
    poll(world, 1.0, 6.0, 4.0)
    poll(world, 2.0, 6.0, 5.0)
    assert grown(world, 2.0) == 6.0


def test_a_counter_that_appears_counts_from_zero() -> None:
    """Before, the page had everything but it."""
    world = World()
    poll(world, 0.0)
    poll(world, 1.0, 3.0)
    poll(world, 2.0, 5.0)
    assert grown(world, 2.0) == 5.0


def test_the_first_page_of_a_session_is_no_growth() -> None:
    """What it counted was counted before."""
    world = World()
    poll(world, 0.0, 1000.0)
    poll(world, 1.0, 1001.0)
    assert grown(world, 1.0) == 1.0


def test_a_part_that_vanishes_takes_nothing_back() -> None:
    """It stands where it was."""
    world = World()
    poll(world, 0.0, 0.0, 10.0)
    poll(world, 1.0, 5.0, 12.0)
    poll(world, 2.0, 9.0)
    assert grown(world, 2.0) == 11.0


def test_what_was_before_a_counter_began_anew_is_left_out() -> None:
    """With its time: no step spans it."""
    world = World()
    for t, count in enumerate((0.0, 50.0, 3.0, 8.0)):
        poll(world, float(t), count)
    line = counted(world, 3.0)
    assert (line.start, grown(world, 3.0)) == (2.0, 5.0)


def test_what_was_before_a_restart_is_left_out() -> None:
    """Also where the new counter is already beyond the old one."""
    world = World()
    poll(world, 0.0, 10.0)
    poll(world, 1.0, 11.0)
    samples = (sample(REQUESTS, 20.0, GATEWAY, part="0"), sample("gateway.inflight", 0.0, GATEWAY))
    world.apply(Batch("page", "metrics page", 2.0, 2.0, 1.0, samples=samples, took_s=0.01, restarted=(GATEWAY,)))
    poll(world, 3.0, 24.0)
    assert (counted(world, 3.0).start, grown(world, 3.0)) == (2.0, 4.0)


def test_a_count_that_dips_was_read_wrongly() -> None:
    """A page that is back where it was a moment later."""
    world = World()
    for t, count in enumerate((50.0, 60.0, 2.0, 70.0)):
        poll(world, float(t), count)
    assert grown(world, 3.0) == 20.0


def test_of_a_histogram_its_count_is_counted() -> None:
    """Neither a bucket nor the sum."""
    world = World()
    for t, count in ((0.0, 0.0), (1.0, 6.0)):
        world.apply(page(t, sample("gateway.latency", histogram(0, 1, 2, count, total=100 * count), GATEWAY)))
    line = counted(world, 1.0, "gateway.latency")
    assert line.counts == [0.0, 6.0]


def test_one_poll_is_no_stretch() -> None:
    """Nothing can have grown."""
    world = World()
    poll(world, 0.0, 5.0)
    assert tally(world.frame(0.0), REQUESTS, GATEWAY) is Missing.WARMING_UP


def test_the_window_is_five_minutes() -> None:
    """What was before has nothing to do with now."""
    world = World()
    for t in range(400):
        poll(world, float(t), float(t))
    assert grown(world, 399.0) == 300.0


def test_a_gauge_that_is_not_known_now_is_none() -> None:
    """Whatever it was once."""
    world = World()
    poll(world, 0.0, 5.0)
    world.apply(page(1.0, sample(REQUESTS, 6.0, GATEWAY, part="0")))
    assert held(world.frame(1.0), "gateway.inflight", GATEWAY) is None


def test_arrivals_are_what_ended_and_what_is_held_more() -> None:
    """Of each engine."""
    world = World()
    for t, ended, waiting in ((0.0, 0.0, 2.0), (10.0, 30.0, 12.0)):
        world.apply(page(t, sample(FINISHED, ended), sample("engine.requests_waiting", waiting), cadence_s=10.0))
        world.apply(page(t, sample(FINISHED, ended, OTHER), source="other", cadence_s=10.0))
    found = arrivals(world.frame(10.0), (ENGINE, OTHER))
    assert not isinstance(found, Missing)
    assert [line.growth(0.0, 10.0) for line in found] == [40.0, 30.0]


def test_arrivals_of_an_engine_that_is_silent_are_missing() -> None:
    """A part is not the whole."""
    world = World()
    world.play({FINISHED: [0.0, 30.0]})
    assert isinstance(arrivals(world.frame(1.0), (ENGINE, OTHER)), Missing)


def test_without_an_engine_nothing_arrives() -> None:
    """Missing, not 0."""
    assert arrivals(World().frame(0.0), ()) is Missing.NEVER


def test_the_shared_stretch_is_what_all_cover() -> None:
    """From the latest start to the earliest end."""
    lines = [Tally([0.0, 5.0], [0.0, 1.0]), Tally([2.0, 9.0], [0.0, 1.0])]
    assert shared_stretch(lines) == (2.0, 5.0)


def test_lines_that_never_met_share_nothing() -> None:
    """One ended before the other began."""
    lines = [Tally([0.0, 5.0], [0.0, 1.0]), Tally([5.0, 9.0], [0.0, 1.0])]
    assert shared_stretch(lines) is Missing.WARMING_UP


def test_a_late_poll_is_left_out_of_a_punctual_line() -> None:
    """What it shows is shared with the poll behind it."""
    late = Tally([0.0, 1.0, 2.0, 5.0, 5.2, 6.2], [0.0, 1.0, 2.0, 3.0, 5.0, 6.0])
    assert late.punctual() == Tally([0.0, 1.0, 2.0, 5.2, 6.2], [0.0, 1.0, 2.0, 5.0, 6.0])
