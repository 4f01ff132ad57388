"""Ticks and minutes of an indicator; a missing tick is a break."""

from __future__ import annotations

from math import isnan, nan

from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.core.history import History, Track
from tests.core.building import ENGINE, OTHER

NAME = "engine.requests_running"


def track(*values: float | None, step: float = 1.0) -> Track:
    """A track of ticks."""
    made = Track()
    for i, value in enumerate(values):
        made.record(i * step, value)
    return made


def test_a_missing_tick_is_no_point() -> None:
    """A gap never becomes 0, and NaN never leaves."""
    assert track(1.0, None, 3.0).points(0, 10) == [(0.0, 1.0), (2.0, 3.0)]


def test_a_value_that_is_not_a_number_is_a_break() -> None:
    """NaN counts as missing, and does not spoil its minute."""
    made = track(1.0, nan, *[3.0] * 59)
    assert made.minute_means(0, 100) == [(0.0, (1.0 + 58 * 3.0) / 59)]


def test_a_minute_keeps_low_high_mean_and_last() -> None:
    """One row for each full minute."""
    made = track(*range(60), 100.0)
    assert list(made.minutes.row(0)) == [0.0, 59.0, 29.5, 59.0]


def test_the_open_minute_is_not_among_the_means() -> None:
    """Only full minutes are given."""
    assert track(*[1.0] * 60).minute_means(0, 100) == []


def test_a_minute_without_values_is_a_break() -> None:
    """It has no mean, not a mean of 0."""
    made = track(*[1.0] * 60, *[None] * 60, *[2.0] * 61)
    assert made.minute_means(0, 1000) == [(0.0, 1.0), (120.0, 2.0)]


def test_a_minute_without_values_has_no_extremes() -> None:
    """Its row is wholly NaN."""
    made = track(*[None] * 61)
    assert all(isnan(cell) for cell in made.minutes.row(0))


def test_a_mean_is_over_the_ticks_that_had_a_value() -> None:
    """Gaps do not pull it down."""
    made = track(*[4.0, None] * 30, 0.0)
    assert made.minute_means(0, 100) == [(0.0, 4.0)]


def test_an_empty_track_covers_nothing() -> None:
    """Without ticks no window is full."""
    assert not Track().covers(0.0)


def test_a_track_covers_back_to_its_first_tick() -> None:
    """With two seconds of slack, and not more."""
    made = Track()
    made.record(10.0, 1.0)
    assert (made.covers(8.0), made.covers(7.9)) == (True, False)


def test_the_interval_is_that_of_the_newest_ticks() -> None:
    """A stretched cadence shows at once."""
    made = track(1.0, 1.0)
    made.record(6.0, 1.0)
    assert made.interval_s() == 5.0


def test_one_tick_has_no_interval() -> None:
    """It is 0 until there are two."""
    assert track(1.0).interval_s() == 0.0


def test_an_hour_costs_eleven_minutes_of_ticks() -> None:
    """Ticks are dropped, minutes stay."""
    made = track(*[1.0] * 3600)
    assert (len(made.ticks) <= 660 + 64, len(made.minutes)) == (True, 59)


def test_an_indicator_that_a_tick_does_not_name_gets_a_break() -> None:
    """A value that ceased is not carried on."""
    history = History()
    history.record(0.0, [(NAME, ENGINE, 1.0)])
    history.record(1.0, [(NAME, OTHER, 1.0)])
    found = history.track(NAME, ENGINE)
    assert found is not None
    assert (len(found.ticks), found.points(0, 10)) == (2, [(0.0, 1.0)])


def test_an_unknown_indicator_has_no_track() -> None:
    """None says that it was never seen."""
    assert History().track(NAME, ENGINE) is None


def test_forgetting_an_entity_leaves_the_others() -> None:
    """Only its own tracks go."""
    history = History()
    history.record(0.0, [(NAME, ENGINE, 1.0), (NAME, OTHER, 2.0)])
    history.forget(ENGINE)
    assert (history.track(NAME, ENGINE), history.track(NAME, OTHER) is None) == (None, False)


@settings(max_examples=60)
@given(st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), min_size=61, max_size=200))
def test_every_mean_lies_between_low_and_high(values: list[float | None]) -> None:
    """Minute rows agree with themselves."""
    made = track(*values)
    rows = [made.minutes.row(i) for i in range(len(made.minutes))]
    assert all(isnan(r[2]) or r[0] - 1e-6 <= r[2] <= r[1] + 1e-6 for r in rows)


def test_a_restart_ends_windows_and_keeps_what_charts_show() -> None:
    """Windows over time begin anew, charts go on."""
    history = History()
    for t in range(130):
        history.record(float(t), [(NAME, ENGINE, 1.0)])
    history.restart(ENGINE, 130.0)
    found = history.track(NAME, ENGINE)
    assert found is not None
    assert (found.points(0, 200), found.covers(0.0), found.interval_s()) == ([], False, 0.0)
    assert found.minute_means(0, 200) == [(0.0, 1.0), (60.0, 1.0)]
    assert len(found.ticks) == 130


def test_a_restart_of_one_entity_leaves_the_others() -> None:
    """The neighbour did not begin anew."""
    history = History()
    history.record(0.0, [(NAME, ENGINE, 1.0), (NAME, OTHER, 2.0)])
    history.restart(ENGINE, 1.0)
    found = history.track(NAME, OTHER)
    assert found is not None
    assert found.points(0, 10) == [(0.0, 2.0)]


def test_ticks_after_a_restart_are_a_window_of_their_own() -> None:
    """They cover back to the restart and no further."""
    history = History()
    for t in range(20):
        if t == 10:
            history.restart(ENGINE, 10.0)
        history.record(float(t), [(NAME, ENGINE, float(t))])
    found = history.track(NAME, ENGINE)
    assert found is not None
    assert (found.points(0, 100)[0], found.covers(10.0), found.covers(7.0)) == ((10.0, 10.0), True, False)


def test_a_restart_of_what_was_never_seen_does_nothing() -> None:
    """It makes no track."""
    history = History()
    history.restart(ENGINE, 1.0)
    assert history.track(NAME, ENGINE) is None


def test_extremes_of_minutes_reach_over_hours_and_restarts() -> None:
    """A peak of before the restart is part of the hour."""
    made = Track()
    for minute in range(120):
        made.record(minute * 60.0, 9.0 if minute == 70 else 1.0)
    made.since = 5000.0
    assert max(made.minute_extremes(3600.0, 7200.0, highest=True)) == 9.0
    assert set(made.minute_extremes(3600.0, 4000.0, highest=False)) == {1.0}


def test_minutes_that_begin_later_are_no_whole_window() -> None:
    """What is left would be a shorter one; a minute without values at its start is no start either."""
    made = Track()
    for minute in range(60):
        made.record(minute * 60.0, None if minute < 3 else 1.0)
    assert [made.minute_extremes(start, 3600.0, highest=True) for start in (0.0, -600.0)] == [[], []]
    assert made.minute_extremes(180.0, 3600.0, highest=True) == [1.0] * 56
