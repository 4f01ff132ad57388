"""Tests of the filters of a row, on labels as they come."""

from __future__ import annotations

import pytest

from perfconsole.sources.adapter import Metric, Operand
from perfconsole.sources.mapping.labelmatch import check, matches


@pytest.mark.parametrize(
    ("where", "unless", "fits"),
    [
        ((), (), True),
        ((("code", "500"),), (), True),
        ((("code", "~5.."),), (), True),
        ((("code", "~5."),), (), False),
        ((("code", "500"), ("host", "a")), (), False),
        ((), (("code", "~5.."),), False),
        ((), (("host", "~.*"),), True),
        ((("code", "500"),), (("code", "502"),), True),
    ],
)
def test_a_series_has_all_of_one_list_and_none_of_the_other(
    where: tuple[tuple[str, str], ...],
    unless: tuple[tuple[str, str], ...],
    fits: bool,  # noqa: FBT001
) -> None:
    """Plain values are equal as a whole, expressions match as a whole, and a missing label fits nothing."""
    assert matches(where, unless, {"code": "500"}) is fits


@pytest.mark.parametrize(
    "row", [Metric("x", "y", where=(("a", "~["),)), Metric("x", "y", over=Operand("z", (("a", "~["),)))]
)
def test_an_expression_that_is_none_is_refused(row: Metric) -> None:
    """In the row as in its operands, before the first page."""
    with pytest.raises(ValueError, match=r"y: label a: ~\[ is no regular expression"):
        check(row)
