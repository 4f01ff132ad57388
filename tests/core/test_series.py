"""Increase of a counter or histogram over a window, across resets, gaps and disorder."""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.core.series import DIP_S, Increase, Series, bounds_of
from tests.core.building import BOUNDS, histogram

SLOW_S = DIP_S + 1.0
"""Between polls so far apart every fall is a restart."""


def counter(*values: float, step_s: float = 1.0) -> Series:
    """A counter polled each second, or at another step."""
    series = Series("page")
    for i, value in enumerate(values):
        series.append(i * step_s, value)
    return series


def ends(series: Series, start: float, end: float) -> tuple[float, float] | None:
    """Growth and its seconds, None for no increase."""
    found = series.increase(start, end)
    return None if found is None else (found.cells[0], found.seconds)


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
    assert grown(counter(10.0, 13.0, 0.0, 5.0, 2.0, 3.0), 0.0, 5.0) == Increase((9.0,), 3.0)


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


def polled(seconds: int) -> Series:
    """A histogram polled each second, with one observation a second."""
    series = Series("page", BOUNDS)
    for t in range(seconds):
        series.append(float(t), histogram(0, 0, 0, t))
    return series


def test_forgetting_keeps_the_minutes() -> None:
    """Charts keep what was before the restart."""
    series = polled(2)
    series.forget()
    assert (len(series.raw), len(series.minutes)) == (0, 1)


def test_a_histogram_keeps_one_row_a_minute() -> None:
    """Polls of five minutes leave five rows and the one that opens the sixth."""
    assert len(polled(301).minutes) == 6


def test_a_plain_series_keeps_no_minutes() -> None:
    """The minutes of indicators are in the history; a day of every raw series would cost too much."""
    assert len(counter(*(float(i) for i in range(301))).minutes) == 0


@pytest.mark.parametrize("wave", [(1, 0), (3, 2, 1), (9, 5, 7, 3), (600, *range(600, 0, -1))])
def test_a_gauge_that_always_moves_keeps_few_falls(wave: tuple[int, ...]) -> None:
    """Falls and dips are remembered no longer than the samples they stand between."""
    series = counter(*(float(wave[i % len(wave)]) for i in range(3000)))
    assert max(len(series.resets), len(series._peaks), len(series._dips)) <= 660 + 64


def test_a_dip_is_no_restart() -> None:
    """One bad page between two good ones: the growth is that of the good ones, over the whole time."""
    assert ends(counter(100.0, 110.0, 0.0, 130.0), 0.0, 3.0) == (30.0, 3.0)


def test_a_count_that_is_exactly_back_was_a_dip() -> None:
    """A counter that stood still is back at its old count, not above it."""
    assert ends(counter(100.0, 110.0, 3.0, 110.0), 0.0, 3.0) == (10.0, 3.0)


def test_a_count_that_stays_short_of_the_old_one_is_a_restart() -> None:
    """One below the old count is a new process."""
    assert ends(counter(100.0, 110.0, 3.0, 109.0), 0.0, 3.0) == (116.0, 2.0)


def test_a_dip_that_lasts_is_a_restart_meanwhile() -> None:
    """Until it is back nobody can tell the two apart: the step is dropped, and nothing is negative."""
    assert ends(counter(100.0, 110.0, 3.0, 4.0), 0.0, 3.0) == (11.0, 2.0)


def test_a_dip_of_several_samples_is_left_out() -> None:
    """The pages of the dip may rise among themselves."""
    assert ends(counter(100.0, 3.0, 5.0, 9.0, 120.0, 121.0), 0.0, 5.0) == (21.0, 5.0)


def test_a_dip_that_falls_again_inside_is_left_out() -> None:
    """Bad pages that sink further are one dip as soon as the count is back, and not a poll later."""
    assert ends(counter(100.0, 5.0, 3.0, 1.0, 120.0), 0.0, 4.0) == (20.0, 4.0)


def test_a_window_that_begins_inside_a_falling_dip_does_not_count_the_climb_back() -> None:
    """Every one of the bad pages is skipped, not the last of them alone."""
    assert ends(counter(100.0, 5.0, 3.0, 120.0, 121.0), 1.0, 4.0) == (1.0, 1.0)


def test_pages_that_alternate_have_the_growth_of_the_higher_counter() -> None:
    """Two processes behind one port: neither the falls nor the climbs count."""
    assert ends(counter(100.0, 20.0, 101.0, 21.0, 102.0, 22.0, 103.0), 0.0, 6.0) == (3.0, 6.0)


def test_a_window_that_begins_inside_a_dip_does_not_count_the_climb_back() -> None:
    """It begins with the first good page."""
    assert ends(counter(100.0, 0.0, 120.0, 125.0), 1.0, 3.0) == (5.0, 1.0)


def test_a_window_that_ends_inside_a_dip_ends_with_the_last_good_page() -> None:
    """Looked at afterwards, nothing negative comes of it."""
    assert ends(counter(100.0, 104.0, 0.0, 120.0), 0.0, 2.0) == (4.0, 1.0)


@pytest.mark.parametrize(("start", "end"), [(1.0, 2.0), (1.0, 3.0), (0.0, 2.0)])
def test_a_window_with_less_than_two_good_pages_has_no_increase(start: float, end: float) -> None:
    """Bad pages do not make a rate, however many they are."""
    assert ends(counter(100.0, 3.0, 5.0, 120.0), start, end) is None


@pytest.mark.parametrize(("low_s", "expected"), [(DIP_S, (30.0, DIP_S + 1.0)), (DIP_S + 0.5, (120.0, DIP_S + 0.5))])
def test_a_dip_ends_within_thirty_seconds(low_s: float, expected: tuple[float, float]) -> None:
    """What is back later was a process that really counted so far."""
    series = counter(100.0, 10.0)
    series.append(1.0 + low_s, 130.0)
    assert ends(series, 0.0, 100.0) == expected


