"""Tests of rules with a title and of columns of rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.view.canvas import Span, plain_text, row, width
from perfconsole.view.glyphs import ASCII, UNICODE
from perfconsole.view.panel import beside, panel, rule

names = st.text("ab 中", max_size=30)


@given(names, names, st.integers(0, 80))
def test_a_rule_is_as_wide_as_asked(title: str, state: str, columns: int) -> None:
    """Whatever stands in it."""
    assert width(rule(row(title), row(state), columns, UNICODE)) == columns


def test_a_rule_has_its_title_at_the_left_and_its_state_at_the_right() -> None:
    """In the characters of the terminal."""
    assert plain_text([rule(row("ENGINE"), row("ok"), 24, ASCII)]) == "- ENGINE ---------- ok -"
    assert plain_text([rule(row("ENGINE"), (), 12, ASCII)]) == "- ENGINE ---"


def test_the_state_is_seen_when_the_title_is_cut() -> None:
    """It gives way last."""
    assert plain_text([rule(row("ORCHESTRATION"), row("warning"), 20, UNICODE)]).endswith(" warning ─")


def test_a_panel_is_its_rule_and_its_rows() -> None:
    """All of one width."""
    rows = panel(row("X"), (), [row("abc"), row("abcdefghijkl")], 8, ASCII)
    assert plain_text(rows) == "- X ----\nabc\nabcdef.."


@pytest.mark.parametrize(("left", "right"), [(1, 3), (3, 1), (0, 2)])
def test_columns_are_as_high_as_the_higher_one(left: int, right: int) -> None:
    """The other is filled with blanks."""
    rows = beside([row("a")] * left, [row("b")] * right, (4, 5), Span("|"))
    assert [width(r) for r in rows] == [10] * max(left, right)
