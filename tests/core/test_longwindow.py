"""Windows longer than ticks are kept are read from minutes."""

from __future__ import annotations

import pytest

from perfconsole.core.history import Track
from perfconsole.core.longwindow import over_minutes
from perfconsole.model.sample import Missing

HOUR_S = 3600.0


def known(found: float | Missing) -> float:
    """A figure that is there."""
    assert not isinstance(found, Missing)
    return found


def hour_of(*values: float, minutes: int = 65, step_s: float = 10.0) -> tuple[Track, float]:
    """A track of so many minutes whose values are spread evenly over it, and its last moment."""
    track = Track()
    ticks = int(minutes * 60 / step_s)
    for place in range(ticks + 1):
        track.record(place * step_s, values[min(len(values) - 1, place * len(values) // (ticks + 1))])
    return track, ticks * step_s


@pytest.mark.parametrize(
    ("function", "expected"), [("min", 1.0), ("max", 9.0), ("changes", 2.0), ("delta", 4.0), ("rate", 4.0 / HOUR_S)]
)
def test_an_hour_is_read_from_minutes(function: str, expected: float) -> None:
    """The lowest, the highest, the steps and the rises of a gauge that went 1, 9, 5."""
    track, t = hour_of(1.0, 9.0, 5.0)
    found = over_minutes(function, track, (t, 5.0), HOUR_S, rises=False)
    assert found == pytest.approx(expected, rel=0.05)


def test_the_mean_of_an_hour() -> None:
    """Half of it 0, half of it 10."""
    track, t = hour_of(0.0, 10.0, minutes=62)
    assert over_minutes("avg", track, (t, 10.0), HOUR_S, rises=False) == pytest.approx(5.0, abs=0.3)


def test_the_slope_of_an_hour() -> None:
    """One a second, through the minute means."""
    track, t = hour_of(*[float(v) for v in range(0, 3900, 10)])
    assert over_minutes("slope", track, (t, 3900.0), HOUR_S, rises=False) == pytest.approx(1.0, rel=0.01)


def test_a_counter_that_began_anew_counts_only_its_rises() -> None:
    """5 before the restart and 3 after it are 8, not -2."""
    track, t = hour_of(0.0, 5.0, 0.0, 3.0)
    assert over_minutes("delta", track, (t, 3.0), HOUR_S, rises=True) == 8.0


def test_a_gauge_that_flaps_has_not_grown() -> None:
    """Only a counter adds up its rises."""
    track, t = hour_of(*([10.0, 20.0] * 30), 10.0)
    assert abs(known(over_minutes("delta", track, (t, 10.0), HOUR_S, rises=False))) <= 10.0


def test_the_rate_of_a_counter_of_one_a_second() -> None:
    """Over eleven minutes as over ten."""
    track, t = hour_of(*[float(v) for v in range(0, 3900, 10)])
    assert over_minutes("rate", track, (t, t), 660.0, rises=True) == pytest.approx(1.0, rel=0.02)


def test_a_young_session_has_no_hour() -> None:
    """Twenty minutes do not speak for sixty."""
    track, t = hour_of(1.0, minutes=20)
    assert over_minutes("max", track, (t, 1.0), HOUR_S, rises=False) is Missing.WARMING_UP


def test_a_restart_ends_no_window_of_hours() -> None:
    """A pause before it is what the restart is about."""
    track, t = hour_of(9.0)
    track.since = t - 600
    assert over_minutes("max", track, (t, 1.0), HOUR_S, rises=False) == 9.0


def test_the_open_minute_counts() -> None:
    """What was high ten seconds ago is part of the hour."""
    track, t = hour_of(1.0)
    track.record(t + 10, 7.0)
    assert over_minutes("max", track, (t + 20, 1.0), HOUR_S, rises=False) == 7.0


def test_sparse_ticks_speak_for_the_time_between_them() -> None:
    """One tick in ten minutes covers a day's window as well as one a second."""
    track, t = hour_of(2.0, minutes=400, step_s=600.0)
    assert over_minutes("max", track, (t, 2.0), 6 * HOUR_S, rises=False) == 2.0
