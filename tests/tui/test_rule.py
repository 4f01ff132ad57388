"""Tests of the page of a rule as a screen: found by a filter, asked about while it is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.diagnose.judging import rule
from tests.tui.screens import Screen, play, troubled

if TYPE_CHECKING:
    from textual.pilot import Pilot

SLOW = rule("slow", "engine.kv_cache_usage > 80%", title="Answers come late")


def _pressed(*keys: str) -> Screen:
    screen = Screen(troubled("first"))
    screen.feed.rules = (SLOW,)

    async def script(pilot: Pilot[None]) -> None:
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
            await pilot.pause()
        screen.shown = screen.text

    play(screen, script)
    return screen


def test_a_filter_finds_a_rule_that_is_silent() -> None:
    """Its row stands under the findings."""
    assert "silent: Answers come late  [slow]" in _pressed("slash", *"late", "enter").shown


def test_enter_opens_it_and_asks() -> None:
    """The session answers from its next tick on."""
    screen = _pressed("slash", *"late", "enter", "enter")
    assert "WHY NOT?  Answers come late" in screen.shown
    assert screen.feed.monitor.asked[0] == "slow"


def test_going_back_asks_no_more() -> None:
    """Explaining costs a little at every tick."""
    screen = _pressed("slash", *"late", "enter", "enter", "escape")
    assert screen.feed.monitor.asked == ["slow", None]
