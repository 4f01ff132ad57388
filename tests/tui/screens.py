"""The application without a terminal: snapshots by hand, keys by Textual's pilot, the page read as text."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.finding import FindingCheck
from perfconsole.tui.app import ConsoleApp
from perfconsole.tui.cells import Encoder
from perfconsole.tui.grid import Grid
from perfconsole.tui.setting import Setting
from perfconsole.view.canvas import plain_text
from perfconsole.view.glyphs import UNICODE
from perfconsole.view.picture import Picture
from tests.view.pictures import finding, indicator, snapshot, source

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.pilot import Pilot

    from perfconsole.model.rule import Rule
    from perfconsole.model.sample import Batch
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.tui.feed import Feed
    from perfconsole.view.glyphs import Glyphs

SIZE = (120, 40)


@dataclass
class HandMonitor:
    """Notes what it is told."""

    paces: list[float] = field(default_factory=list)
    asked: list[str | None] = field(default_factory=list)
    drawn: threading.Event = field(default_factory=threading.Event)
    posted: list[Batch] = field(default_factory=list)

    def post(self, batch: Batch) -> None:
        """Note figures of an action."""
        self.posted.append(batch)

    def pace(self, seconds: float) -> None:
        """Note a cadence."""
        self.paces.append(seconds)

    def visit(self, what: Callable[[HandMonitor], object]) -> object:
        """Stand in for the session too."""
        return what(self)

    def stretch(self, *_: object) -> None:
        """No engine is polled."""

    def ask(self, rule: str | None) -> None:
        """Note a rule."""
        self.asked.append(rule)


@dataclass
class HandFeed:
    """A slot filled by the test."""

    newest: Snapshot | None = None
    fault: str | None = None
    remarks: list[str] = field(default_factory=list)
    rules: tuple[Rule, ...] = ()
    monitor: HandMonitor = field(default_factory=HandMonitor)
    told: Callable[[], None] | None = None

    def tell(self, tell: Callable[[], None]) -> None:
        """Keep whom to tell; tell at once when something is there."""
        self.told = tell
        if self.newest:
            tell()

    def take(self) -> Snapshot | None:
        """The slot."""
        return self.newest

    def put(self, newest: Snapshot) -> None:
        """Fill the slot and tell."""
        self.newest = newest
        if self.told:
            self.told()


class Screen:
    """An application under test."""

    def __init__(
        self, first: Snapshot | None = None, glyphs: Glyphs = UNICODE, now: Callable[[], float] | None = None
    ) -> None:
        self.feed = HandFeed(snapshot() if first is None else first)
        self.left: list[str] = []
        self.faults: list[str] = []
        self.shown = ""
        """The page after the keys of `press`."""
        setting = Setting(
            feed=cast("Feed", self.feed),
            picture=lambda newest: Picture(newest, DEFAULT, glyphs=glyphs, host="gpu-07", rules=self.feed.rules),
            encoder=Encoder(None),
            palette="terminal",
            leave=lambda: self.left.append("left"),
            fault=self.faults.append,
            now=now,
        )
        self.app = ConsoleApp(setting)

    @property
    def text(self) -> str:
        """The page on display."""
        return plain_text(self.app.screen.query_one(Grid).rows)

    @property
    def rows(self) -> list[str]:
        """Its rows."""
        return self.text.split("\n")


def play(screen: Screen, script: Callable[[Pilot[None]], Awaitable[None]], size: tuple[int, int] = SIZE) -> None:
    """Run the application through a script of keys."""

    async def run() -> None:
        async with screen.app.run_test(size=size) as pilot:
            await pilot.pause()
            await pilot.pause()
            await script(pilot)

    asyncio.run(run())
    assert not screen.faults, screen.faults


def press(*keys: str, first: Snapshot | None = None, size: tuple[int, int] = SIZE) -> Screen:
    """The application after some keys; read its `shown`."""
    screen = Screen(first)

    async def script(pilot: Pilot[None]) -> None:
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
            await pilot.pause()
        screen.shown = screen.text

    play(screen, script, size)
    return screen


CHECK = FindingCheck("run", "ps -p 4312", ("ps", "-p", "4312"), "see: gone", "see: there", None)


def troubled(*rules: str) -> Snapshot:
    """An engine with these findings, in order."""
    findings = tuple(finding(rule, checks=(CHECK,)) for rule in rules)
    values = (indicator("engine.requests_running", 4.0), indicator("engine.requests_waiting", 24.0))
    return snapshot(findings=findings, indicators=values, sources=(source(),))


def chosen(screen: Screen) -> object:
    """What the cursor stands on."""
    return screen.app.screen.cursor.target  # type: ignore[attr-defined]  # of a page
