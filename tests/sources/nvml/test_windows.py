"""Tests of what needs more than one poll: rates, shares of a minute, events of an hour."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.nvml.windows import BitShares, CounterShare, Growth, Rate

HEAT, POWER = 0x40, 0x4


def shares(*samples: tuple[float, int]) -> BitShares:
    """Shares after these samples."""
    found = BitShares((HEAT, POWER))
    for t, bits in samples:
        found.add(t, bits)
    return found


def test_a_rate_needs_two_readings() -> None:
    """The first total says nothing of now."""
    rate = Rate()
    assert [rate(10.0, 500.0), rate(12.0, 700.0)] == [None, 100.0]


def test_a_counter_that_went_back_has_no_rate() -> None:
    """It wrapped, or the driver was reloaded; the next reading counts from there."""
    rate = Rate()
    assert [rate(0.0, 500.0), rate(1.0, 100.0), rate(2.0, 150.0)] == [None, None, 50.0]


def test_two_readings_of_one_moment_have_no_rate() -> None:
    """Nothing is divided by no time."""
    rate = Rate()
    assert [rate(1.0, 5.0), rate(1.0, 9.0)] == [None, None]


def test_a_bit_that_is_set_all_the_time_has_the_whole_minute() -> None:
    """From the first sample on."""
    assert shares((0.0, HEAT)).share(HEAT) == 1.0
    assert shares(*((float(t), HEAT) for t in range(100))).share(HEAT) == 1.0


def test_a_bit_counts_for_the_time_that_its_samples_stand_for() -> None:
    """A sample stands for the time since the one before."""
    found = shares((0.0, 0), (1.0, 0), (3.0, HEAT), (4.0, 0))
    assert found.share(HEAT) == pytest.approx(2.0 / 5.0)
    assert found.share(POWER) == 0.0


def test_a_long_pause_does_not_count_for_the_sample_after_it() -> None:
    """What was during a pause of the console is not known."""
    assert shares((0.0, 0), (100.0, HEAT)).share(HEAT) == 1.0
    assert shares((0.0, 0), (50.0, HEAT)).share(HEAT) == pytest.approx(5.0 / 6.0)


def test_what_is_older_than_a_minute_is_forgotten() -> None:
    """To exactly nothing."""
    assert shares((0.0, HEAT), *((float(t), 0) for t in range(1, 62))).share(HEAT) == 0.0


@given(st.lists(st.tuples(st.floats(0.01, 90.0), st.sampled_from([0, HEAT, POWER, HEAT | POWER])), min_size=1))
def test_a_share_is_a_share(steps: list[tuple[float, int]]) -> None:
    """Between 0 and 1 whatever comes, 0 exactly when no sample of the minute has the bit."""
    found, t, seen = BitShares((HEAT, POWER)), 0.0, []
    for pause, bits in steps:
        t += pause
        seen.append((t, bits))
        found.add(t, bits)
    recent = [bits for at, bits in seen if at > t - 60.0]
    for bit in (HEAT, POWER):
        assert 0.0 <= found.share(bit) <= 1.0
        assert (found.share(bit) > 0) == any(bits & bit for bits in recent)


def test_the_share_of_a_counter_is_what_it_grew_by() -> None:
    """Nanoseconds of the time between the first and the last reading."""
    share = CounterShare()
    assert share.share(0.0) is None
    share.add(0.0, 1e9)
    assert share.share(0.0) is None
    share.add(10.0, 3e9)
    assert share.share(10.0) == pytest.approx(0.2)


def test_the_share_of_a_counter_that_is_read_no_more_is_unknown() -> None:
    """A minute after its last reading; until then the last one stands."""
    share = CounterShare()
    share.add(0.0, 0.0)
    share.add(10.0, 8e9)
    assert share.share(69.0) == pytest.approx(0.8)
    assert share.share(70.0) is None


def test_the_share_of_a_counter_is_of_the_last_minute() -> None:
    """What it grew by earlier is forgotten; one that goes back begins anew."""
    share = CounterShare()
    for t in range(200):
        share.add(float(t), min(t, 100) * 1e9)
    assert share.share(199.0) == 0.0
    share.add(200.0, 0.0)
    assert share.share(200.0) is None


def test_events_are_counted_for_an_hour() -> None:
    """From totals; what was before the first one is not known."""
    growth = Growth()
    growth.add(0.0, 40.0)
    assert growth.count(0.0) == 0.0
    growth.add(10.0, 42.0)
    growth.add(20.0, 42.0)
    growth.add(30.0, 5.0)
    growth.add(40.0, 6.0)
    assert growth.count(100.0) == 3.0
    assert growth.count(3630.0) == 1.0
    assert growth.count(4000.0) == 0.0
