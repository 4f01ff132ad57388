"""What stacks say, for scripts (JSON of the contract) and for people (text)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfconsole.stacks.framekind import Origin, origin, short_file
from perfconsole.view.report_text import Line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from perfconsole.model.stack import Frame
    from perfconsole.model.stackreading import Blocking, Change, StackReading, ThreadReading

_HOT = 8
_CHANGES = 15
_BUSY = 0.1
"""Share of waiting for work below which a loop has no room left."""


def stacks_json(reading: StackReading) -> dict[str, Any]:
    """The document of the contract."""
    return {
        "schema": 1,
        "samples": reading.samples,
        "seconds": reading.seconds,
        "threads": [_thread(thread) for thread in reading.threads],
        "profile": {name: round(share, 4) for name, share in reading.shares.items()},
        "blocking": [_blocking(found) for found in reading.blocking],
        "pools": [
            {"name": p.name, "threads": p.threads, "busy": round(p.busy, 4), "full": p.full} for p in reading.pools
        ],
        "hot": [{"function": h.function, "file": h.file, "self": round(h.share, 4)} for h in reading.hot],
        "limits": list(reading.limits),
    }


def _thread(thread: ThreadReading) -> dict[str, Any]:
    return {
        "process": thread.process,
        "thread": thread.name,
        "samples": thread.samples,
        "role": str(thread.role),
        "idle": round(thread.idle, 4),
    }


def _blocking(found: Blocking) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "share": round(found.share, 4),
        "call": found.call,
        "user_frame": _frame(found.user),
        "where": found.where,
        "waits": found.waits,
        "chain": [f"{frame.function} ({frame.file}:{frame.line})" for frame in found.chain],
    }


def _frame(frame: Frame | None) -> dict[str, Any] | None:
    return None if frame is None else {"function": frame.function, "file": frame.file, "line": frame.line}


def stacks_lines(reading: StackReading) -> Iterator[Line]:
    """The same for people: the verdict first, then who, then where the time goes, then what cannot be told."""
    yield from verdict_lines(reading)
    yield Line("")
    yield from _thread_lines(reading)
    yield from _hot_lines(reading)
    told = [(name, share) for name, share in reading.shares.items() if share >= 0.005]  # noqa: PLR2004 - half a point
    if told:
        yield Line("")
        yield Line("SHARES", "head")
        for name, share in told:
            yield Line(f"  {share:6.1%}  {name}")
    yield Line("")
    yield Line("CANNOT TELL", "head")
    for limit in reading.limits:
        yield Line(f"  {limit}", "dim", indent=2)


def verdict_lines(reading: StackReading) -> Iterator[Line]:
    """What blocks, the largest share first; that nothing does, where that can be said."""
    loops = [thread for thread in reading.threads if thread.role == "event-loop"]
    for found in reading.blocking:
        yield from _blocking_lines(found)
    blocked = reading.shares.get("profile.blocked_loop_ratio")
    if reading.blocking or not reading.samples:
        return
    if blocked is not None and loops:
        yield Line(free_words(loops[0].idle), "info" if loops[0].idle > _BUSY else "warn")
    elif loops:
        yield Line("whether the event loop blocks cannot be said from these samples", "warn")
    else:
        yield Line("no event loop was seen, and no call that blocks", "dim")


def free_words(idle: float) -> str:
    """That nothing blocks an event loop, and how much of its time it is free."""
    busy = "" if idle > _BUSY else ": it is busy nearly all the time, see the functions below"
    return f"nothing blocks the event loop; it waits for work {idle:.0%} of the time{busy}"


def _blocking_lines(found: Blocking) -> Iterator[Line]:
    how = "waits" if found.waits else "keeps a core"
    where = (
        f"{short_file(found.user.file)}:{found.user.line} {found.user.function}"
        if found.user
        else "no line of your own code"
    )
    style = "warn" if found.share >= 0.05 else "dim"  # noqa: PLR2004 - the seed rules refute below 5%
    yield Line(f"{found.share:5.0%} {found.kind:10} {where}", style, indent=17)
    yield Line(f"      {how} in {found.call}, on {found.where}", "dim", indent=17)
    caller = _caller(found)
    if caller:
        yield Line(f"      called by {caller.function} {short_file(caller.file)}:{caller.line}", "dim", indent=17)


def _caller(found: Blocking) -> Frame | None:
    """The next function outwards that is no library's: a helper that waits is seldom the line to mend."""
    at = next((place for place, frame in enumerate(found.chain) if frame == found.user), 0)
    return next((frame for frame in reversed(found.chain[:at]) if origin(frame.file) is not Origin.MACHINERY), None)


def _thread_lines(reading: StackReading) -> Iterator[Line]:
    length = f" in {reading.seconds:.0f} s" if reading.seconds else ""
    yield Line(f"THREADS  {reading.samples} samples{length}", "head")
    for thread in reading.threads:
        main = ", main thread" if thread.main and thread.name != "MainThread" else ""
        process = f"process {thread.process}  " if thread.process else ""
        yield Line(f"  {process}{thread.name}: {thread.role}{main}, waits for work {thread.idle:.0%}", indent=4)
    for pool in reading.pools:
        full = "  FULL: what is handed in waits for a thread" if pool.full else ""
        yield Line(f"  pool {pool.name}: {pool.threads} threads, busy {pool.busy:.0%}{full}", "warn" if full else "")


def changes_json(changed: Iterable[Change]) -> list[dict[str, Any]]:
    """Functions whose share changed."""
    return [
        {"function": c.function, "file": c.file, "before": round(c.before, 4), "now": round(c.now, 4)} for c in changed
    ]


def change_lines(changed: Sequence[Change]) -> Iterator[Line]:
    """The same for people, the largest first."""
    if not changed:
        return
    yield Line("")
    yield Line("CHANGED  share of the samples that pass through, before and now", "head")
    for c in changed[:_CHANGES]:
        yield Line(f"  {c.before:6.1%} {c.now:6.1%}  {c.function}  {short_file(c.file)}", indent=17)


def _hot_lines(reading: StackReading) -> Iterator[Line]:
    if not reading.hot:
        return
    yield Line("")
    yield Line("HOT  functions by their own time, waiting for work left out", "head")
    for hot in reading.hot[:_HOT]:
        yield Line(f"  {hot.share:6.1%}  {hot.function}  {short_file(hot.file)}", indent=10)
