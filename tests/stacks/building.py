"""Stacks by hand: frames in py-spy's notation, outermost first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.stacks.folded import read_folded

if TYPE_CHECKING:
    from perfconsole.model.stack import Frame, Profile
    from perfconsole.stacks.doing import Source

LOOP = (
    "<module> (/srv/app/main.py:90);run (/usr/lib/python3.11/asyncio/runners.py:190);"
    "_run_once (/usr/lib/python3.11/asyncio/base_events.py:1898)"
)
"""The event loop, right before its selector or a callback."""
SELECT = f"{LOOP};select (/usr/lib/python3.11/selectors.py:468)"
CALLBACK = f"{LOOP};_run (/usr/lib/python3.11/asyncio/events.py:80);handle (/srv/app/main.py:40)"
WORKER = (
    "Thread._bootstrap (/usr/lib/python3.11/threading.py:1002);Thread.run (/usr/lib/python3.11/threading.py:982);"
    "_worker (/usr/lib/python3.11/concurrent/futures/thread.py:81)"
)
MAIN = "thread (7): MainThread"


def folded(*lines: tuple[str, int], thread: str = MAIN) -> str:
    """Lines of one thread with their weights."""
    return "".join(f"{thread};{stack} {weight}\n" for stack, weight in lines)


def profile(*texts: str, idle: bool | None = True) -> Profile:
    """A recording from folded lines."""
    return read_folded("".join(texts), idle=idle, seconds=10.0)


def frames(stack: str) -> tuple[Frame, ...]:
    """Frames of one folded stack without a weight."""
    return read_folded(f"{stack} 1\n").stacks[0].frames


def unread(_file: str, _line: int) -> str | None:
    """No source can be read."""
    return None


def source(**lines: str) -> Source:
    """Source of which single lines are known, named l40 for line 40 of any file."""

    def text(_file: str, line: int) -> str | None:
        return lines.get(f"l{line}")

    return text
