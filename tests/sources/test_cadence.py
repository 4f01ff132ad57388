"""Tests of the cadence: polling takes at most 2 % of the target's time, between 1 s and 5 s."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.sources.cadence import Cadence


def _after(*took: float) -> float:
    """Interval after polls that took so long."""
    cadence = Cadence()
    return [cadence.after(seconds) for seconds in took][-1]


@pytest.mark.parametrize("took", [(0.5,), (0.5, 0.5)])
def test_the_first_two_polls_do_not_stretch(took: tuple[float, ...]) -> None:
    """A rate needs two polls, so the first two intervals are 1 s whatever the polls cost."""
    assert _after(*took) == 1.0


@pytest.mark.parametrize(
    ("took_s", "expected"), [(0.0, 1.0), (0.01, 1.0), (0.02, 1.0), (0.05, 2.5), (0.1, 5.0), (25.0, 5.0)]
)
def test_from_the_third_poll_on_the_cost_decides(took_s: float, expected: float) -> None:
    """The interval is what a poll takes over 2 %, within 1 s and 5 s."""
    assert _after(took_s, took_s, took_s) == pytest.approx(expected)


def test_one_slow_poll_among_quick_ones_does_not_stretch() -> None:
    """The median decides, so that a single stall leaves the pace alone."""
    assert _after(0.01, 0.01, 4.0, 0.01, 0.01) == 1.0


def test_only_the_last_five_polls_count() -> None:
    """A target that became quick is asked quickly again."""
    assert _after(*[4.0] * 50, *[0.01] * 3) == 1.0


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
@settings(max_examples=60)
def test_the_interval_stays_in_its_bounds(took: list[float]) -> None:
    """No history of polls leads out of 1 s to 5 s, or fills the memory."""
    cadence = Cadence()
    for seconds in took:
        assert 1.0 <= cadence.after(seconds) <= 5.0
    assert len(cadence._took) <= 5
