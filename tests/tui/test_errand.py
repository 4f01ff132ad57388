"""Tests of running a check from its page: only when told so once more, and never past the page."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.actions.run import living
from perfconsole.tui.errand import ErrandPage
from tests.tui.screens import CHECK, Screen, play
from tests.view.pictures import finding, indicator, snapshot, source

if TYPE_CHECKING:
    from textual.pilot import Pilot

ECHO = (sys.executable, "-c", "print('hello from here')")
SLEEP = (sys.executable, "-c", "import time; time.sleep(60)")


def _screen(runs: tuple[str, ...] | None, refused: str = "") -> Screen:
    check = replace(CHECK, runs=runs, refused=refused)
    values = (indicator("engine.up", 1.0),)
    return Screen(snapshot(findings=(finding("first", checks=(check,)),), indicators=values, sources=(source(),)))


def _opened(screen: Screen, *keys: str) -> Screen:
    """The main page, the finding, its first check, then these keys; a command has time to end."""

    async def script(pilot: Pilot[None]) -> None:
        for key in ("enter", "enter", *keys):
            await pilot.press(key)
            await pilot.pause()
            await pilot.pause()
        page = screen.app.screen
        for _ in range(100):
            if not isinstance(page, ErrandPage) or page.errand is None or page.errand.ended:
                break
            await pilot.pause(0.1)
        screen.shown = screen.text

    play(screen, script)
    return screen


def test_enter_copies_and_shows_the_command_and_runs_nothing() -> None:
    """The whole of it, where the header has room for its beginning alone."""
    screen = _opened(_screen(ECHO))
    assert "RUN IT HERE?" in screen.shown
    assert "sent to the clipboard of your terminal: ps -p 4312" in screen.shown
    assert living() == ()


def test_y_runs_it_and_shows_its_output() -> None:
    """With the exit code."""
    page = _opened(_screen(ECHO), "y").shown
    assert "hello from here" in page
    assert "ENDED: exit code 0" in page


def test_a_command_that_is_refused_is_not_run_by_y() -> None:
    """It stays a command to paste."""
    page = _opened(_screen(None, "kill acts"), "y").shown
    assert "Not run from here: kill acts" in page


def test_going_back_ends_it() -> None:
    """With its group."""
    screen = _opened(_screen(SLEEP), "y", "escape")
    assert "WHAT TO DO NOW" in screen.shown
    assert [child.wait(5.0) for child in living()] in ([], [True])


def test_a_tool_that_is_missing_is_one_line() -> None:
    """And the page stays."""
    assert "no-such-tool is not installed here" in _opened(_screen(("no-such-tool",)), "y").shown
