"""Reads what py-spy dumps, twice, of one process or all of an engine: who stands still, and who is the odd one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from perfconsole.model.stack import Frame
from perfconsole.model.stackdump import DumpReading, ProcessNow, ThreadNow, ThreadStack
from perfconsole.stacks.doing import doing, user_frame
from perfconsole.stacks.framekind import THEMES_OF, Wait, kinds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfconsole.stacks.doing import Doing, Source

_STOPPED = {"T": "stopped by a signal (state T)", "t": "held by a debugger (state t)", "Z": "dead (state Z)"}
_STUCK = {"D": "waits inside the kernel (state D)"}
_WAITS = {
    Wait.SELECTOR: "waits in its selector",
    Wait.NOTICE: "waits for work or another thread",
    Wait.PEER: "waits for another process of the engine",
    Wait.SOCKET: "waits for a socket",
    Wait.SSL: "waits for a TLS peer",
    Wait.DNS: "waits for a name to be resolved",
    Wait.FILE: "waits for a file",
    Wait.LOCK: "waits for a lock",
    Wait.SLEEP: "sleeps",
    Wait.SUBPROCESS: "waits for a program it started",
}
_LIMITS = (
    "two looks a second apart: what stands still in both may have moved and come back in between",
    "a coroutine that awaits is on no stack",
    "no native frames: inside C the last line of Python stands for all below it",
)


def parse_dump(text: str) -> tuple[ThreadStack, ...]:
    """Threads of `py-spy dump --json`; ValueError in words for anything else."""
    start = text.find("[")
    try:
        found = json.loads(text[start:]) if start >= 0 else None
        return tuple(_thread(thread) for thread in found or ())
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"py-spy wrote what is no dump: {type(error).__name__}") from None


def _thread(found: Mapping[str, Any]) -> ThreadStack:
    frames = tuple(_frame(frame) for frame in reversed(found["frames"]))
    number = found.get("os_thread_id") or found.get("thread_id") or 0
    name = found.get("thread_name") or ""
    return ThreadStack(int(number), str(name), bool(found.get("active")), bool(found.get("owns_gil")), frames)


def _frame(found: Mapping[str, Any]) -> Frame:
    return Frame(
        str(found["name"]), str(found.get("filename") or found.get("short_filename") or ""), int(found["line"])
    )


def process_now(
    process: ProcessNow, first: Sequence[ThreadStack], second: Sequence[ThreadStack], source: Source
) -> ProcessNow:
    """The process with what two looks found of its threads; the second look is what is shown."""
    before = {thread.number: thread.frames for thread in first}
    gathered = any(_gathers(frames) for frames in before.values())
    held = any(thread.gil for thread in second)
    threads = [_now(process.pid, thread, before.get(thread.number), source, held=held) for thread in second]
    threads.sort(key=lambda t: (t.idle, not t.main, not t.still, t.stack.number))
    return replace(
        process,
        threads=tuple(threads),
        gathered=gathered,
        odd=_STOPPED.get(process.state) or _STUCK.get(process.state, ""),
    )


def _now(pid: int, thread: ThreadStack, before: tuple[Frame, ...] | None, source: Source, *, held: bool) -> ThreadNow:
    """`held` says that some thread of the process has the interpreter lock."""
    done = doing(thread.frames, source)
    collective = _gathers(thread.frames)
    return ThreadNow(
        stack=thread,
        still=before == thread.frames,
        idle=done.idle and not collective,
        words="inside a collective" if collective else _words(done, thread, held=held),
        collective=collective,
        main=thread.number == pid or thread.name == "MainThread",
        where=user_frame(thread.frames, done.begin),
    )


def _gathers(frames: tuple[Frame, ...]) -> bool:
    """Inside a collective."""
    return any(kind.signs & THEMES_OF["collective"] for kind in kinds(frames))


def _words(done: Doing, thread: ThreadStack, *, held: bool) -> str:
    if isinstance(done.what, Wait):
        return _WAITS[done.what]
    if done.what is not None:
        return f"works ({done.what})"
    if thread.active and held and not thread.gil:
        return "waits for the interpreter lock, or runs in C"
    return "runs" if thread.active or thread.gil else "waits in C"


def read_dumps(processes: Sequence[ProcessNow]) -> DumpReading:
    """All processes side by side, the odd one out first."""
    ranks = [p for p in processes if p.role == "worker" and p.threads]
    inside = [p for p in ranks if p.gathered and any(t.collective for t in p.threads)]
    outside = {p.pid for p in ranks if not p.gathered and not any(t.collective for t in p.threads)}
    apart = outside if len(inside) * 2 > len(ranks) else set[int]()
    told = [
        replace(p, odd=p.odd or f"not in the collective in which {len(inside)} others wait") if p.pid in apart else p
        for p in processes
    ]
    told.sort(key=lambda p: (not p.odd, p.state not in _STOPPED, not p.trouble, p.pid))
    shares: dict[str, float] = {}
    if len(ranks) > 1:
        shares["profile.odd_ranks"] = float(len(apart | {p.pid for p in ranks if p.state in _STOPPED}))
    return DumpReading(tuple(told), shares, _LIMITS)
