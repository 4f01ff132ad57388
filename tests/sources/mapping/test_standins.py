"""Tests of rows that stand in for better metrics."""

from __future__ import annotations

from math import nan

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.adapter import Metric
from perfconsole.sources.exposition import RawSeries
from perfconsole.sources.mapping.mapper import PageMapper
from perfconsole.sources.mapping.standins import better, idle_rows
from tests.sources.mappings import adapter_with, pages

OWN = (("door", "own"),)
ROWS = (
    Metric("gateway.errors", "x:door", where=(("code", "5"),), unless=OWN, zero_with="x:door"),
    Metric("gateway.errors", "x:behind", unless=(("route", "/health"),), instead_of=("x:door", "x:gate")),
)
READ = {"x:door": [(0, "", ())], "x:behind": [(1, "", ())]}


@pytest.mark.parametrize(
    ("name", "labels", "counts"),
    [
        ("x:door", (("code", "2"),), True),
        ("x:door", (("code", "5"), ("door", "own")), False),
        ("x:door", (("code", "5"), ("route", "/health")), False),
        ("x:gate", (("door", "own"),), True),
        ("x:other", (), False),
    ],
)
def test_a_series_counts_where_no_row_leaves_it_out(
    name: str,
    labels: tuple[tuple[str, str], ...],
    counts: bool,  # noqa: FBT001
) -> None:
    """Neither its own rows nor the one that stands in; what only the former ask for does not matter."""
    assert better(ROWS, READ, [RawSeries(name, labels)]) == ((1, (0,) if counts else ()),)


def test_a_row_is_idle_while_a_better_one_has_a_number() -> None:
    """NaN is none."""
    assert [idle_rows(((1, (0, 2)),), [nan, 1.0, last]) for last in (nan, 3.0)] == [frozenset(), {1}]


def test_what_stood_in_before_leaves_the_better_one_its_zero() -> None:
    """An error behind the door is none of those that the door counts from its first request on."""
    texts = ("x:behind 3\n", 'x:behind 3\nx:door{code="2"} 1\n', 'x:behind 4\nx:door{code="5"} 1\n')
    found = pages(*texts, mapper=PageMapper(adapter_with(*ROWS), DEFAULT))
    assert [[s.value for s in page.samples] for page in found] == [[3.0], [0.0], [1.0]]
