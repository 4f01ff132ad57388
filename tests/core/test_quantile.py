"""Quantiles of buckets against Prometheus' definition."""

from __future__ import annotations

from itertools import accumulate
from math import inf, isclose, isnan, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.core.quantile import mean, quantile

FINITE = st.lists(st.floats(-5, 100), min_size=1, max_size=12, unique=True).map(sorted)


@st.composite
def buckets(draw: st.DrawFn) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Ascending bounds with infinity last, and cumulative counts over them."""
    bounds = (*draw(FINITE), inf)
    each = draw(st.lists(st.integers(0, 1000), min_size=len(bounds), max_size=len(bounds)))
    return bounds, tuple(float(c) for c in accumulate(each))


def reference(q: float, bounds: tuple[float, ...], counts: tuple[float, ...]) -> float:
    """The definition in Prometheus: promql bucketQuantile for 0 < q < 1, NaN for nothing observed."""
    if len(bounds) < 2 or counts[-1] == 0:
        return nan
    rank = q * counts[-1]
    b = 0
    while b < len(bounds) - 1 and counts[b] < rank:
        b += 1
    if b == len(bounds) - 1:
        return bounds[-2]
    if b == 0 and bounds[0] <= 0:
        return bounds[0]
    start, count = 0.0, counts[b]
    if b > 0:
        start = bounds[b - 1]
        count -= counts[b - 1]
        rank -= counts[b - 1]
    return start + (bounds[b] - start) * (rank / count)


@settings(max_examples=100)
@given(buckets(), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_it_is_what_prometheus_gives(made: tuple[tuple[float, ...], tuple[float, ...]], q: float) -> None:
    """On any cumulative buckets the figure is that of histogram_quantile, None standing for NaN."""
    expected = reference(q, *made)
    found = quantile(q, *made)
    assert isnan(expected) if found is None else isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12)


@settings(max_examples=60)
@given(buckets())
def test_a_higher_share_is_never_a_lower_value(made: tuple[tuple[float, ...], tuple[float, ...]]) -> None:
    """p50 <= p90 <= p99."""
    p50, p90, p99 = (quantile(q, *made) for q in (0.5, 0.9, 0.99))
    assert p50 is None or p90 is None or p99 is None or p50 <= p90 + 1e-9 <= p99 + 2e-9


def test_nothing_observed_has_no_quantile() -> None:
    """Empty buckets give None, not 0."""
    assert quantile(0.5, (1.0, inf), (0.0, 0.0)) is None


def test_a_summary_has_no_quantile() -> None:
    """Sum and count alone say nothing of the distribution."""
    assert quantile(0.5, (inf,), (10.0,)) is None


def test_the_last_bucket_gives_its_lower_bound() -> None:
    """Beyond the last finite bound nothing is made up."""
    assert quantile(0.5, (1.0, 2.0, inf), (0.0, 0.0, 10.0)) == 2.0


def test_the_first_bucket_starts_at_zero() -> None:
    """Half of the first bucket is half of its bound."""
    assert quantile(0.5, (2.0, inf), (10.0, 10.0)) == 1.0


def test_a_first_bound_of_zero_or_less_is_the_value() -> None:
    """Below 0 there is no other end to interpolate to."""
    assert quantile(0.5, (-1.0, 5.0, inf), (10.0, 10.0, 10.0)) == -1.0


@pytest.mark.parametrize("counts", [(6.0, 5.0, 10.0), (6.0, 6.0, 10.0)])
def test_a_bucket_read_a_moment_too_late_does_not_fall(counts: tuple[float, ...]) -> None:
    """A torn read gives what the repaired buckets give."""
    assert quantile(0.6, (1.0, 2.0, inf), counts) == pytest.approx(1.0)


def test_a_mean_without_observations_is_none() -> None:
    """0 / 0 is not 0."""
    assert mean(0.0, 0.0) is None


def test_a_mean_is_sum_by_count() -> None:
    """Three observations of 6 in all are 2 each."""
    assert mean(6.0, 3.0) == 2.0
