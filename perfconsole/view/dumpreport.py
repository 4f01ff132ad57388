"""Stacks of this moment, for scripts and for people: the odd process first, threads that wait for work last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfconsole.stacks.framekind import short_file
from perfconsole.view.report_text import Line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.stack import Frame
    from perfconsole.model.stackdump import DumpReading, ProcessNow, ThreadNow

_FRAMES = 12
"""Innermost frames of a thread that are printed; -v prints all."""


def dump_json(reading: DumpReading) -> dict[str, Any]:
    """The document."""
    return {
        "schema": 1,
        "processes": [_process(p) for p in reading.processes],
        "profile": reading.shares,
        "limits": list(reading.limits),
    }


def _process(process: ProcessNow) -> dict[str, Any]:
    return {
        "pid": process.pid,
        "title": process.title,
        "role": process.role or None,
        "state": process.state,
        "odd": process.odd or None,
        "error": process.trouble or None,
        "threads": [_thread(t) for t in process.threads],
    }


def _thread(thread: ThreadNow) -> dict[str, Any]:
    return {
        "thread": thread.stack.number,
        "name": thread.stack.name,
        "main": thread.main,
        "active": thread.stack.active,
        "gil": thread.stack.gil,
        "still": thread.still,
        "idle": thread.idle,
        "doing": thread.words,
        "frames": [{"function": f.function, "file": f.file, "line": f.line} for f in reversed(thread.stack.frames)],
    }


def dump_lines(reading: DumpReading, *, every: bool = False) -> Iterator[Line]:
    """Process by process; of threads that only wait for work one line each, unless all is wanted."""
    for process in reading.processes:
        yield from _process_lines(process, every=every)
        yield Line("")
    yield Line("CANNOT TELL", "head")
    for limit in reading.limits:
        yield Line(f"  {limit}", "dim", indent=2)


def _process_lines(process: ProcessNow, *, every: bool) -> Iterator[Line]:
    role = f" {process.role}" if process.role else ""
    yield Line(f"PROCESS {process.pid}{role}  {process.title}", "head", indent=8)
    if process.odd:
        yield Line(f"  ! {process.odd}", "critical")
    if process.trouble:
        yield Line(f"  {process.trouble}", "warn")
    for thread in process.threads:
        still = "  has not moved" if thread.still and not thread.idle else ""
        gil = "  has the interpreter lock" if thread.stack.gil else ""
        name = thread.stack.name or str(thread.stack.number)
        style = "dim" if thread.idle else "warn" if thread.still else ""
        yield Line(f"  {name} ({thread.stack.number}): {thread.words}{still}{gil}", style)
        if thread.where and not thread.idle:
            yield Line(
                f"      in {thread.where.function}  {short_file(thread.where.file)}:{thread.where.line}",
                style,
                indent=9,
            )
        if every or not thread.idle:
            yield from _frame_lines(thread.stack.frames, every=every)


def _frame_lines(frames: tuple[Frame, ...], *, every: bool) -> Iterator[Line]:
    shown = frames if every else frames[-_FRAMES:]
    for frame in reversed(shown):
        yield Line(f"        {frame.function}  {short_file(frame.file)}:{frame.line}", "dim", indent=10)
    if len(shown) < len(frames):
        yield Line(f"        {len(frames) - len(shown)} more outside of these (-v)", "dim")
