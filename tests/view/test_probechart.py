"""Tests of curves in the characters of a terminal."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.view.canvas import Row, plain_text, width
from perfconsole.view.glyphs import ASCII, UNICODE, Glyphs
from perfconsole.view.probechart import curve_chart
from perfconsole.view.probecurves import Axis, Curve, growing_curves, result_curves
from tests.view.flames import NAMES, harmless
from tests.view.probes import CLIENT_BOUND, KNEE, QUEUED, result, running

CURVES = result_curves(QUEUED, KNEE)
VALUES = st.none() | st.floats(0.0, 1e9)


def lines(rows: list[Row]) -> list[str]:
    """Rows as text."""
    return plain_text(rows).split("\n")


@st.composite
def charts(draw: st.DrawFn) -> tuple[Curve, Axis]:
    """Curves of any values over any axis."""
    count = draw(st.integers(0, 12))
    places = tuple(sorted(draw(st.lists(st.floats(0.0, 1.0), min_size=count, max_size=count))))
    names = tuple(draw(st.lists(NAMES, min_size=count, max_size=count)))
    among = st.none() | st.integers(0, count - 1) if count else st.none()
    void = frozenset(draw(st.sets(st.integers(0, count - 1)))) if count else frozenset[int]()
    series = [tuple(draw(st.lists(VALUES, min_size=count, max_size=count))) for _ in range(draw(st.integers(1, 2)))]
    curve = Curve("TTFT", "s", ("p50", "p95")[: len(series)], tuple(series), draw(st.booleans()))
    return curve, Axis(names, places, draw(among), void, draw(among))


@settings(max_examples=60)
@given(charts(), st.integers(1, 120), st.integers(1, 20), st.sampled_from((UNICODE, ASCII)))
def test_a_chart_is_exactly_as_large_as_its_place(
    made: tuple[Curve, Axis], columns: int, height: int, glyphs: Glyphs
) -> None:
    """Whatever stands in it."""
    rows = curve_chart(*made, columns, height, glyphs)
    assert len(rows) == height
    assert {width(line) for line in rows} == {columns}
    assert harmless(rows)
    assert glyphs is UNICODE or plain_text(rows).isascii()


def test_bars_are_as_high_as_their_values() -> None:
    """From 0 to the highest, which stands at the left."""
    rows = lines(curve_chart(CURVES.throughput, CURVES.axis, 40, 10, UNICODE))
    assert rows[1].startswith("  2992/s")
    assert rows[8].startswith("     0/s")
    drawn = [[bar for bar in row[9:].split() if bar.startswith("█")] for row in rows[1:9]]
    assert [len(bars) for bars in drawn] == [3, 3, 3, 3, 4, 4, 5, 6]


def test_the_knee_stands_in_brackets() -> None:
    """In the heading and below its bar; what is not valid in parentheses."""
    rows = lines(curve_chart(CURVES.throughput, CURVES.axis, 60, 10, UNICODE))
    assert "knee [16]" in rows[0]
    assert "[16]" in rows[-1]
    spoiled = result_curves(CLIENT_BOUND.steps, CLIENT_BOUND.knee)
    assert lines(curve_chart(spoiled.throughput, spoiled.axis, 60, 10, UNICODE))[-1].split()[-2:] == ["(16)", "(32)"]


def test_a_heading_too_long_for_the_knee_goes_without() -> None:
    """Cut in its middle it would read as something else."""
    (head, *_) = lines(curve_chart(CURVES.ttft, CURVES.axis, 30, 8, UNICODE))
    assert head.strip() == "TTFT p50 | p95 | p99 (log)"


def test_two_lines_are_two_bars_at_each_load() -> None:
    """The first on the left; one that is withheld leaves its place empty."""
    curves = growing_curves(running(now=None))
    foot = lines(curve_chart(curves.ttft, curves.axis, 60, 8, ASCII))[6][9:]
    assert [len(bar) for bar in foot.split()] == [2, 2, 2, 4, 4]


def test_the_step_under_way_is_dim_and_open() -> None:
    """It is not over."""
    curves = growing_curves(running())
    rows = curve_chart(curves.throughput, curves.axis, 60, 8, UNICODE)
    assert "32…" in plain_text(rows)
    assert [span.style for span in rows[2] if "█" in span.text] == ["spark", "dim"]


def test_many_loads_on_little_room_show_the_last_ones() -> None:
    """Behind the knee is where one looks."""
    steps = tuple(result(i, 2.0**i, 10.0 * i) for i in range(11))
    curves = result_curves(steps, None)
    names = lines(curve_chart(curves.ttft, curves.axis, 24, 8, UNICODE))[-1].split()
    assert names[-1] == "1024"
    assert "1" not in names


def test_names_of_loads_never_touch() -> None:
    """`12864` is no load."""
    steps = tuple(result(i, 2.0**i, 10.0 * i) for i in range(11))
    curves = result_curves(steps, None)
    for columns in range(20, 80):
        names = lines(curve_chart(curves.throughput, curves.axis, columns, 8, UNICODE))[-1].split()
        assert set(names) <= {str(2**i) for i in range(11)}


def test_without_a_value_it_says_so() -> None:
    """An empty chart would read as zero."""
    curves = growing_curves(running(steps=(), now=None))
    assert "no value" in plain_text(curve_chart(curves.ttft, curves.axis, 40, 8, UNICODE))


def test_on_a_logarithmic_axis_the_lowest_value_still_has_a_bar() -> None:
    """The axis begins below it."""
    rows = lines(curve_chart(CURVES.ttft, CURVES.axis, 60, 10, ASCII))
    assert rows[8].split()[:2] == ["32.5", "ms"]
    assert rows[8][9] in ASCII.bars
