"""Tests of marks: the machine form, its errors, and holding a value against it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.dictionary.marks import SUFFIXES, Mark, parse_mark

SCALES = {
    "": ("requests", 1.0),
    "%": ("ratio", 0.01),
    "ms": ("s", 0.001),
    "s": ("s", 1.0),
    "m": ("s", 60.0),
    "h": ("s", 3600.0),
    "KiB": ("bytes", 2.0**10),
    "MiB": ("bytes", 2.0**20),
    "GiB": ("bytes", 2.0**30),
    "k": ("tokens", 1000.0),
}
OPERATORS = ("<", "<=", ">", ">=", "==", "!=")


@pytest.mark.parametrize(
    ("text", "unit", "mark"),
    [
        ("> 1s", "s", Mark("", ">", 1.0)),
        ("p95 > 100ms", "s", Mark("p95", ">", 0.1)),
        ("mean>1MiB", "bytes", Mark("mean", ">", 1048576.0)),
        ("> 10MiB", "bytes/s", Mark("", ">", 10485760.0)),
        (">= 90%", "cores", Mark("", ">=", 0.9)),
        ("< 24h", "s", Mark("", "<", 86400.0)),
        ("== 0", "0/1", Mark("", "==", 0.0)),
        ("> 3k", "bytes/s", Mark("", ">", 3000.0)),
        ("  <=  5  ", "°C", Mark("", "<=", 5.0)),
    ],
)
def test_marks_read_in_base_units(text: str, unit: str, mark: Mark) -> None:
    """The bound is converted to the base unit of the indicator."""
    assert parse_mark(text, unit) == mark


@pytest.mark.parametrize("percent", range(101))
def test_whole_percents_are_exact(percent: int) -> None:
    """A percent is the double nearest to it, so that a value written 0.07 equals a mark of 7%."""
    assert parse_mark(f"== {percent}%", "ratio").bound == float(f"{percent / 100:.2f}")


@pytest.mark.parametrize(
    ("text", "unit", "wrong"),
    [
        ("", "s", "no comparison"),
        ("1s", "s", "no comparison"),
        ("= 1s", "s", "no comparison"),
        ("p42 > 1s", "s", "'p42' before the comparison"),
        ("> ", "s", "'' is not a number"),
        ("> fast", "s", "'fast' is not a number"),
        ("> -1", "°C", "'-1' is not a number"),
        ("> 1e3", "s", "'1e3' is not a number"),
        ("> 1_000", "requests", "'1_000' is not a number"),
        ("> 1.", "s", "'1.' is not a number"),
        ("> nan", "s", "'nan' is not a number"),
        ("> 1 s", "s", "'1 s' is not a number"),
        ("> 1d", "s", "unknown unit 'd'"),
        ("> 1MB", "bytes", "unknown unit 'MB'"),
        ("> 5%", "s", "'%' does not fit an indicator in s"),
        ("> 5ms", "ratio", "'ms' does not fit an indicator in ratio"),
        ("> 5GiB", "tokens", "'GiB' does not fit an indicator in tokens"),
        ("> 1k", "0/1", "'k' does not fit an indicator in 0/1"),
    ],
)
def test_what_is_wrong_with_a_mark_is_said(text: str, unit: str, wrong: str) -> None:
    """The error holds the mark as written and the part that is wrong."""
    with pytest.raises(ValueError, match=r"^mark '") as caught:
        parse_mark(text, unit)
    assert wrong in str(caught.value)
    assert repr(text) in str(caught.value)


@given(
    suffix=st.sampled_from(("", *SUFFIXES)),
    sign=st.sampled_from(OPERATORS),
    number=st.decimals(min_value=0, max_value=10**6, places=3),
    scale=st.sampled_from(sorted(SCALES)),
    gap=st.sampled_from(("", " ", "  ")),
)
def test_every_well_formed_mark_reads(suffix: str, sign: str, number: object, scale: str, gap: str) -> None:
    """Any suffix, comparison, number and fitting unit come back as written, the number in the base unit."""
    unit, factor = SCALES[scale]
    mark = parse_mark(f"{suffix}{gap}{sign}{gap}{number}{scale}", unit)
    assert (mark.suffix, mark.operator) == (suffix, sign)
    assert math.isclose(mark.bound, float(str(number)) * factor, rel_tol=1e-12)


@given(text=st.text(alphabet="p59mean<>=!0123.%skMiBhG ", max_size=16) | st.text(max_size=16))
def test_any_text_reads_or_is_refused(text: str) -> None:
    """Text of any kind gives a mark with a finite bound or a ValueError, nothing else."""
    try:
        mark = parse_mark(text, "s")
    except ValueError:
        return
    assert math.isfinite(mark.bound)


@pytest.mark.parametrize(
    ("sign", "holding"),
    [("<", [1]), ("<=", [1, 2]), (">", [3]), (">=", [2, 3]), ("==", [2]), ("!=", [1, 3])],
)
def test_a_mark_holds_where_its_comparison_does(sign: str, holding: list[int]) -> None:
    """Below, at and above the bound, each comparison means what it says."""
    mark = Mark("", sign, 2.0)
    assert [value for value in (1, 2, 3) if mark.holds(value)] == holding


@given(value=st.floats(allow_nan=False), bound=st.floats(allow_nan=False))
def test_opposite_marks_never_agree(value: float, bound: float) -> None:
    """A value passes exactly one of a comparison and its opposite."""
    for one, other in (("<", ">="), (">", "<="), ("==", "!=")):
        assert Mark("", one, bound).holds(value) != Mark("", other, bound).holds(value)
