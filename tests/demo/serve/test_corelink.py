"""One real core process behind its pipes."""

from __future__ import annotations

import asyncio
from pathlib import Path

from perfconsole.demo.model.request import Ask
from perfconsole.demo.serve.corelink import TITLE, CoreLink, start_core

FLAGS = ("--scenario", "healthy", "--max-num-seqs", "4")


def proc(pid: int, name: str) -> str:
    """What the kernel says of a process; empty when there is none."""
    path = Path(f"/proc/{pid}/{name}")
    return path.read_text(encoding="utf-8") if path.exists() else ""


def test_a_core_answers_has_a_title_and_can_be_stopped() -> None:
    """A request ends, the page is there, and a stopped core is in state T until it is let go."""

    async def talk(core: CoreLink) -> tuple[list[tuple[int, bool]], str, list[str]]:
        await core.ready()
        _, events = core.send(Ask(20, 3))
        found = [await events.get(), await events.get()]
        title = proc(core.pid, "cmdline").split("\0")[0]
        states = []
        for stopped in (True, False):
            core.stop(stopped=stopped)
            await asyncio.sleep(0.05)
            states.append(proc(core.pid, "stat").rpartition(") ")[2][0])
        return found, title, states

    async def run() -> tuple[list[tuple[int, bool]], str, list[str], bool]:
        core = await start_core(FLAGS)
        try:
            found = await talk(core)
        finally:
            core.kill()
        return *found, bool(proc(core.pid, "stat"))

    events, title, states, there = asyncio.run(run())
    assert events == [(1, False), (3, True)]
    assert title == TITLE
    assert (states[0], states[1] in "SR", there) == ("T", True, False)


def test_a_core_that_is_put_away_leaves_nobody_waiting() -> None:
    """What it holds ends, with the tokens that it has."""

    async def run() -> tuple[bool, int]:
        core = await start_core(FLAGS)
        try:
            await core.ready()
            _, events = core.send(Ask(20, 3000, each=True))
            await events.get()
        finally:
            core.kill()
        while not (ended := events.get_nowait()[1]):
            pass
        return ended, core.held

    assert asyncio.run(run()) == (True, 0)


def test_what_was_aborted_is_no_longer_held() -> None:
    """And the core takes its place for others: four at a time is all that it can."""

    async def run() -> int:
        core = await start_core(FLAGS)
        try:
            await core.ready()
            for number in [core.send(Ask(20, 3000))[0] for _ in range(4)]:
                core.abort(number)
            _, events = core.send(Ask(20, 1))
            await events.get()
            return core.held
        finally:
            core.kill()

    assert asyncio.run(run()) == 0
