"""Distributions in the numbers that are shown."""

from __future__ import annotations

from itertools import accumulate
from math import inf
from statistics import quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.proberesult import Spread
from perfconsole.probing.spread import ranked, ranked_counts, spread_of, spread_of_counts, spread_of_growth

SAMPLES = st.lists(st.floats(0, 1000), min_size=1, max_size=150)
COUNTS = st.lists(st.tuples(st.integers(0, 10**9), st.integers(1, 50)), max_size=8, unique_by=lambda pair: pair[0])


def shown(spread: Spread) -> list[float]:
    """Its quantiles and its maximum, as far as they are told."""
    every = (spread.p50, spread.p90, spread.p95, spread.p99, spread.max)
    return [value for value in every if value is not None]


@given(SAMPLES)
def test_quantiles_rise_and_stay_among_the_samples(samples: list[float]) -> None:
    """min <= p50 <= p90 <= p95 <= p99 <= max, and the mean in between."""
    spread = spread_of(samples)
    told = shown(spread)
    assert told == sorted(told)
    assert min(samples) <= told[0]
    assert told[-1] == max(samples)
    assert spread.mean is not None
    assert min(samples) <= spread.mean <= max(samples)


@given(st.lists(st.floats(0, 1000), min_size=100, max_size=200))
def test_quantiles_are_those_of_the_standard_library(samples: list[float]) -> None:
    """On the line between the two nearest samples."""
    cuts = quantiles(samples, n=100, method="inclusive")
    spread = spread_of(samples)
    assert (spread.p50, spread.p90, spread.p95, spread.p99) == pytest.approx((cuts[49], cuts[89], cuts[94], cuts[98]))


@given(st.lists(COUNTS, max_size=4))
def test_counts_are_as_good_as_their_samples(parts: list[list[tuple[int, int]]]) -> None:
    """Distributions of many ticks laid together, in seconds."""
    samples = [micros / 1e6 for part in parts for micros, count in part for _ in range(count)]
    merged, plain = spread_of_counts([tuple(sorted(part)) for part in parts]), spread_of(samples)
    assert merged.n == plain.n
    assert shown(merged) == pytest.approx(shown(plain))
    assert merged.mean == pytest.approx(plain.mean)


@pytest.mark.parametrize(
    ("n", "p95", "p99"), [(19, False, False), (20, True, False), (99, True, False), (100, True, True)]
)
def test_a_tail_of_few_samples_is_withheld(n: int, p95: bool, p99: bool) -> None:  # noqa: FBT001 - a table
    """p95 below 20 samples, p99 below 100; the maximum never is."""
    spread = spread_of(range(n))
    assert (spread.p95 is not None, spread.p99 is not None) == (p95, p99)
    assert (spread.n, spread.max) == (n, n - 1)


def test_nothing_has_no_quantile() -> None:
    """Absence is no 0."""
    assert spread_of([]) == spread_of_counts([]) == spread_of_growth((), ()) == spread_of_growth((1.0, inf), (0, 0))
    assert spread_of([]) == Spread()


def test_share_above_a_limit() -> None:
    """Samples at the limit are not above it."""
    lag = ranked_counts([((100, 90),), ((100, 5), (4000, 5))])
    assert lag.above(0.0001) == pytest.approx(0.05)
    assert lag.above(0.004) == 0.0
    assert lag.above(0.0) == 1.0
    assert ranked([]).above(0.0) == 0.0


def test_growth_of_a_histogram_is_read_as_the_console_reads_it() -> None:
    """By lines inside its buckets; nobody knows its maximum."""
    spread = spread_of_growth((0.1, 0.2, inf), (50, 100, 100), 12.0)
    assert (spread.n, spread.mean, spread.p50, spread.max) == (100, 0.12, 0.1, None)
    assert (spread.p90, spread.p95, spread.p99) == pytest.approx((0.18, 0.19, 0.198))
    assert spread_of_growth((0.1, inf), (5, 10)).mean is None


@given(st.lists(st.integers(0, 100), min_size=4, max_size=4))
def test_quantiles_of_a_histogram_rise(each: list[int]) -> None:
    """Whatever is in its buckets."""
    told = shown(spread_of_growth((0.1, 0.5, 1.0, inf), list(accumulate(each)), 1.0))
    assert told == sorted(told)
