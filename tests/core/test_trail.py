"""Tests of histories as charts want them."""

from __future__ import annotations

from perfconsole.core.history import Track
from perfconsole.core.trail import stretch_means


def track(points: dict[float, float | None]) -> Track:
    """A track with these ticks."""
    made = Track()
    for t, value in points.items():
        made.record(t, value)
    return made


def test_each_column_is_the_mean_of_its_stretch() -> None:
    """Two ticks in one stretch give their mean."""
    ticks = track({100.0: 1.0, 101.0: 3.0, 110.0: 5.0})
    assert stretch_means(ticks, 110.0, 10.0, 2) == (2.0, 5.0)


def test_stretches_begin_at_multiples_of_their_length() -> None:
    """A later tick in the same stretch does not move the earlier columns."""
    ticks = track({100.0: 1.0, 105.0: 3.0, 110.0: 5.0, 115.0: 7.0})
    assert stretch_means(ticks, 115.0, 10.0, 2)[0] == stretch_means(ticks, 110.0, 10.0, 2)[0] == 2.0


def test_where_nothing_was_known_is_a_break() -> None:
    """A missing tick is None, neither 0 nor a mean of its neighbours."""
    ticks = track({100.0: 1.0, 110.0: None, 120.0: 3.0})
    assert stretch_means(ticks, 120.0, 10.0, 3) == (1.0, None, 3.0)


def test_before_the_first_tick_nothing_is_known() -> None:
    """Columns older than the track are None."""
    assert stretch_means(track({100.0: 1.0}), 100.0, 10.0, 3) == (None, None, 1.0)


def test_what_is_newer_than_the_end_is_left_out() -> None:
    """A chart of a moment shows nothing that came after it."""
    assert stretch_means(track({100.0: 1.0, 130.0: 9.0}), 105.0, 10.0, 1) == (1.0,)


def test_long_stretches_read_minutes_where_ticks_are_gone() -> None:
    """An hour ago is known by its minutes."""
    ticks = track({float(t): float(t // 600) for t in range(0, 3600, 5)})
    means = stretch_means(ticks, 3599.0, 600.0, 6)
    assert [None if m is None else round(m) for m in means] == [0, 1, 2, 3, 4, 5]
