"""Rates, windows and event counts of rising totals."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.rates import EventCount, Growth, Rates, Window

READINGS = st.lists(st.tuples(st.floats(0, 100), st.floats(0, 1e9)), max_size=30)


def test_the_first_reading_warms_up() -> None:
    """One reading is no rate."""
    assert Rates().per_second("a", 1.0, 10.0) is Missing.WARMING_UP


def test_a_rate_is_growth_over_the_time_that_really_passed() -> None:
    """A late poll does not raise the rate."""
    rates = Rates()
    rates.per_second("a", 1.0, 10.0)
    assert rates.per_second("a", 5.0, 30.0) == 5.0


def test_a_total_that_falls_warms_up_for_one_poll() -> None:
    """A restart gives no negative rate, and the poll after it is good again."""
    rates = Rates()
    rates.per_second("a", 1.0, 10.0)
    assert rates.per_second("a", 2.0, 3.0) is Missing.WARMING_UP
    assert rates.per_second("a", 3.0, 4.0) == 1.0


def test_names_do_not_mix() -> None:
    """Each name has its own last reading."""
    rates = Rates()
    rates.per_second("a", 1.0, 10.0)
    assert rates.per_second("b", 2.0, 20.0) is Missing.WARMING_UP


def test_a_missing_total_keeps_its_reason_and_the_last_reading() -> None:
    """After a gap the rate is the mean over the gap."""
    rates = Rates()
    rates.per_second("a", 1.0, 10.0)
    assert rates.per_second("a", 2.0, Missing.UNSUPPORTED) is Missing.UNSUPPORTED
    assert rates.per_second("a", 3.0, 14.0) == 2.0


@given(READINGS)
def test_a_rate_is_never_negative(readings: list[tuple[float, float]]) -> None:
    """Whatever clock and totals do, there is a rate >= 0 or a reason."""
    rates = Rates()
    for now, total in readings:
        rate = rates.per_second("a", now, total)
        assert isinstance(rate, Missing) or rate >= 0


def test_a_short_window_gives_nothing() -> None:
    """Under five seconds there is no ratio yet."""
    window = Window()
    assert window.add(0.0, 1.0) is None
    assert window.add(4.9, 2.0) is None


def test_a_window_covers_the_last_minute_only() -> None:
    """What is older than the span drops out."""
    window = Window()
    for second in range(0, 121, 10):
        growth = window.add(float(second), second * 2.0)
    assert growth == Growth(60.0, (120.0,))


def test_a_total_that_falls_empties_the_window() -> None:
    """After a restart the window fills anew."""
    window = Window()
    window.add(0.0, 10.0, 5.0)
    window.add(10.0, 20.0, 1.0)
    assert window.add(16.0, 30.0, 4.0) == Growth(6.0, (10.0, 3.0))


def test_events_count_from_the_first_reading_on() -> None:
    """What happened before the console looked is not counted."""
    events = EventCount()
    assert events.add(0.0, 7.0) is Missing.WARMING_UP
    assert events.add(1.0, 7.0) == 0.0
    assert events.add(2.0, 9.0) == 2.0


def test_events_are_forgotten_after_an_hour() -> None:
    """An event is seen for one hour."""
    events = EventCount()
    events.add(0.0, 0.0)
    events.add(10.0, 1.0)
    assert events.add(3610.0, 1.0) == 1.0
    assert events.add(3611.0, 1.0) == 0.0


def test_a_missing_event_total_is_a_reason() -> None:
    """A kernel without the counter says so."""
    assert EventCount().add(0.0, Missing.UNSUPPORTED) is Missing.UNSUPPORTED


@given(READINGS)
def test_events_are_never_negative(readings: list[tuple[float, float]]) -> None:
    """A total that falls takes no event away."""
    events = EventCount()
    for now, total in readings:
        count = events.add(now, total)
        assert isinstance(count, Missing) or count >= 0
