"""Quantiles and means of a row of cumulative counts."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.core.distribution import SUFFIXES, lifetime_figures, read_distribution, read_figures

BOUNDS = (1.0, 2.0, inf)


@pytest.mark.parametrize(("suffix", "value"), [("p50", 1.0), ("mean", 1.25)])
def test_a_suffix_is_read_from_counts_and_their_sum(suffix: str, value: float) -> None:
    """Two of four below 1, all below 2, and 5 in sum."""
    assert read_distribution(suffix, BOUNDS, (2.0, 4.0, 4.0, 5.0)) == value


def test_a_row_without_buckets_has_no_figure() -> None:
    """Nor has one with other buckets than it says."""
    assert read_distribution("p50", BOUNDS, (2.0, 4.0)) is None
    assert read_figures(BOUNDS, (2.0, 4.0))["p50"] is None
    assert lifetime_figures([])["p50"] is None


@given(st.lists(st.floats(0.0, 1e6), min_size=4, max_size=4))
def test_all_figures_in_one_go_are_those_read_one_by_one(cells: list[float]) -> None:
    """Also of counts that fall, as a page written while it is read may have them."""
    row = tuple(cells)
    assert read_figures(BOUNDS, row) == {suffix: read_distribution(suffix, BOUNDS, row) for suffix in SUFFIXES}
