"""The straight line and how well it fits."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.core.fit import FITS, fit

POINTS = st.lists(st.tuples(st.floats(0, 1e5), st.floats(-1e12, 1e12)), max_size=30)


def test_no_points_have_no_line() -> None:
    """An empty window gives None."""
    assert fit([]) is None


def test_one_point_has_no_line() -> None:
    """A slope needs two."""
    assert fit([(1.0, 2.0)]) is None


def test_points_at_one_time_have_no_line() -> None:
    """Two values at the same moment have no slope."""
    assert fit([(1.0, 2.0), (1.0, 3.0)]) is None


def test_a_straight_line_fits_wholly() -> None:
    """Slope and R2 of points on a line are exact within rounding."""
    line = fit([(t, 3.0 + 2.0 * t) for t in range(10)])
    assert line == pytest.approx((2.0, 1.0))


def test_a_flat_line_has_slope_zero_exactly() -> None:
    """Rounding of the mean makes no slope of 0.1 + 0.1 + 0.1."""
    assert fit([(float(t), 0.1) for t in range(7)]) == (0.0, 1.0)


def test_a_saw_tooth_does_not_fit() -> None:
    """Values that jump up and down have a low R2."""
    line = fit([(float(t), float(t % 2)) for t in range(20)])
    assert line is not None
    assert line.r2 < FITS


def test_late_times_lose_no_precision() -> None:
    """A machine up for years has the slope of one just started."""
    line = fit([(1e9 + t, 1e11 + 4096.0 * t) for t in range(0, 1800, 60)])
    assert line is not None
    assert line.slope == pytest.approx(4096.0, rel=1e-6)


def test_the_tiniest_differences_divide_by_nothing() -> None:
    """Variances that round to nothing raise no error."""
    line = fit([(0.0, 0.0), (1e-3, 1e-161), (2e-3, 3e-161)])
    assert line is not None
    assert line.r2 <= 1.0 + 1e-9


@settings(max_examples=100)
@given(POINTS)
def test_r2_is_a_share(points: list[tuple[float, float]]) -> None:
    """Between 0 and 1 for any points at all."""
    line = fit(points)
    assert line is None or -1e-9 <= line.r2 <= 1.0 + 1e-6


@settings(max_examples=60)
@given(st.floats(-1e3, 1e3), st.floats(-1e6, 1e6), st.lists(st.integers(0, 3600), min_size=2, unique=True))
def test_the_slope_of_a_line_is_found(slope: float, start: float, times: list[int]) -> None:
    """Any line sampled anywhere gives back its slope."""
    line = fit([(float(t), start + slope * t) for t in times])
    assert line is not None
    assert line.slope == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_values_beyond_all_measure_have_no_line() -> None:
    """Garbage near the largest double is no reason to stop."""
    assert fit([(0.0, 1e308), (1.0, -1e308), (2.0, 1e308)]) is None