def test_a_restart_after_a_dip_is_still_a_restart() -> None:
    """A dip taken back leaves later falls what they are."""
    assert ends(counter(100.0, 0.0, 110.0, 2.0, 5.0), 0.0, 4.0) == (13.0, 3.0)


def test_a_dip_inside_a_new_process_leaves_its_restart() -> None:
    """Back at the count of the new process is not back at the count of the old one."""
    assert ends(counter(1000.0, 5.0, 0.0, 6.0), 0.0, 3.0) == (1.0, 2.0)


def test_forgetting_takes_the_dips_along() -> None:
    """Samples of a new process are not left out because of the times of the old one."""
    series = counter(100.0, 0.0, 100.0)
    series.forget()
    for t in range(4):
        series.append(float(t), float(t))
    assert ends(series, 1.0, 3.0) == (2.0, 2.0)


def test_forgetting_takes_the_old_count_along() -> None:
    """A new process that passes the old count is not the old one come back."""
    series = counter(100.0, 5.0)
    series.forget()
    for t, value in ((2.0, 90.0), (3.0, 110.0)):
        series.append(t, value)
    assert (ends(series, 0.0, 3.0), len(series._peaks)) == ((20.0, 1.0), 0)


def test_a_late_answer_ends_no_dip() -> None:
    """A sample older than the newest one is not the counter come back."""
    series = counter(100.0, 3.0, 4.0)
    series.append(0.5, 105.0)
    assert ends(series, 0.0, 2.0) == (1.0, 1.0)


def test_a_corrected_answer_after_a_long_gap_is_no_dip() -> None:
    """A second sample at the time of the only one left replaces it."""
    series = counter(*(100.0 for _ in range(70)))
    series.append(5000.0, 3.0)
    series.append(5000.0, 101.0)
    series.append(5001.0, 104.0)
    assert ends(series, 5000.0, 5001.0) == (3.0, 1.0)


def test_the_dip_of_a_histogram_is_left_out_of_every_cell() -> None:
    """The count of all observations decides for buckets and sum."""
    series = Series("page", BOUNDS)
    for t, count in enumerate((40.0, 1.0, 44.0)):
        series.append(float(t), histogram(count / 4, count / 2, count, count, total=2 * count))
    assert grown(series, 0.0, 2.0) == Increase((1.0, 2.0, 4.0, 4.0, 8.0), 2.0, BOUNDS)


def test_a_restart_is_known_as_long_as_the_samples_beside_it() -> None:
    """With sparse polls samples outlive eleven minutes, and so does what is known of their restart."""
    series = counter(100.0, *(float(i) for i in range(30)), step_s=SLOW_S)
    series.append(1000.0, 0.0)
    assert ends(series, 0.0, 1000.0) == (29.0, 29 * SLOW_S)


def test_a_dip_is_known_as_long_as_the_samples_beside_it() -> None:
    """A later dip does not bring an earlier one back to life."""
    series = counter(100.0, 0.0, *(120.0 + i for i in range(40)), step_s=20.0)
    series.append(840.0, 50.0)
    series.append(860.0, 200.0)
    assert ends(series, 20.0, 860.0) == (80.0, 820.0)


RISING = st.lists(st.integers(0, 20), min_size=4, max_size=30).map(lambda steps: list(accumulate(steps, initial=100)))


@settings(max_examples=100)
@given(RISING, st.data())
def test_any_single_dip_leaves_the_growth_of_the_good_samples(truth: list[int], data: st.DataObject) -> None:
    """Outside the dip it is last - first; no window gives more than the truth, none a negative growth."""
    start = data.draw(st.integers(1, len(truth) - 2))
    end = data.draw(st.integers(start + 1, min(len(truth) - 1, start + int(DIP_S))))
    low = st.integers(0, truth[start - 1] - 1)
    bad = data.draw(st.lists(low, min_size=end - start, max_size=end - start))
    series = counter(*truth[:start], *bad, *truth[end:])
    for first in range(len(truth)):
        for last in range(first + 1, len(truth)):
            found = ends(series, first, last)
            true = truth[last] - truth[first]
            outside = not (start <= first < end or start <= last < end)
            assert found == (true, last - first) if outside else found is None or 0 <= found[0] <= true


@settings(max_examples=100)
@given(RISING, st.sets(st.integers(1, 30)))
def test_pages_of_zeros_never_add_growth(truth: list[int], bad: set[int]) -> None:
    """At every poll, while a dip lasts as after it, whatever pages but the first were bad."""
    series = Series("page")
    for t, value in enumerate(truth):
        series.append(float(t), 0.0 if t in bad else float(value))
        for first in range(t):
            found = ends(series, first, t)
            assert found is None or 0 <= found[0] <= value - truth[first]


@pytest.mark.parametrize(("value", "bounds"), [(1.0, None), (histogram(1, 1, 1, 1), BOUNDS)])
def test_only_histograms_have_bounds(value: float, bounds: tuple[float, ...] | None) -> None:
    """A plain sample has none."""
    assert bounds_of(value) == bounds


@settings(max_examples=100)
@given(st.lists(st.integers(0, 50), min_size=2, max_size=40))
def test_an_increase_is_the_sum_of_the_steps_that_rise(values: list[int]) -> None:
    """Whatever restarts a counter goes through, falls and their seconds are left out and nothing else is."""
    steps = [b - a for a, b in pairwise(values) if b >= a]
    found = ends(counter(*values, step_s=SLOW_S), 0.0, len(values) * SLOW_S)
    assert found == ((sum(steps), len(steps) * SLOW_S) if steps else None)
