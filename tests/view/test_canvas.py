"""Tests of rows of styled text: widths, cuts and where a cursor stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.view.canvas import (
    Cursor,
    Row,
    Span,
    cells,
    clip,
    ends,
    fit,
    plain_text,
    restyle,
    row,
    width,
    window,
    wrap,
)

texts = st.text(st.sampled_from("ab 中é́😀…-"), max_size=40)
rows = st.lists(st.builds(Span, texts, st.sampled_from(["", "dim"])), max_size=6)
marks = st.sampled_from(["…", ".."])


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("中文", 4), ("é", 1), ("😀", 2), ("", 0)])
def test_cells_are_columns_of_a_terminal(text: str, columns: int) -> None:
    """Wide characters take two, combining ones none."""
    assert cells(text) == columns


@given(rows, st.integers(0, 60), marks)
def test_a_fitted_row_has_exactly_its_columns(spans: list[Span], columns: int, mark: str) -> None:
    """Cut or padded, whatever is in it."""
    assert width(fit(spans, columns, mark)) == columns


@given(texts, st.integers(0, 40), marks)
def test_a_clipped_text_is_never_wider(text: str, columns: int, mark: str) -> None:
    """The mark counts."""
    assert cells(clip(text, columns, mark)) <= columns


def test_a_cut_leaves_a_mark() -> None:
    """Also when the next span begins exactly at the edge."""
    assert clip("abcdef", 4) == "abc…"
    assert plain_text([fit(row("abcd", "ef"), 4)]) == "abc…"


def test_a_text_that_fits_has_no_mark() -> None:
    """To the last column."""
    assert clip("abcd", 4) == "abcd"
    assert plain_text([fit(row("ab", "cd"), 4)]) == "abcd"


@given(rows, rows, st.integers(1, 60))
def test_ends_fill_the_row(left: list[Span], right: list[Span], columns: int) -> None:
    """Whatever stands at both ends."""
    assert width(ends(left, right, columns)) == columns


def test_the_left_end_gives_way() -> None:
    """What stands at the right is seen whole."""
    assert plain_text([ends(row("abcdef"), row("xyz"), 6)]) == "ab…xyz"


@given(texts, st.integers(2, 30))
def test_wrapped_lines_keep_to_the_columns(text: str, columns: int) -> None:
    """Also words that are longer than a line."""
    assert all(cells(line) <= columns for line in wrap(text, columns))


@given(texts, st.integers(2, 30))
def test_wrapping_loses_nothing_but_blanks(text: str, columns: int) -> None:
    """Every character stands in some line."""
    assert "".join(wrap(text, columns)).replace(" ", "") == text.replace(" ", "")


def test_text_from_outside_is_made_harmless() -> None:
    """An escape code is shown, never obeyed."""
    assert row(("\x1b[2J", "dim")) == (Span("\\x1b[2J", "dim"),)


def test_empty_parts_leave_no_span() -> None:
    """A row of nothing is empty."""
    assert row("", "a") == (Span("a"),)


def test_restyling_keeps_the_style_below() -> None:
    """Joined by a plus, as themes read it."""
    before: Row = (Span("a"), Span("b", "dim"))
    assert restyle(before, "select") == (Span("a", "select"), Span("b", "dim+select"))


@given(st.integers(0, 50), st.integers(1, 50), st.integers(1, 30))
def test_the_window_shows_the_place(place: int, count: int, height: int) -> None:
    """And begins at an item."""
    place = min(place, count - 1)
    first = window(place, count, height)
    assert first <= place < first + height
    assert 0 <= first < count


def test_the_cursor_follows_what_it_stands_on() -> None:
    """When the order changes under it."""
    cursor = Cursor(("layer", "engine"), 0)
    assert cursor.place([("layer", "gateway"), ("layer", "engine")]) == 1


@pytest.mark.parametrize(("index", "place"), [(-4, 0), (1, 1), (9, 1)])
def test_the_cursor_stays_near_when_its_thing_is_gone(index: int, place: int) -> None:
    """At its last place, inside the list."""
    assert Cursor(("gone",), index).place([("a",), ("b",)]) == place


def test_the_cursor_of_an_empty_page_stands_at_0() -> None:
    """There is nothing to stand on."""
    assert Cursor(("gone",), 3).place([]) == 0
