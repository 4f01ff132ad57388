"""Tests of the cursor: it follows what it stands on, by keys and by mouse."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from tests.tui.screens import Screen, chosen, play, troubled
from tests.view.pictures import ENGINE

if TYPE_CHECKING:
    from textual.pilot import Pilot


def test_the_cursor_stays_on_its_finding_when_the_order_changes() -> None:
    """A finding that climbs takes the cursor along."""
    screen = Screen(troubled("first", "second"))

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("down")
        screen.feed.put(troubled("second", "first"))
        await pilot.pause()
        await pilot.pause()
        assert chosen(screen) == ("finding", "second", str(ENGINE))

    play(screen, script)


def test_a_press_on_a_finding_chooses_it_and_a_second_one_opens_it() -> None:
    """One press must not throw a reader off the page."""
    screen = Screen(troubled("first", "second"))

    async def script(pilot: Pilot[None]) -> None:
        y = next(i for i, row in enumerate(screen.rows) if "Title of second" in row)
        x = screen.rows[y].index("Title of second")
        await pilot.click(offset=(x, y))
        await pilot.pause()
        assert chosen(screen) == ("finding", "second", str(ENGINE))
        await pilot.pause(0.6)  # or Textual takes the two presses for one double press
        y = next(i for i, row in enumerate(screen.rows) if "Title of second" in row)
        await pilot.click(offset=(x, y))
        await pilot.pause()
        await pilot.pause()
        assert "Title of first" not in screen.text

    play(screen, script)


def test_leafing_through_a_text_passes_no_row_unseen() -> None:
    """Every row of the help is on the screen at some point of the way down."""
    screen = Screen(troubled("first"))

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("question_mark")
        await pilot.pause()
        await pilot.pause()
        seen, last = [set[str]()], ""
        while screen.text != last:
            last = screen.text
            seen.append(set(screen.rows[2:-1]))
            await pilot.press("pagedown")
            await pilot.pause()
            await pilot.pause()
        assert all(before & after for before, after in pairwise(seen[1:]))
        await pilot.press("pageup")
        await pilot.pause()
        await pilot.pause()
        assert screen.text != last

    play(screen, script)
