"""The window of rows: order, trimming and memory."""

from __future__ import annotations

from array import array
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.core.ring import Ring

TIMES = st.lists(st.floats(0, 5000), max_size=200)


def filled(count: int, step: float = 1.0, keep_s: float = 600.0) -> Ring:
    """A ring with rows at 0, step, 2 step ..."""
    ring = Ring(1, keep_s)
    for i in range(count):
        ring.append(i * step, (float(i),))
    return ring


def test_an_empty_ring_has_no_last_time() -> None:
    """Nothing in it is said as None, not as 0."""
    assert Ring().last_t is None


def test_an_empty_ring_has_no_points() -> None:
    """A window over nothing is empty."""
    assert Ring().points(0, 100) == []


def test_a_row_at_the_time_of_the_last_replaces_it() -> None:
    """Two answers for one moment are one row, the later one."""
    ring = Ring(2)
    ring.append(1.0, (1.0, 2.0))
    ring.append(1.0, (3.0, 4.0))
    assert (len(ring), ring.row(0)) == (1, array("d", [3.0, 4.0]))


def test_an_older_row_is_ignored() -> None:
    """Time that runs backwards changes nothing."""
    ring = filled(3)
    ring.append(1.5, (99.0,))
    assert ring.points(0, 10) == [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]


@pytest.mark.parametrize(("index", "row"), [(0, [0.0, 0.5]), (2, [2.0, 2.5]), (-1, [2.0, 2.5]), (-2, [1.0, 1.5])])
def test_rows_count_from_either_end(index: int, row: list[float]) -> None:
    """Negative indexes count from the newest row, the whole row comes back."""
    ring = Ring(2)
    for i in range(3):
        ring.append(i, (float(i), i + 0.5))
    assert list(ring.row(index)) == row


def test_points_take_the_first_cell() -> None:
    """Rows wider than one give their first cell, each at its own time."""
    ring = Ring(3)
    for i in range(4):
        ring.append(i, (float(i), -1.0, -2.0))
    assert ring.points(1, 2) == [(1.0, 1.0), (2.0, 2.0)]


def test_a_window_holds_both_its_ends() -> None:
    """A poll exactly at the start and one exactly at the end belong to it."""
    assert filled(10).points(3, 5) == [(3.0, 3.0), (4.0, 4.0), (5.0, 5.0)]


def test_a_window_forgives_the_rounding_of_sums() -> None:
    """A time summed up from tenths is still inside a window written in whole seconds."""
    ring = Ring()
    t = 0.0
    for i in range(11):
        ring.append(t, (float(i),))
        t += 0.1
    assert ring.span(0.3, 1.0) == (3, 11)


def test_an_hour_at_one_second_keeps_eleven_minutes() -> None:
    """Raw samples at 1 Hz cost about 660 rows, however long the session runs."""
    assert 661 <= len(filled(3600, keep_s=660.0)) <= 660 + 64


def test_two_days_of_minutes_keep_a_day() -> None:
    """Minutes stop at a day, give or take the block they are dropped in."""
    assert 1440 <= len(filled(2 * 1440, 60.0, keep_s=86_400.0)) <= 1440 + 64


def test_trimming_keeps_rows_and_times_together() -> None:
    """After rows were dropped each one still has its own time."""
    ring = filled(2000)
    assert all(ring.time(i) == ring.row(i)[0] for i in range(len(ring)))


def test_clear_forgets_everything() -> None:
    """A cleared ring takes a row of any time."""
    ring = filled(5)
    ring.clear()
    ring.append(0.5, (7.0,))
    assert ring.points(0, 10) == [(0.5, 7.0)]


@settings(max_examples=80)
@given(TIMES)
def test_times_always_rise(times: list[float]) -> None:
    """Whatever order polls come in, the kept times rise strictly."""
    ring = Ring(1, 300.0)
    for t in times:
        ring.append(t, (t,))
    kept = [ring.time(i) for i in range(len(ring))]
    assert all(a < b for a, b in pairwise(kept))


@settings(max_examples=80)
@given(st.integers(1, 1500), st.integers(1, 5))
def test_nothing_young_enough_is_dropped(count: int, step: int) -> None:
    """Every row within the time kept is there."""
    ring = filled(count, step, keep_s=120.0)
    last = (count - 1) * step
    wanted = [float(i) for i in range(count) if i * step >= last - 120.0]
    assert [v for _, v in ring.points(last - 120.0, last)] == wanted


def test_times_of_some_rows() -> None:
    """From one index up to another."""
    assert list(filled(6).times(2, 4)) == [2.0, 3.0]
