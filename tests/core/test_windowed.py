"""Quantiles of the last minute, what an idle engine keeps of them, and the life of a histogram."""

from __future__ import annotations

from itertools import accumulate
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.core.distribution import QUANTILES, read_distribution
from perfconsole.core.quantile import quantile
from perfconsole.core.session import Session
from perfconsole.core.windowed import QUIET_S, lifetime
from perfconsole.model.sample import Missing
from tests.core.building import BOUNDS, ENGINE, GPU, ITL, OTHER, World, histogram, itl, known, page, sample

CELLS = st.lists(st.integers(0, 100), min_size=4, max_size=4)


@settings(max_examples=80)
@given(CELLS, CELLS, st.sampled_from(sorted(QUANTILES)))
def test_a_windowed_quantile_is_that_of_the_difference(before: list[int], new: list[int], suffix: str) -> None:
    """Two polls give the quantile of what was observed between them, and nothing of the life before."""
    first = list(accumulate(before))
    between = [float(c) for c in accumulate(new)]
    second = [a + b for a, b in zip(first, between, strict=True)]
    found = itl(histogram(*first), histogram(*second)).value(f"{ITL}.{suffix}", 1.0)
    expected = quantile(QUANTILES[suffix], BOUNDS, between)
    assert found == (Missing.NEVER if expected is None else pytest.approx(expected))


def test_a_mean_is_of_the_window() -> None:
    """New seconds by new observations."""
    world = itl(histogram(0, 0, 0, 1000, total=900.0), histogram(0, 0, 0, 1010, total=905.0))
    assert world.value(f"{ITL}.mean", 1.0) == 0.5


def test_nothing_observed_in_the_window_is_never() -> None:
    """An idle engine has no latency of 0, whatever its life was like."""
    world = itl(histogram(5, 9, 9, 9, total=3.0), histogram(5, 9, 9, 9, total=3.0))
    assert [world.value(f"{ITL}.{s}", 1.0) for s in ("p50", "mean")] == [Missing.NEVER, Missing.NEVER]


def test_one_poll_of_a_histogram_warms_up() -> None:
    """Its life is not its window."""
    assert itl(histogram(5, 9, 9, 9)).value(f"{ITL}.p50", 0.0) is Missing.WARMING_UP


def test_a_summary_has_a_mean_and_no_quantile() -> None:
    """Sum and count alone: the quantile is unsupported, and said so."""
    world = itl(histogram(0, bounds=(inf,)), histogram(4, bounds=(inf,), total=2.0))
    assert [world.value(f"{ITL}.{s}", 1.0) for s in ("p99", "mean")] == [Missing.UNSUPPORTED, 0.5]


def test_a_quantile_is_over_the_last_minute() -> None:
    """Slow answers of two minutes ago are over."""
    pages = [histogram(0, 0, 0, min(i, 60) * 10.0) for i in range(60)]
    pages += [histogram(i * 10.0, i * 10.0, i * 10.0, 600 + i * 10.0) for i in range(70)]
    assert known(itl(*pages).value(f"{ITL}.p99", 129.0)) <= 0.1


def test_a_slow_source_has_a_quantile() -> None:
    """Three cadences where a minute holds too few polls."""
    world = itl(histogram(0, 0, 0, 0), histogram(4, 4, 4, 4), step_s=90.0)
    assert world.value(f"{ITL}.p50", 90.0) == pytest.approx(0.05)


def test_ranks_make_one_distribution() -> None:
    """The quantile of all observations, not the mean of two quantiles."""
    world = World()
    for t, count in ((0.0, 0.0), (1.0, 10.0)):
        fast = sample(ITL, histogram(9 * count, 9 * count, 9 * count, 9 * count), rank="0")
        world.apply(page(t, fast, sample(ITL, histogram(0, 0, 0, count), rank="1")))
    assert known(world.value(f"{ITL}.p50", 1.0)) <= 0.1


def test_buckets_of_before_an_upgrade_do_not_measure_what_came_after() -> None:
    """A new release with other labels and other bounds is read by its own bounds."""
    world = itl(histogram(1, 1, 1, 1), histogram(2, 2, 2, 2))
    bounds = (10.0, 20.0, 30.0, inf)
    for t, count in ((10.0, 0.0), (11.0, 8.0)):
        world.apply(page(t, sample(ITL, histogram(0, count, count, count, bounds=bounds), rank="0")))
    assert known(world.value(f"{ITL}.p50", 11.0)) == pytest.approx(15.0)


def test_the_life_of_a_histogram_is_its_newest_page() -> None:
    """Everything observed since the start of the engine."""
    world = itl(histogram(0, 0, 0, 10), histogram(90, 90, 90, 100))
    assert lifetime(world.frame(1.0), f"{ITL}.p50", ENGINE) == pytest.approx(0.1 * 50 / 90)


@pytest.mark.parametrize("name", ["engine.requests_running", f"{ITL}", "engine.requests_running.p50"])
def test_only_a_histogram_suffix_has_a_life(name: str) -> None:
    """A gauge, a bare histogram and a suffix without right have none."""
    world = itl(histogram(1, 1, 1, 1))
    world.apply(page(0.0, sample("engine.requests_running", 1.0), source="other"))
    assert lifetime(world.frame(0.0), name, ENGINE) is None


def test_a_life_ends_with_its_source() -> None:
    """A stale page has none."""
    assert lifetime(itl(histogram(1, 1, 1, 1)).frame(9.0), f"{ITL}.p50", ENGINE) is None


