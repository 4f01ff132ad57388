"""Tests of the page of a finding as a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.finding import FindingCheck
from tests.tui.screens import Screen, play, press, troubled
from tests.view.pictures import finding, snapshot

if TYPE_CHECKING:
    from textual.pilot import Pilot


def test_enter_opens_the_finding_under_the_cursor() -> None:
    """The second one after one step down."""
    page = press("down", "enter", first=troubled("first", "second")).shown
    assert "Title of second" in page
    assert "Title of first" not in page


def test_a_finding_that_went_away_while_its_page_is_open_says_so() -> None:
    """The page does not go blank under the reader."""
    screen = Screen(troubled("first"))

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        screen.feed.put(snapshot())
        await pilot.pause()
        await pilot.pause()
        assert "no longer true" in screen.text

    play(screen, script)


def test_enter_on_a_finding_page_copies_the_first_check() -> None:
    """The header says what was copied."""
    assert "terminal: ps -p 4312" in press("enter", "enter", first=troubled("first")).shown


def test_a_probe_of_ours_opens_its_question_and_another_one_is_copied() -> None:
    """What runs in a shell only is the person's to run."""
    for argv, title in ((("perfconsole", "probe", "URL"), "PROBE"), (("guidellm", "benchmark"), "terminal: guidellm")):
        check = FindingCheck("probe", " ".join(argv), argv, "x", "y", None)
        page = press("enter", "enter", first=snapshot(findings=(finding("first", checks=(check,)),))).shown
        assert title in page
