"""Tests of the page of what cannot be seen, as a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.finding import Undecided
from perfconsole.model.rule import Severity
from tests.diagnose.judging import rule
from tests.tui.screens import Screen, play, press
from tests.view.pictures import ENGINE, snapshot

if TYPE_CHECKING:
    from textual.pilot import Pilot


def test_what_cannot_be_seen_has_a_page() -> None:
    """Under its key, and as the last of the findings."""
    assert "CANNOT SEE" in press("u").shown


def test_a_rule_that_is_undecided_opens() -> None:
    """Its page says what else of it is known."""
    screen = Screen(snapshot(undecided=(Undecided("slow", "Slow", Severity.WARN, ENGINE, ()),)))
    screen.feed.rules = (rule("slow", title="Answers come late"),)

    async def script(pilot: Pilot[None]) -> None:
        for key in ("u", "down", "down", "enter"):
            await pilot.press(key)
            await pilot.pause()
            await pilot.pause()
        screen.shown = screen.text

    play(screen, script)
    assert "WHY NOT?  Answers come late" in screen.shown
