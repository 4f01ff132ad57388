"""Moments of open loops."""

from __future__ import annotations

from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.load.pacer import poisson, replayed


@given(st.floats(0.1, 1000), st.integers(0, 2**32))
def test_the_mean_gap_is_that_of_the_rate(rate: float, seed: int) -> None:
    """Of 2,000 gaps within 15 %: more than six deviations."""
    *_, last = islice(poisson(rate, seed), 2000)
    assert last / 2000 == pytest.approx(1 / rate, rel=0.15)


def test_gaps_are_as_scattered_as_independent_users() -> None:
    """The deviation of exponential gaps is their mean; a steady beat would have none."""
    moments = list(islice(poisson(10, 1), 5000))
    gaps = [b - a for a, b in pairwise(moments)]
    mean = sum(gaps) / len(gaps)
    deviation = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5
    assert deviation == pytest.approx(mean, rel=0.05)


def test_the_same_seed_gives_the_same_moments() -> None:
    """A run can be repeated, and another seed is another run."""
    assert list(islice(poisson(5, 3), 20)) == list(islice(poisson(5, 3), 20))
    assert list(islice(poisson(5, 3), 20)) != list(islice(poisson(5, 4), 20))


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_a_rate_that_is_none_is_refused(rate: float) -> None:
    """Also one that is no number."""
    with pytest.raises(ValueError, match="above 0"):
        poisson(rate, 0)


def test_a_sample_is_replayed_faster() -> None:
    """Twice the speed is half the time."""
    assert list(replayed((0.0, 1.0, 4.0), 2)) == [0.0, 0.5, 2.0]


def test_a_speed_of_nothing_is_refused() -> None:
    """It would never end."""
    with pytest.raises(ValueError, match="above 0"):
        replayed((0.0,), 0)
