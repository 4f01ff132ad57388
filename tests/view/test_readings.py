"""Tests of labelled values in a row."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import Indicator
from perfconsole.view.canvas import Row, plain_text, row, width
from perfconsole.view.picture import Picture
from perfconsole.view.readings import joined, packed, reading, readings
from perfconsole.view.units import shown
from tests.view.pictures import ENGINE, indicator, snapshot

TTFT = (("TTFT p50", "engine.ttft.p50"), ("p95", "engine.ttft.p95"))


def _text(*values: Indicator) -> str:
    return plain_text([readings(Picture(snapshot(indicators=values), DEFAULT), ENGINE, TTFT)])


@given(st.floats(allow_nan=False), st.sampled_from(["s", "ratio", "bytes", "requests", "Hz"]))
def test_a_number_is_shown_as_everywhere_else(value: float, unit: str) -> None:
    """In the words of its unit."""
    spans = reading("x", Indicator("engine.x", ENGINE, value, unit))
    assert spans[1].text == shown(value, unit)


@pytest.mark.parametrize("reason", Missing)
def test_a_missing_value_shows_its_reason(reason: Missing) -> None:
    """Dim, and never as 0."""
    label, value = reading("KV", indicator("engine.kv_cache_usage", reason))
    assert (label.text, value.text, value.style) == ("KV ", shown(reason, ""), "dim")


@pytest.mark.parametrize(("mark", "sign"), [("warn", "52% !"), ("critical", "52% !!")])
def test_a_mark_is_a_sign_and_a_colour(mark: str, sign: str) -> None:
    """Never colour alone."""
    value = reading("KV", Indicator("engine.kv_cache_usage", ENGINE, 0.52, "ratio", mark=mark))[1]
    assert (value.text, value.style) == (sign, mark)


def test_readings_stand_side_by_side() -> None:
    """With two blanks between them."""
    known = (indicator("engine.ttft.p50", 1.2), indicator("engine.ttft.p95", 2.5))
    assert _text(*known) == "TTFT p50 1.2 s  p95 2.5 s"


def test_what_no_source_speaks_of_is_left_out() -> None:
    """It has no reason to show."""
    assert _text(indicator("engine.ttft.p95", 2.5)) == "p95 2.5 s"
    assert _text() == ""


def test_one_reason_stands_for_several() -> None:
    """Said once, behind the name they share."""
    missing = (indicator("engine.ttft.p50", Missing.WARMING_UP), indicator("engine.ttft.p95", Missing.WARMING_UP))
    assert _text(*missing) == "TTFT warming up"


def test_different_reasons_are_told_apart() -> None:
    """Each behind its own label."""
    missing = (indicator("engine.ttft.p50", Missing.WARMING_UP), indicator("engine.ttft.p95", Missing.STALE))
    assert _text(*missing) == "TTFT p50 warming up  p95 stale"


def test_empty_rows_leave_no_gap() -> None:
    """Between those that have something."""
    assert plain_text([joined([row("a"), (), row("b")])]) == "a  b"


def test_what_does_not_fit_is_left_out_whole() -> None:
    """A shorter one behind it may still fit."""
    assert plain_text([packed([row("abc"), row("defghij"), row("k")], 6)]) == "abc  k"


pieces = st.lists(st.text("ab中", max_size=12).map(row), max_size=8)


@given(pieces, st.integers(0, 40))
def test_packed_rows_keep_to_the_columns(rows: list[Row], columns: int) -> None:
    """However many there are."""
    assert width(packed(rows, columns)) <= columns
