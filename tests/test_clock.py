"""Tests of the clocks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.clock import ManualClock, SystemClock


def test_a_manual_clock_stands_until_it_is_moved() -> None:
    """Reading it twice gives the same moment."""
    clock = ManualClock(5.0, 100.0)
    assert (clock.now(), clock.wall(), clock.now()) == (5.0, 100.0, 5.0)


def test_sleeping_moves_both_times_alike() -> None:
    """Monotonic and wall time advance together."""
    clock = ManualClock(5.0, 100.0)
    clock.sleep(2.5)
    assert (clock.now(), clock.wall()) == (7.5, 102.5)


@given(st.lists(st.floats(-100, 100), max_size=10))
@settings(max_examples=50)
def test_a_manual_clock_never_goes_back(naps: list[float]) -> None:
    """A negative time to sleep is no time."""
    clock = ManualClock()
    for nap in naps:
        before = clock.now()
        clock.sleep(nap)
        assert clock.now() == before + max(0.0, nap)


def test_the_system_clock_does_not_go_back() -> None:
    """Monotonic time rises or stands."""
    clock = SystemClock()
    assert clock.now() <= clock.now()


def test_the_wall_clock_counts_from_the_epoch() -> None:
    """It is past the day this was written, so it is no monotonic time by mistake."""
    assert SystemClock().wall() > 1_700_000_000


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("-inf")])
def test_the_system_clock_returns_at_once_for_no_time(seconds: float) -> None:
    """A deadline that has passed is no error."""
    SystemClock().sleep(seconds)
