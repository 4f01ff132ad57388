"""Histograms count as Prometheus does."""

from __future__ import annotations

from perfconsole.demo.model.histogram import Histogram


def test_a_value_on_a_bound_belongs_to_its_bucket() -> None:
    """`le` means less or equal."""
    histogram = Histogram((1.0, 2.0))
    for value in (0.5, 1.0, 1.5, 9.0):
        histogram.observe(value)
    assert histogram.cumulative() == [2, 3, 4]


def test_one_value_may_be_seen_several_times() -> None:
    """Count and sum follow."""
    histogram = Histogram((1.0,))
    histogram.observe(0.5, 4)
    assert (histogram.count, histogram.total, histogram.cumulative()) == (4, 2.0, [4, 4])
