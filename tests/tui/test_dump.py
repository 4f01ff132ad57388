"""Tests of taking stacks from their page: twice, of the whole engine, and again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.actions import dumping
from perfconsole.actions.run import living
from perfconsole.tui import dump as page_of_a_dump
from perfconsole.tui.dump import DumpPage
from tests.actions.sleepers import beside, sleeper
from tests.actions.stackwords import DUMPS, KILLED, REDUCE, WORK, threads
from tests.tui.screens import Screen, press
from tests.tui.stacking import keyed, look_soon, opened, seen
from tests.view.pictures import ENGINE

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

    from perfconsole.model.suspect import Suspect

RANKS = ("VLLM::Worker_TP0", "VLLM::Worker_TP1", "VLLM::Worker_TP2")


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look often, and at both moments soon."""
    look_soon(monkeypatch)
    monkeypatch.setattr(dumping, "APART_S", 0.02)


def _rank(suspect: Suspect) -> Suspect:
    return replace(suspect, role="worker")


async def listed(pilot: Pilot[None], screen: Screen, pid: int) -> None:
    """The process is in the list."""
    await seen(pilot, screen, f" {pid} ")


def test_enter_takes_the_stacks_and_shows_them(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thread by thread."""
    beside(tmp_path, monkeypatch, DUMPS)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await listed(pilot, screen, pid)
        assert "STACKS OF WHICH PROCESS?" in screen.text
        await keyed(pilot, "enter")
        text = await seen(pilot, screen, "STACKS NOW")
        assert f"PROCESS {pid}" in text
        assert "Main (7): runs  has not moved" in text

    opened(DumpPage(pid), script)


def test_escape_ends_it_and_leads_back_to_the_list(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it runs on."""
    beside(tmp_path, monkeypatch, "time.sleep(30)")

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await listed(pilot, screen, pid)
        await keyed(pilot, "enter")
        await seen(pilot, screen, "TAKING STACKS")
        await keyed(pilot, "escape")
        assert "STACKS OF WHICH PROCESS?" in screen.text
        assert [child for child in living() if child.pid != pid and not child.wait(2.0)] == []

    opened(DumpPage(pid), script)


def test_enter_takes_them_again_and_only_once_at_a_time(
    pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Impatience starts no second py-spy beside the first."""
    count, hold = tmp_path / "count", tmp_path / "hold"
    waits = f"while os.path.exists({str(hold)!r}):\n    time.sleep(0.01)\n"
    beside(tmp_path, monkeypatch, f"open({str(count)!r}, 'a').write('x')\n{waits}{DUMPS}")

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await listed(pilot, screen, pid)
        await keyed(pilot, "enter")
        await seen(pilot, screen, "enter again")
        hold.touch()
        await keyed(pilot, "enter", "enter", "enter")
        assert "esc end it" in screen.rows[-1]
        hold.unlink()
        await seen(pilot, screen, "enter again")

    opened(DumpPage(pid), script)
    assert count.read_text(encoding="utf-8") == "xxxx"


def test_stacks_that_could_not_be_read_say_why(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the page of the result."""
    beside(tmp_path, monkeypatch, KILLED)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await listed(pilot, screen, pid)
        await keyed(pilot, "enter")
        assert "it was killed and said nothing" in await seen(pilot, screen, "STACKS NOW")

    opened(DumpPage(pid), script)


def test_without_py_spy_enter_does_nothing(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says how to get it."""
    beside(tmp_path, monkeypatch, None)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        assert "pip install py-spy" in await seen(pilot, screen, "not possible")
        await keyed(pilot, "enter")
        assert "STACKS OF WHICH PROCESS?" in screen.text

    opened(DumpPage(pid), script)


def test_what_ranks_show_counts_for_the_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of three that is not in the collective is the odd one, and stands in the title."""
    with sleeper(RANKS[0]) as first, sleeper(RANKS[1]) as second, sleeper(RANKS[2]) as third:
        every, apart = (first, second, third), f"'{second}' in words"
        beside(tmp_path, monkeypatch, f"print({threads(WORK)!r} if {apart} else {threads(REDUCE)!r})")
        monkeypatch.setattr(page_of_a_dump, "family", lambda found, *_: [_rank(s) for s in found if s.pid in every])

        async def script(pilot: Pilot[None], screen: Screen) -> None:
            await listed(pilot, screen, first)
            await keyed(pilot, "enter")
            await seen(pilot, screen, f"STACKS NOW  process {second} worker: not in the collective")

        screen = opened(DumpPage(first, ENGINE), script)
    (batch,) = screen.feed.monitor.posted
    assert batch.entities == (ENGINE,)
    assert {s.key.indicator: s.value for s in batch.samples}["profile.odd_ranks"] == 1.0


def test_d_opens_it_from_any_page() -> None:
    """The list of processes comes by itself."""
    assert "STACKS OF WHICH PROCESS?" in press("d").shown
