"""Dumps of processes by hand."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.model.stack import Frame
from perfconsole.model.stackdump import DumpReading, ProcessNow, ThreadNow, ThreadStack

LIMITS = ("two looks half a second apart",)
DEEP = tuple(Frame(f"f{n}", "/srv/app/main.py", n) for n in range(1, 21))


def thread(number: int = 7, name: str = "MainThread", frames: tuple[Frame, ...] = DEEP, **changes: object) -> ThreadNow:
    """A thread that waits for a socket below a line of one's own."""
    stack = ThreadStack(number, name, active=False, gil=False, frames=frames)
    made = ThreadNow(
        stack=stack,
        still=False,
        idle=False,
        words="waits for a socket",
        collective=False,
        main=True,
        where=frames[0] if frames else None,
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # names of fields, checked by replace itself


def process(pid: int = 4312, *threads: ThreadNow, odd: str = "", trouble: str = "", title: str = "serve") -> ProcessNow:
    """A process with these threads."""
    return ProcessNow(pid, title, "core", "S", threads, trouble, gathered=False, odd=odd)


def reading(*processes: ProcessNow) -> DumpReading:
    """All of them."""
    return DumpReading(processes, {"profile.odd_ranks": 0.0}, LIMITS)
