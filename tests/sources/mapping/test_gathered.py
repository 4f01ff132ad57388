"""Tests of what the series of one part come to: operands, means, and no value without all that it needs."""

from __future__ import annotations

from math import inf, nan

import pytest

from perfconsole.model.sample import Histogram
from perfconsole.sources.adapter import Metric, Operand
from perfconsole.sources.mapping.gathered import BUCKET, COUNT, OVER, SUM, TIMES, Aim, Gathered, Place

PLACE = Place(0, "", "", "")
PRODUCT = Metric("engine.kv_cache_capacity", "blocks", times=Operand("tokens"))
RATIO = Metric("engine.kv_cache_usage", "used", over=Operand("all"))


def gathered(*cells: tuple[str, float], bound: float = inf) -> Gathered:
    """Values that went to these cells, in this order."""
    found = Gathered()
    for cell, value in cells:
        found.add(Aim(PLACE, cell, bound), value)
    return found


def test_series_of_one_part_add_up() -> None:
    """Two series of one row are one number."""
    assert gathered(("", 2.0), ("", 3.0)).number(Metric("engine.requests_running", "n")) == 5.0


@pytest.mark.parametrize(
    ("row", "cells", "expected"),
    [
        (PRODUCT, (("", 100.0), (TIMES, 16.0)), 1600.0),
        (PRODUCT, (("", 100.0),), None),
        (PRODUCT, ((TIMES, 16.0),), None),
        (RATIO, (("", 3.0), (OVER, 4.0)), 0.75),
        (RATIO, (("", 3.0), (OVER, 0.0)), None),
        (RATIO, (("", 3.0),), None),
        (RATIO, (("", 1.0), ("", 2.0), (OVER, 2.0), (OVER, 2.0)), 0.75),
        (RATIO, (("", nan), (OVER, 4.0)), None),
        (Metric("x", "y", scale=-1.0, offset=1.0, over=Operand("all")), (("", 1.0), (OVER, 4.0)), 0.75),
        (Metric("x", "y"), (("", -1.0),), None),
        (Metric("x", "y", ceiling=1.0), (("", 2.0),), 1.0),
        (Metric("x", "y", most=1.0), (("", 1.0),), 1.0),
        (Metric("x", "y", most=1.0), (("", 2.0),), None),
    ],
)
def test_a_number_needs_all_that_its_row_names(
    row: Metric, cells: tuple[tuple[str, float], ...], expected: float | None
) -> None:
    """Sums first, then the operands, then the unit; absent where one of them is, and never a guess."""
    assert gathered(*cells).number(row) == expected


def test_a_sum_and_a_count_make_a_mean() -> None:
    """Without buckets there is one bound, so that nobody reads a quantile from it."""
    assert gathered((SUM, 5e6), (COUNT, 2.0)).histogram(1e-6) == Histogram((inf,), (2.0,), 5.0)


@pytest.mark.parametrize("cells", [((SUM, 5.0),), ((COUNT, 2.0),), ((SUM, nan), (COUNT, 2.0)), ()])
def test_half_a_histogram_is_none(cells: tuple[tuple[str, float], ...]) -> None:
    """A mean needs both, as numbers."""
    assert gathered(*cells).histogram(1.0) is None


def test_a_histogram_that_does_not_reach_infinity_is_none() -> None:
    """Its count would not be that of all observations."""
    assert gathered((BUCKET, 1.0), (SUM, 1.0), (COUNT, 1.0), bound=0.5).histogram(1.0) is None


@pytest.mark.parametrize(
    ("cells", "given"), [((("", 1.0),), True), ((("", nan),), False), (((OVER, 1.0),), False), (((COUNT, 1.0),), False)]
)
def test_a_row_is_there_by_its_own_series(cells: tuple[tuple[str, float], ...], given: bool) -> None:  # noqa: FBT001
    """Operands alone, which other rows may use too, do not make it."""
    assert gathered(*cells).given is given
