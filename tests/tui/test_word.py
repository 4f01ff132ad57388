"""Tests of the words in the header that tell a person what happened."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.tui.screens import Screen, play, troubled

if TYPE_CHECKING:
    from textual.pilot import Pilot


def test_a_monitor_that_failed_is_said_on_the_screen() -> None:
    """It does not just stand still."""
    screen = Screen(troubled("first"))

    async def script(pilot: Pilot[None]) -> None:
        screen.feed.fault = "fault in perfconsole, please report it: ZeroDivisionError"
        screen.feed.put(replace(troubled("first"), seq=2))
        await pilot.pause()
        await pilot.pause()
        assert "ZeroDivisionError" in screen.text

    play(screen, script)


def test_numbers_that_stand_still_are_said_to_be_old() -> None:
    """A monitor that hangs must not look alive."""
    screen = Screen(troubled("first"), now=lambda: 100.0 + 30.0)

    async def script(pilot: Pilot[None]) -> None:
        screen.app.word.check_news()
        await pilot.pause()
        assert "STOPPED no news for 30 s" in screen.text

    play(screen, script)


def test_news_take_the_remark_away() -> None:
    """It was late and not lost."""
    now = [130.0]
    screen = Screen(troubled("first"), now=lambda: now[0])

    async def script(pilot: Pilot[None]) -> None:
        screen.app.word.check_news()
        now[0] = 101.0
        screen.app.word.check_news()
        await pilot.pause()
        assert "STOPPED" not in screen.text

    play(screen, script)


def test_what_the_start_left_out_is_said_once() -> None:
    """With how many more there are."""
    screen = Screen(troubled("first"))
    screen.feed.remarks = ["own.yaml:3:1: unknown key", "other.yaml:1:1: empty"]

    async def script(pilot: Pilot[None]) -> None:
        screen.feed.put(troubled("first"))
        await pilot.pause()
        await pilot.pause()
        assert "own.yaml:3:1: unknown key (and 1 more)" in screen.text

    play(screen, script)
