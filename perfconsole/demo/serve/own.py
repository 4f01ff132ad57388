"""What a program of the simulator must do for itself: read its script, end with its parent, say what it costs."""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import sys
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.actions.deathsignal import end_with
from perfconsole.demo.model.serverpage import ProcessFigures
from perfconsole.demo.scenarios import Script, chosen
from perfconsole.demo.serve.standstill import Standstill
from perfconsole.demo.serve.web import listen

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from perfconsole.clock import Clock
    from perfconsole.demo.scenarios import Moment, Scenario
    from perfconsole.demo.serve.web import Asked, Reply

LOST = -1
"""Number of a parent that is none: the process was started by hand."""


class Cue:
    """The script of one program; it stays at its first second until the stage says when it began."""

    def __init__(self, scenarios: tuple[Scenario, ...], standstill: Standstill | None = None) -> None:
        self.script = Script(scenarios, inf)
        self.standstill = standstill or Standstill()

    def at(self, now: float) -> Moment:
        """What plays at a moment of the clock."""
        return self.script.at(self.standstill.played(now))

    def begin(self, start: float) -> None:
        """The script begins, or began, at this moment of the monotonic clock."""
        self.script = Script(self.script.scenarios, start)

    async def wait(self) -> None:
        """Until the stage writes the moment to stdin."""
        line = await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
        self.begin(float(line))


async def serve(port: int, handle: Callable[[Asked, Reply], Awaitable[None]], cue: Cue) -> None:
    """Answer on the port from the start, and play from the moment that the stage gives."""
    server = await listen(port, handle)
    await cue.wait()
    await server.serve_forever()


def arguments(argv: Sequence[str], *wanted: str) -> tuple[argparse.Namespace, Cue]:
    """`--scenario` and the flags that this program wants; unknown ones are for the eye only."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--scenario", required=True)
    parser.add_argument("--parent", type=int, default=LOST, help="process to end with")
    parser.add_argument("--standstill", default="", help="place of the page that says how long the play stood still")
    for flag in wanted:
        parser.add_argument(flag, type=int, required=True)
    known, _ = parser.parse_known_args(argv)
    if known.parent != LOST:
        end_with(known.parent)
    return known, Cue(chosen(known.scenario), Standstill(known.standstill))


def card_place(engine_port: int) -> str:
    """Socket at which the engine shows its GPU: in the kernel's own name space, so that no file is left behind."""
    return f"\0perfconsole-demo-{engine_port}"


def figures(start_epoch_s: float) -> ProcessFigures:
    """Real figures of this process; only the start is that of what it simulates."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return ProcessFigures(
        start_epoch_s=start_epoch_s,
        cpu_s=usage.ru_utime + usage.ru_stime,
        resident_bytes=int(pages[1]) * resource.getpagesize(),
        virtual_bytes=int(pages[0]) * resource.getpagesize(),
        open_fds=len(os.listdir("/proc/self/fd")),  # noqa: PTH208 - only their number counts
        max_fds=resource.getrlimit(resource.RLIMIT_NOFILE)[0],
    )


def epoch(clock: Clock, monotonic: float) -> float:
    """Epoch second of a moment on the monotonic clock."""
    return clock.wall() - clock.now() + monotonic
