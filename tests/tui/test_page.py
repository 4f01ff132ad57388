"""Tests of pages as screens: a filter typed in place, every size, a resize."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.tui.grid import Grid
from perfconsole.tui.page import PageScreen
from tests.tui.screens import Screen, play, press, troubled

if TYPE_CHECKING:
    from textual.pilot import Pilot


def test_a_filter_is_typed_in_place() -> None:
    """Letters are text while it is typed, and commands no more."""
    page = press("slash", "s", "e", "c", "q", "backspace", first=troubled("first", "second")).shown
    assert "Title of second" in page
    assert "Title of first" not in page
    assert "sec_" in page


def test_escape_clears_a_filter_before_it_goes_back() -> None:
    """Both findings are there again."""
    page = press("slash", "s", "e", "c", "enter", "escape", first=troubled("first", "second")).shown
    assert "Title of first" in page


@pytest.mark.parametrize("size", [(80, 24), (60, 16), (250, 70), (20, 5), (1, 1)])
def test_every_size_is_drawn(size: tuple[int, int]) -> None:
    """On every page, without a fault, each row as wide as the screen."""
    for keys in ((), ("3",), ("enter",), ("question_mark",), ("u",)):
        rows = press(*keys, first=troubled("first"), size=size).shown.split("\n")
        assert len(rows) >= min(size[1], 3)
        assert all(len(row) <= size[0] for row in rows)


def test_a_resize_draws_again() -> None:
    """The page follows the terminal."""
    screen = Screen(troubled("first"))

    async def script(pilot: Pilot[None]) -> None:
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        await pilot.pause()
        assert len(screen.rows) == 24

    play(screen, script)


def test_a_page_that_was_left_is_drawn_no_more() -> None:
    """Something was still on its way to it."""
    screen = Screen(troubled("first"))

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("question_mark")
        await pilot.pause()
        page = screen.app.screen
        await pilot.press("escape")
        await pilot.pause()
        page.draw()  # type: ignore[attr-defined]  # of a page
        assert "FINDINGS" in screen.text

    play(screen, script)


def test_a_page_that_is_being_left_is_drawn_no_more() -> None:
    """It loses what is on it before itself."""
    screen = Screen(troubled("first"))

    async def script(_pilot: Pilot[None]) -> None:
        page = screen.app.screen
        assert isinstance(page, PageScreen)
        await page.query(Grid).remove()
        page.draw()

    play(screen, script)
