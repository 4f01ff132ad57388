"""Increase of a counter or histogram over a window, across resets, gaps and disorder."""

from __future__ import annotations

from itertools import pairwise
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.core.series import Increase, Series, bounds_of
from tests.core.building import BOUNDS, histogram


def counter(*values: float, start: float = 0.0) -> Series:
    """A counter polled each second."""
    series = Series("page")
    for i, value in enumerate(values):
        series.append(start + i, value)
    return series


def grown(series: Series, start: float, end: float) -> Increase:
    """The increase, which must be there."""
    found = series.increase(start, end)
    assert found is not None
    return found


def test_an_increase_needs_two_polls() -> None:
    """One poll in the window is no increase."""
    assert counter(5.0, 9.0).increase(1.0, 1.5) is None


def test_an_increase_is_last_minus_first_over_their_own_time() -> None:
    """The time is that between the polls, not that of the window."""
    assert grown(counter(5.0, 6.0, 9.0), -10.0, 10.0) == Increase((4.0,), 2.0)


def test_a_flat_counter_grew_by_nothing() -> None:
    """No growth is 0 over its time, and not missing."""
    assert grown(counter(5.0, 5.0, 5.0), 0.0, 2.0) == Increase((0.0,), 2.0)


def test_a_reset_drops_its_step_with_its_time() -> None:
    """Neither a negative step nor the restarted total counts."""
    assert grown(counter(100.0, 110.0, 3.0, 8.0), 0.0, 3.0) == Increase((15.0,), 2.0)


def test_a_window_of_a_reset_alone_has_no_increase() -> None:
    """Two polls with the restart between them say nothing."""
    assert counter(100.0, 3.0).increase(0.0, 1.0) is None


def test_a_reset_at_the_start_of_the_window_changes_nothing() -> None:
    """The poll after the restart is a fair start."""
    assert grown(counter(100.0, 3.0, 8.0), 1.0, 2.0) == Increase((5.0,), 1.0)


def test_a_reset_within_the_rounding_of_the_end_is_still_dropped() -> None:
    """A poll that belongs to the window by rounding brings its reset along."""
    series = counter(10.0, 20.0)
    series.append(2.0000005, 0.0)
    assert grown(series, 0.0, 2.0) == Increase((10.0,), 1.0)


def test_two_resets_leave_three_stretches() -> None:
    """Each stretch between restarts counts for itself."""
    assert grown(counter(1.0, 3.0, 0.0, 5.0, 2.0, 3.0), 0.0, 5.0) == Increase((8.0,), 3.0)


def test_a_late_answer_is_no_reset() -> None:
    """A sample older than the newest one is ignored whole; the counter did not begin anew."""
    series = counter(5.0, 6.0, 9.0)
    series.append(1.5, 1.0)
    assert grown(series, 0.0, 2.0) == Increase((4.0,), 2.0)


def test_a_gap_spreads_its_growth_over_its_time() -> None:
    """Growth while nobody looked counts with the time it took, so no spike follows."""
    series = counter(0.0, 10.0)
    series.append(61.0, 610.0)
    assert grown(series, 0.0, 61.0) == Increase((610.0,), 61.0)


def test_a_histogram_grows_in_every_cell() -> None:
    """Buckets and sum are subtracted alike, and carry their bounds."""
    series = Series("page", BOUNDS)
    series.append(0.0, histogram(1, 2, 3, 4, total=5.0))
    series.append(1.0, histogram(1, 4, 6, 8, total=9.5))
    assert grown(series, 0.0, 1.0) == Increase((0.0, 2.0, 3.0, 4.0, 4.5), 1.0, BOUNDS)


def test_a_histogram_whose_count_falls_began_anew() -> None:
    """The count of all observations decides, not the first bucket."""
    series = Series("page", BOUNDS)
    series.append(0.0, histogram(0, 2, 3, 40, total=5.0))
    series.append(1.0, histogram(2, 2, 3, 4, total=9.5))
    assert series.increase(0.0, 1.0) is None


def test_the_newest_of_a_histogram_is_its_count() -> None:
    """A plain reading of a histogram is how much it observed."""
    series = Series("page", BOUNDS)
    series.append(0.0, histogram(1, 2, 3, 4, total=50.0))
    assert (series.last(), series.last_row()) == (4.0, (1.0, 2.0, 3.0, 4.0, 50.0))


def test_a_forgotten_series_has_no_last_time() -> None:
    """After a restart nothing of before is current."""
    series = counter(1.0, 2.0)
    series.forget()
    assert series.last_t == -inf


def test_forgetting_takes_the_resets_along() -> None:
    """Old resets do not cut what is polled afterwards."""
    series = counter(5.0, 1.0)
    series.forget()
    for t, value in ((0.0, 0.0), (1.0, 1.0), (2.0, 2.0)):
        series.append(t, value)
    assert grown(series, 0.0, 2.0) == Increase((2.0,), 2.0)


def test_forgetting_keeps_the_minutes() -> None:
    """Charts keep what was before the restart."""
    series = counter(1.0, 2.0)
    series.forget()
    assert len(series.minutes) == 1


def test_there_is_one_minute_row_a_minute() -> None:
    """Polls of five minutes leave five rows and the one that opens the sixth."""
    assert len(counter(*(float(i) for i in range(301))).minutes) == 6


def test_a_gauge_that_always_moves_keeps_few_resets() -> None:
    """Falls are remembered no longer than the samples they stand between."""
    series = counter(*(float(i % 2) for i in range(5000)))
    assert len(series.resets) <= 330


@pytest.mark.parametrize(("value", "bounds"), [(1.0, None), (histogram(1, 1, 1, 1), BOUNDS)])
def test_only_histograms_have_bounds(value: float, bounds: tuple[float, ...] | None) -> None:
    """A plain sample has none."""
    assert bounds_of(value) == bounds


@settings(max_examples=100)
@given(st.lists(st.integers(0, 50), min_size=2, max_size=40))
def test_an_increase_is_the_sum_of_the_steps_that_rise(values: list[int]) -> None:
    """Whatever a counter does, falls and their seconds are left out and nothing else is."""
    steps = [b - a for a, b in pairwise(values) if b >= a]
    found = counter(*values).increase(0.0, len(values))
    assert (found.cells[0], found.seconds) == (sum(steps), len(steps)) if found else not steps
