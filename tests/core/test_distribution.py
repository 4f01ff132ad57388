"""Quantiles and means of a row of cumulative counts."""

from __future__ import annotations

from math import inf

import pytest

from perfconsole.core.distribution import lifetime_figure, read_distribution

BOUNDS = (1.0, 2.0, inf)


@pytest.mark.parametrize(("suffix", "value"), [("p50", 1.0), ("mean", 1.25)])
def test_a_suffix_is_read_from_counts_and_their_sum(suffix: str, value: float) -> None:
    """Two of four below 1, all below 2, and 5 in sum."""
    assert read_distribution(suffix, BOUNDS, (2.0, 4.0, 4.0, 5.0)) == value


def test_a_row_without_buckets_has_no_figure() -> None:
    """Nor has one with other buckets than it says."""
    assert read_distribution("p50", BOUNDS, (2.0, 4.0)) is None
    assert lifetime_figure("p50", []) is None
