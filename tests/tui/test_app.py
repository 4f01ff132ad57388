"""Tests of the application: pause, pace, themes and the keys that leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.tui.app import PACES_S
from perfconsole.tui.opening import restyle
from perfconsole.tui.themes import THEMES
from tests.tui.screens import Screen, play, press, troubled

if TYPE_CHECKING:
    from textual.pilot import Pilot


def test_a_paused_screen_stands_still_and_says_so() -> None:
    """What comes meanwhile is shown when it goes on."""
    screen = Screen(troubled("first"))

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("space")
        screen.feed.put(troubled("second"))
        await pilot.pause()
        await pilot.pause()
        assert "PAUSED" in screen.text
        assert "Title of first" in screen.text
        await pilot.press("space")
        await pilot.pause()
        assert "Title of second" in screen.text

    play(screen, script)


def test_plus_and_minus_set_the_pace() -> None:
    """Within the paces that there are."""
    screen = press("plus", "plus", "minus", *["plus"] * 5)
    assert screen.feed.monitor.paces[:3] == [PACES_S[1], PACES_S[2], PACES_S[1]]
    assert screen.feed.monitor.paces[-1] == PACES_S[-1]


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_these_keys_leave(key: str) -> None:
    """From the main page and from any other."""
    assert press(key).left
    assert press("3", key).left
    assert press("question_mark", key).left


@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_changes_no_text(theme: str) -> None:
    """Colours carry nothing that words do not."""
    screen = Screen(troubled("first"))

    async def script(pilot: Pilot[None]) -> None:
        before = screen.text
        restyle(screen.app, theme)
        await pilot.pause()
        assert screen.text == before

    play(screen, script)