def test_cells_that_do_not_fit_the_bounds_have_no_figure() -> None:
    """A row of another width is not read by wrong buckets."""
    assert read_distribution("p50", BOUNDS, (1.0, 2.0)) is None


def served(quiet_s: int, running: float | None = 0.0, waiting: float | None = 0.0, step_s: float = 1.0) -> World:
    """An engine that observed slow tokens up to 0 s and none in the seconds after, with these gauges."""
    world = World()
    gauges = (("engine.requests_running", running), ("engine.requests_waiting", waiting))
    held = [sample(name, value) for name, value in gauges if value is not None]
    world.apply(page(-step_s, sample(ITL, histogram(0, 0, 0, 0)), *held, cadence_s=step_s))
    for i in range(int(quiet_s / step_s) + 1):
        world.apply(page(i * step_s, sample(ITL, histogram(0, 0, 8, 8, total=6.0)), *held, cadence_s=step_s))
    return world


@pytest.mark.parametrize("suffix", ["p50", "p99", "mean"])
def test_an_idle_engine_has_no_latency_of_a_minute_ago(suffix: str) -> None:
    """Nothing held and nothing observed for fifteen seconds: the overload is over."""
    assert served(15).value(f"{ITL}.{suffix}", QUIET_S) is Missing.NEVER


def test_an_engine_that_just_became_idle_keeps_its_latency() -> None:
    """Fourteen seconds after the last token the minute still speaks."""
    assert served(14).value(f"{ITL}.mean", QUIET_S - 1.0) == 0.75


@pytest.mark.parametrize(("running", "waiting"), [(1.0, 0.0), (0.0, 1.0), (None, 0.0), (0.0, None), (None, None)])
def test_an_engine_that_may_hold_a_request_keeps_its_latency(running: float | None, waiting: float | None) -> None:
    """A request that runs or waits, and gauges that are not known, prove no idleness."""
    assert served(30, running, waiting).value(f"{ITL}.mean", 30.0) == 0.75


def test_gauges_that_went_stale_prove_no_idleness() -> None:
    """A 0 of long ago is no 0 of now, even where the histogram goes on."""
    world = served(0)
    for t in range(1, 31):
        world.apply(page(float(t), sample(ITL, histogram(0, 0, 8, 8, total=6.0))))
    assert world.value(f"{ITL}.mean", 30.0) == 0.75


def test_observations_that_still_come_keep_the_latency() -> None:
    """Short requests between two polls leave the gauges at 0."""
    world = served(10)
    held = sample("engine.requests_running", 0.0), sample("engine.requests_waiting", 0.0)
    for t in range(11, 31):
        world.apply(page(float(t), sample(ITL, histogram(0, 0, t, t, total=6.0)), *held))
    assert isinstance(world.value(f"{ITL}.mean", 30.0), float)


def test_ranks_are_idle_together() -> None:
    """One rank that still observes keeps the latency of the engine."""
    world = World()
    held = sample("engine.requests_running", 0.0), sample("engine.requests_waiting", 0.0)
    for t in range(31):
        quiet = sample(ITL, histogram(0, 0, 8, 8, total=6.0), rank="0")
        world.apply(page(float(t), quiet, sample(ITL, histogram(0, 0, t, t, total=t / 2), rank="1"), *held))
    assert world.value(f"{ITL}.mean", 30.0) == 0.5


def test_a_slow_source_is_not_quiet_for_lack_of_polls() -> None:
    """With a poll in ninety seconds, one poll in the quiet stretch is no proof that nothing happened."""
    world = served(90, step_s=90.0)
    assert world.value(f"{ITL}.mean", 90.0) == 0.75


def test_only_engines_are_judged_idle_by_their_requests() -> None:
    """Whatever another kind of entity measures has no request gauges of its own."""
    world = World()
    held = [sample(f"engine.requests_{n}", 0.0, GPU) for n in ("running", "waiting")]
    for t in (-2.0, *map(float, range(31))):
        observed = histogram(0, 0, 8, 8, total=6.0) if t >= 0 else histogram(0, 0, 0, 0)
        world.apply(page(t, sample(ITL, observed, GPU), *held))
    assert world.value(f"{ITL}.mean", 30.0, GPU) == 0.75


def test_the_idle_neighbour_takes_no_latency() -> None:
    """Requests are held by the engine whose latency it is."""
    world = served(30, running=3.0)
    world.apply(page(30.0, *(sample(f"engine.requests_{n}", 0.0, OTHER) for n in ("running", "waiting")), source="b"))
    assert world.value(f"{ITL}.mean", 30.0) == 0.75


def test_a_life_outlasts_the_quiet() -> None:
    """What the engine observed since its start is still known."""
    assert lifetime(served(30).frame(30.0), f"{ITL}.mean", ENGINE) == 0.75


@pytest.mark.parametrize(
    ("counts", "expected"),
    [((0, 0, 0, 40), {"p50": True, "p99": True}), ((30, 30, 30, 31), {"p50": False, "p99": True})],
)
def test_a_quantile_behind_the_last_bound_is_only_a_least(counts: tuple[float, ...], expected: dict[str, bool]) -> None:
    """Answers of seven seconds, counted up to one: what is shown is the bound, and the truth is more."""
    session = Session([])
    for t, row in ((0.0, (0.0, 0.0, 0.0, 0.0)), (10.0, counts)):
        session.apply(page(t, sample("engine.e2e", histogram(*row)), cadence_s=10.0))
    shown = {i.name: i.at_least for i in session.tick(10.0, 10.0).indicators}
    assert {suffix: shown[f"engine.e2e.{suffix}"] for suffix in expected} == expected
    assert not shown["engine.e2e.mean"]
