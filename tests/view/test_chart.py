"""Tests of charts: scale, gaps, labels, and that they keep to their size."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.view.canvas import plain_text, width
from perfconsole.view.chart import LABEL, chart, span_of, spark, stretches
from perfconsole.view.glyphs import ASCII, UNICODE, Glyphs


def test_a_spark_rises_from_nothing_to_the_highest_value() -> None:
    """One column a value, scaled from 0."""
    assert spark((0.0, 0.5, 1.0), UNICODE) == "▁▅█"


def test_what_was_not_known_is_a_gap() -> None:
    """None draws nothing, and so does a value that is no number or never comes."""
    assert spark((1.0, None, inf, nan, 1.0), UNICODE) == "█   █"


def test_nothing_but_zero_is_the_lowest_bar() -> None:
    """A known 0 differs from a gap."""
    assert spark((0.0, None, 0.0), UNICODE) == "▁ ▁"


def test_a_steady_value_is_not_drawn_as_zero() -> None:
    """The scale begins at 0, so that a level is seen."""
    assert spark((5.0, 5.0), UNICODE) == "██"


def test_bounds_may_be_given() -> None:
    """A ratio against its ceiling shows how much is left; what is outside is cut."""
    assert spark((0.5, 2.0, -1.0), UNICODE, low=0.0, high=1.0) == "▅█▁"


def test_values_below_zero_lower_the_scale() -> None:
    """The lowest one is the lowest bar."""
    assert spark((-1.0, 0.0, 1.0), ASCII) == "_=#"


@pytest.mark.parametrize(("columns", "expected"), [(9, None), (10, (60.0, 10)), (66, (10.0, 60)), (300, (5.0, 120))])
def test_ten_minutes_are_cut_as_finely_as_fits(columns: int, expected: tuple[float, int] | None) -> None:
    """Never finer than the slowest cadence, never coarser than a minute."""
    assert stretches(columns) == expected


def test_a_short_watch_is_cut_finer() -> None:
    """In steps that divide it, so that its start is a whole column."""
    assert (stretches(40, 120.0), stretches(40, 300.0)) == ((5.0, 24), (10.0, 30))
    assert [span_of(watched) for watched in (0.0, 120.0, 121.0, 301.0, 1e5)] == [120, 120, 300, 600, 600]


def test_a_chart_says_its_scale_and_its_time() -> None:
    """Highest and lowest value at the left, the time axis below."""
    values = tuple(place / 60 for place in range(1, 61))
    assert plain_text(chart(values, 71, 3, UNICODE, "ratio", 10.0)).splitlines() == [
        "      100% " + " " * 30 + "".join(_upper(v) for v in values[30:]),
        "        0% " + "".join(_lower(v) for v in values),
        "           -10 min" + " " * 50 + "now",
    ]


def _upper(value: float) -> str:
    eighths = round(value * 16) - 8
    return UNICODE.bars[eighths - 1] if eighths > 0 else " "


def _lower(value: float) -> str:
    return UNICODE.bars[max(1, min(round(value * 16), 8)) - 1]


def test_a_chart_never_bridges_a_gap() -> None:
    """A column that was not known is empty in every row."""
    rows = plain_text(chart((1.0, None, 1.0), 20, 4, UNICODE, "", 1.0)).splitlines()[:3]
    assert [row[LABEL + 1 :] for row in rows] == ["█ █"] * 3


def test_a_chart_without_history_has_no_scale() -> None:
    """Nothing known is not 0."""
    text = plain_text(chart((None,) * 30, 50, 4, UNICODE, "s", 20.0))
    assert "no history yet" in text
    assert "0 s" not in text


def test_a_chart_of_nothing_but_zero_says_it_once() -> None:
    """One label is enough where highest and lowest are equal."""
    assert plain_text(chart((0.0,) * 30, 50, 4, UNICODE, "ratio", 20.0)).count("0%") == 1


@pytest.mark.parametrize(("unit", "label"), [("tokens/s", "  1234/s "), ("bytes/s", "1.21 KiB/s ")])
def test_a_rate_leaves_its_bars_in_their_place(unit: str, label: str) -> None:
    """Every label ends where the bars begin, above the axis."""
    rows = plain_text(chart((1234.0,) * 30, 50, 4, UNICODE, unit, 20.0)).splitlines()
    assert rows[0] == f"{label:>11}" + "█" * 30


def test_part_of_a_request_is_no_peak() -> None:
    """A queue of one, seen for a moment, is a mean of 0.1."""
    text = plain_text(chart((0.0, 0.1), 20, 4, UNICODE, "requests", 20.0))
    assert text.splitlines()[0].split() == ["1"]
    assert "█" not in text


numbers = st.none() | st.floats(allow_nan=True, allow_infinity=True)


@given(st.lists(numbers, max_size=80), st.integers(0, 100), st.integers(1, 12), st.sampled_from((UNICODE, ASCII)))
def test_a_chart_keeps_to_its_size(values: list[float | None], columns: int, height: int, glyphs: Glyphs) -> None:
    """Exactly so many rows of exactly so many columns, whatever the values."""
    rows = chart(values, columns, height, glyphs, "°C", 5.0)
    assert [width(row) for row in rows] == [columns] * height
    assert glyphs is UNICODE or plain_text(rows).isascii()


@given(st.lists(numbers, max_size=80))
def test_a_spark_has_one_column_a_value(values: list[float | None]) -> None:
    """Huge and tiny values too."""
    assert len(spark(values, UNICODE)) == len(values)
