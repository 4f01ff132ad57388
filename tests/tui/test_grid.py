"""Tests of the widget that shows rows."""

from __future__ import annotations

from textual.geometry import Region

from perfconsole.tui.grid import Grid
from perfconsole.view.canvas import Page, row


def page(*texts: str) -> Page:
    """A page of plain rows."""
    return Page(tuple(row(text) for text in texts))


def test_the_first_page_is_all_new() -> None:
    """Every row is to be drawn."""
    assert Grid("terminal").show(page("a", "b")) == [0, 1]


def test_only_rows_that_changed_are_to_be_drawn() -> None:
    """Equal rows cost nothing."""
    grid = Grid("terminal")
    grid.show(page("a", "b", "c"))
    assert grid.show(page("a", "x", "c")) == [1]


def test_rows_that_are_no_longer_there_are_to_be_drawn_too() -> None:
    """What stood there must go."""
    grid = Grid("terminal")
    grid.show(page("a", "b", "c"))
    assert grid.show(page("a")) == [1, 2]


def test_lines_are_made_of_the_rows_as_they_are_now() -> None:
    """Never from a cache: rows are also drawn past Textual."""
    grid = Grid("terminal")
    grid.show(page("first"))
    grid.render_lines(Region(0, 0, 0, 1))
    grid.show(page("other"))
    assert grid.rows[0][0].text == "other"
