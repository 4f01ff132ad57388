"""How many of one thing go with one of another, with some of either in flight."""

from __future__ import annotations

from itertools import accumulate

import pytest

from perfconsole.core.formulas.perunit import per_unit
from perfconsole.core.formulas.tally import Tally
from perfconsole.model.sample import Missing

SECONDS = [float(t) for t in range(121)]


def line(rate: float, start: float = 0.0) -> Tally:
    """A count that rises from a moment on."""
    return Tally(SECONDS, [rate * max(0.0, t - start) for t in SECONDS])


def gauge(*values: float) -> Tally:
    """The first values, and the last one from there on."""
    return Tally(SECONDS, [*values, *[values[-1]] * (len(SECONDS) - len(values))])


def test_a_steady_stream_needs_nothing_in_flight() -> None:
    """Six calls of each."""
    assert per_unit([line(12.0)], line(2.0), None, 5) == pytest.approx(6.0)


def test_parts_add_up() -> None:
    """Two engines."""
    assert per_unit([line(12.0), line(2.0)], line(2.0), None, 5) == pytest.approx(7.0)


def test_with_two_polls_half_of_the_change_in_flight_counts() -> None:
    """Nothing tells better."""
    ends = [0.0, 60.0]
    calls, tasks, open_ = Tally(ends, [0.0, 90.0]), Tally(ends, [0.0, 10.0]), Tally(ends, [0.0, 10.0])
    assert per_unit([calls], tasks, open_, 5) == 6.0


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_the_polls_tell_how_much_of_what_is_in_flight_counts(share: float) -> None:
    """Ten come within seconds and stay: of their calls so many are made at once, the rest at their end."""
    open_ = gauge(*[0.0] * 20, 4.0, 8.0, 10.0)
    tasks = line(1.0, start=25.0)
    made = [6.0 * (t + share * o) for t, o in zip(tasks.counts, open_.counts, strict=True)]
    assert per_unit([Tally(SECONDS, made)], tasks, open_, 5) == pytest.approx(6.0, rel=0.03)


def test_few_units_say_nothing() -> None:
    """Four of them, whatever their calls."""
    assert per_unit([line(1.0)], line(4.0 / 120), None, 5) is Missing.WARMING_UP


def test_fewer_than_began_say_nothing() -> None:
    """Of the first who end nobody knows what the many in flight will take."""
    assert per_unit([line(12.0)], line(0.1), gauge(0.0, 40.0), 5) is Missing.WARMING_UP


def test_units_without_calls_have_none() -> None:
    """Zero is an answer."""
    assert per_unit([line(0.0)], line(2.0), gauge(3.0), 5) == 0.0


def test_only_what_all_pages_saw_is_compared() -> None:
    """A page that came a minute later must not be measured against that minute."""
    late = Tally(SECONDS[60:], [2.0 * t for t in SECONDS[60:]])
    assert per_unit([line(12.0)], late, None, 5) == pytest.approx(6.0)


def test_pages_that_never_met_say_nothing() -> None:
    """One ended before the other began."""
    early, late = Tally([0.0, 1.0], [0.0, 9.0]), Tally([2.0, 3.0], [0.0, 9.0])
    assert per_unit([early], late, None, 5) is Missing.WARMING_UP


def test_one_poll_in_common_says_nothing() -> None:
    """Nothing can have grown."""
    assert per_unit([line(12.0)], Tally([0.5, 600.0], [0.0, 900.0]), None, 5) is Missing.WARMING_UP


def test_a_change_of_the_pattern_shows_within_the_window() -> None:
    """One call a task for a minute, then nine: five on average."""
    calls = Tally(SECONDS, list(accumulate(2.0 if t <= 60 else 18.0 for t in SECONDS)))
    assert per_unit([calls], line(2.0), None, 5) == pytest.approx(5.0, rel=0.05)


def test_tasks_in_step_do_not_move_the_ratio() -> None:
    """Sixteen that begin and end together: at the last poll seven calls of each belong to no task that ended."""
    times = [float(t) for t in range(128)]
    calls, tasks = Tally(times, [16 * t for t in times]), Tally(times, [16 * (t // 8) for t in times])
    assert per_unit([calls], tasks, Tally(times, [16.0] * 128), 5) == pytest.approx(8.0, rel=0.03)
