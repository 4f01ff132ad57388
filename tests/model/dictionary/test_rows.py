"""Tests of the row: how a literal becomes an entry."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary.entry import Fold, Sort
from perfconsole.model.dictionary.rows import row_of, usual_fold
from perfconsole.model.entity import Kind


def test_origins_are_split_at_the_comma() -> None:
    """Several kinds of source stand in one literal."""
    entry = row_of("a.b", Sort.GAUGE, "s", "live, proc", "a time", scope=Kind.HOST, owner="us")
    assert entry.origins == ("live", "proc")


def test_a_given_fold_beats_the_usual_one() -> None:
    """A row may say how its parts fold."""
    entry = row_of("a.b", Sort.GAUGE, "s", "live", "a time", scope=Kind.HOST, owner="us", fold=Fold.MIN)
    assert entry.fold is Fold.MIN


@pytest.mark.parametrize(
    ("sort", "unit", "fold"),
    [
        (Sort.GAUGE, "requests", Fold.SUM),
        (Sort.GAUGE, "ratio", Fold.MEAN),
        (Sort.GAUGE, "s", Fold.MAX),
        (Sort.DERIVED, "tokens/s", Fold.SUM),
        (Sort.DERIVED, "ratio", Fold.MEAN),
        (Sort.STATE, "0/1", Fold.MAX),
        (Sort.FACT, "ratio", Fold.MAX),
        (Sort.FACT, "count", Fold.MAX),
        (Sort.COUNTER, "s", Fold.SUM),
        (Sort.HISTOGRAM, "s", Fold.SUM),
        (Sort.EVENT, "count", Fold.SUM),
    ],
)
def test_the_sort_then_the_unit_decide_the_usual_fold(sort: Sort, unit: str, fold: Fold) -> None:
    """Counts add up, ratios average, of times and facts the largest holds."""
    assert usual_fold(sort, unit) is fold
