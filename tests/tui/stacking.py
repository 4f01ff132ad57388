"""What the tests of pages that do something share: a page opened alone, and words waited for."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from perfconsole.tui import suspects
from perfconsole.tui.grid import Grid
from tests.tui.screens import SIZE, Screen, play

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import pytest
    from textual.pilot import Pilot

    from perfconsole.tui.page import PageScreen


def opened(
    page: PageScreen, script: Callable[[Pilot[None], Screen], Awaitable[None]], screen: Screen | None = None
) -> Screen:
    """The application with this page open, through a script."""
    screen = screen or Screen()

    async def run(pilot: Pilot[None]) -> None:
        await screen.app.push_screen(page)
        await settled(pilot)
        await script(pilot, screen)

    play(screen, run, SIZE)
    return screen


async def settled(pilot: Pilot[None]) -> None:
    """What was asked for is drawn."""
    await pilot.pause()


async def keyed(pilot: Pilot[None], *keys: str) -> None:
    """Press them one by one."""
    for key in keys:
        await pilot.press(key)
    await settled(pilot)


async def saved(pilot: Pilot[None]) -> None:
    """Nothing is being written any more: a word of it must not come after the end of the application."""
    while any(thread.name == "saving stacks" for thread in threading.enumerate()):
        await pilot.pause(0.01)
    await settled(pilot)


async def seen(pilot: Pilot[None], screen: Screen, words: str) -> str:
    """The page once it has these words; it has some seconds for them."""
    for _ in range(500):
        if screen.app.screen.query(Grid) and words in screen.text:  # a page just opened has no grid yet
            return screen.text
        await pilot.pause(0.01)
    raise AssertionError(f"{words!r} did not appear on\n{screen.text}")


def look_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look often at what runs, and soon again at the processes."""
    monkeypatch.setattr(suspects, "_LOOK_S", 0.1)  # more often, and the pilot would find no moment without work
    monkeypatch.setattr(suspects, "_APART_S", 0.05)
