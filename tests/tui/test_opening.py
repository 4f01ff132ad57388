"""Tests of what opens what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.tui.screens import Screen, play, troubled

if TYPE_CHECKING:
    from textual.pilot import Pilot


def test_a_key_of_the_footer_can_be_pressed_with_the_mouse() -> None:
    """The word `help` in the last row opens the help."""
    screen = Screen(troubled("first"))

    async def script(pilot: Pilot[None]) -> None:
        x = screen.rows[-1].index("? help")
        await pilot.click(offset=(x, len(screen.rows) - 1))
        await pilot.pause()
        await pilot.pause()
        assert "KEYS" in screen.text

    play(screen, script)


def test_the_palette_of_commands_offers_the_pages_and_themes() -> None:
    """Whoever forgot a key finds it there."""
    commands = Screen().app.get_system_commands(None)  # type: ignore[arg-type]  # the page does not matter
    titles = {command.title for command in commands}
    assert {"Layer: engine", "Help", "Quit", "Theme: high-contrast"} <= titles
