"""Tests of the help as a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.view.glyphs import ASCII
from tests.tui.screens import Screen, play, press, troubled

if TYPE_CHECKING:
    from textual.pilot import Pilot


def test_help_opens_once_and_escape_closes_it() -> None:
    """Asking twice does not need leaving twice."""
    assert "KEYS" in press("question_mark").shown
    assert "FINDINGS" in press("question_mark", "question_mark", "escape").shown


def test_the_help_is_plain_ascii_where_the_terminal_is() -> None:
    """Every word of it."""
    screen = Screen(troubled("first"), glyphs=ASCII)

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("question_mark")
        await pilot.pause()
        await pilot.pause()
        assert screen.text.isascii()

    play(screen, script)
