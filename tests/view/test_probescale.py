"""Tests of the upright axis of a picture."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.view.probescale import scale_of

PIXELS = (250.0, 40.0)


@pytest.mark.parametrize(
    ("highest", "ticks"),
    [
        (2992.0, [0, 1000, 2000, 3000]),
        (0.008, [0, 0.002, 0.004, 0.006, 0.008]),
        (5.0, [0, 1, 2, 3, 4, 5]),
        (0.0, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
    ],
)
def test_values_beside_a_straight_axis_are_round(highest: float, ticks: list[float]) -> None:
    """From 0 on."""
    made = scale_of([highest, None], PIXELS)
    assert made is not None
    assert made.ticks == pytest.approx(ticks)


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.052, 3.16], [0.05, 0.1, 0.2, 0.5, 1, 2, 5]),
        ([0.05, 10.2], [0.1, 1, 10]),
        ([0.2, 0.2], [0.2, 0.5, 1, 2]),
    ],
)
def test_values_beside_a_logarithmic_axis_are_round_and_few(values: list[float], ticks: list[float]) -> None:
    """1, 2 and 5; only powers of ten where there would be many."""
    made = scale_of(values, PIXELS, log_axis=True)
    assert made is not None
    assert made.ticks == pytest.approx(ticks)


def test_without_a_value_there_is_no_axis() -> None:
    """A picture of nothing says so."""
    assert scale_of([None, None], PIXELS) is None


def test_only_zeros_have_a_straight_axis_whatever_was_asked_for() -> None:
    """They have no logarithm."""
    made = scale_of([0.0], PIXELS, log_axis=True)
    assert made is not None
    assert not made.log_axis


@given(st.lists(st.none() | st.floats(0, 1e9), min_size=1, max_size=8), st.booleans())
def test_every_value_stands_within_the_plot(values: list[float | None], log_axis: bool) -> None:  # noqa: FBT001 - both
    """And a higher one not below a lower one."""
    made = scale_of(values, PIXELS, log_axis=log_axis)
    known = sorted(value for value in values if value is not None)
    if made is None:
        assert not known
        return
    places = [made.y(value) for value in known]
    assert places == sorted(places, reverse=True)
    assert all(PIXELS[1] <= y <= PIXELS[0] for y in places)
    assert 2 <= len(made.ticks) <= 12


def test_an_axis_knows_what_it_reaches() -> None:
    """A promise far above is not drawn."""
    made = scale_of([0.052, 0.074], PIXELS)
    assert made is not None
    assert (made.holds(0.07), made.holds(1.5)) == (True, False)
