"""A recording, read: threads, shares, what blocks, where the time goes, and what these samples cannot tell."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from perfconsole.model.stackreading import Hot, StackReading, ThreadReading
from perfconsole.stacks.blocking import blocking, pools_of
from perfconsole.stacks.folded import process_words, thread_words
from perfconsole.stacks.framekind import Sign, is_native, traits
from perfconsole.stacks.shares import UNREAD, shares, working
from perfconsole.stacks.threads import threads_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.model.stack import Frame, Profile
    from perfconsole.stacks.doing import Source
    from perfconsole.stacks.threads import Thread

HOTTEST = 20
_FEW = 50
"""Samples below which a share of 20% may be 10% or 30%."""
_TORN = 0.05
_BEGINS = frozenset(("<module>", "_start", "<string>"))
_EVEN = 0.9
"""Threads that live as long as the recording have about as many samples each, where idle ones were taken too."""


def read_profile(profile: Profile, source: Source) -> StackReading:
    """The whole reading; `source` gives the text of a line of code, None where it cannot be read."""
    threads = threads_of(profile, source)
    native = any(is_native(frame.file) and frame.file for stack in profile.stacks for frame in stack.frames[-1:])
    idle = has_idle(profile, threads)
    return StackReading(
        samples=profile.samples,
        seconds=profile.seconds,
        threads=tuple(_thread(t) for t in threads),
        shares=_shares(profile, threads, idle=idle, native=native),
        blocking=blocking(threads, waits=idle is not False),
        pools=pools_of(threads),
        hot=_hot(threads),
        limits=tuple(_limits(profile, threads, idle=idle, native=native)),
    )


def _shares(profile: Profile, threads: Sequence[Thread], *, idle: bool | None, native: bool) -> dict[str, float]:
    """Of a recording of lock holders only how often there was one: it lacks all others, so no other share is true."""
    if profile.looks is not None:
        return {"profile.gil_ratio": min(1.0, profile.samples / profile.looks)}
    return shares(threads, idle=idle, native=native) if profile.stacks else {}


def _thread(thread: Thread) -> ThreadReading:
    number, name = thread_words(thread.key)
    process = process_words(thread.key)[0]
    return ThreadReading(process, name or number, thread.samples, thread.role, thread.idle(), thread.main)


def has_idle(profile: Profile, threads: Sequence[Thread]) -> bool | None:
    """Whether threads that waited are in the samples: as was recorded, else as the samples look; None: no telling."""
    if profile.idle is not None:
        return profile.idle
    if not any(stack.thread.thread for stack in profile.stacks):
        waiting = sum(w for t in threads for _, w, done in t.read if done.idle or done.blocked)
        whole = sum(t.samples for t in threads)
        return False if waiting < _EVEN / 2 * whole and len(threads) > 1 else None
    if len(threads) < 2:
        return True if threads and threads[0].idle() > 0 else None
    return threads[1].samples >= _EVEN * threads[0].samples


def _hot(threads: Sequence[Thread]) -> tuple[Hot, ...]:
    """Functions by the samples in which they were innermost; waiting for work is nobody's time."""
    counted = working(threads)
    whole = sum(thread.samples for thread in counted)
    tally: dict[tuple[str, str], float] = defaultdict(float)
    for thread in counted:
        for frames, weight, done in thread.read:
            if frames and not done.idle:
                tally[frames[-1].function, frames[-1].file] += weight
    first = sorted(tally.items(), key=lambda item: (-item[1], item[0]))[:HOTTEST]
    return tuple(Hot(function, file, weight / whole) for (function, file), weight in first) if whole else ()


def _limits(profile: Profile, threads: Sequence[Thread], *, idle: bool | None, native: bool) -> Iterator[str]:
    if not profile.stacks:
        yield "there is no sample at all: nothing can be said"
        return
    yield from _of_taking(profile, idle=idle)
    torn = _torn(profile)
    if torn > _TORN:
        yield f"{torn:.0%} of the stacks are torn (read while they changed): their outer frames are missing"
    unread = max(
        (thread.share(done.unread for _, _, done in thread.read) for thread in threads if thread.loop), default=0.0
    )
    if unread > UNREAD:
        yield (
            f"the source of {unread:.0%} of the event loop's innermost lines cannot be read: they may compute or wait, "
            "and whether the loop blocks there is not told"
        )
    if any(thread.loop and _in_c(thread) for thread in threads):
        yield "the event loop is written in C (uvloop): its own work looks like its waiting, and counts as that"
    if any(pool.full for pool in pools_of(threads)):
        yield "how many threads a pool may have is not in the samples: all that were seen are taken, it may start more"
    if any(thread.loop for thread in threads):
        yield "a coroutine that awaits is on no stack: slow awaits and the number of tasks cannot be seen"
    if not native:
        yield (
            "no native frames: a call into C is told by the line that makes it, and garbage collection looks like the "
            "line that happened to start it (--native)"
        )
    if profile.looks is None:
        yield "stacks carry no state of the interpreter lock: a thread that waits for it looks as if it ran (--gil)"


def _in_c(thread: Thread) -> bool:
    """It was seen to end in the function that starts its loop."""
    return any(done.begin == len(frames) and done.idle for frames, _, done in thread.read)


def _of_taking(profile: Profile, *, idle: bool | None) -> Iterator[str]:
    """What was left out when the samples were taken."""
    if profile.looks is not None:
        yield "only holders of the interpreter lock were recorded: shares are of them, not of the time"
    elif idle is False:
        yield (
            "threads that waited were not recorded (no --idle): a loop that blocks in recv, a lock or a sleep is not "
            "in these samples, so nothing here says that it does not block"
        )
    elif idle is None:
        yield "nobody says whether waiting threads were recorded (--idle): a loop may wait and block unseen"
    if profile.samples < _FEW:
        yield f"only {profile.samples} samples: a share of 20% may as well be 10% or 30%"
    if not any(stack.thread.thread for stack in profile.stacks):
        yield "threads were not recorded (no --threads): they are told apart by their outermost frame only"


def _torn(profile: Profile) -> float:
    """Share of stacks that begin in the middle: with a frame that stands deep inside others elsewhere."""
    roots: dict[Frame, float] = defaultdict(float)
    for stack in profile.stacks:
        if stack.frames:
            roots[stack.frames[0]] += stack.weight
    torn = {root for root in roots if root.function not in _BEGINS and traits(root).signs & Sign.LOOP}
    if len(roots) > 1:
        torn |= roots.keys() & {frame for stack in profile.stacks for frame in stack.frames[1:]}
    whole = sum(roots.values())
    return sum(roots[root] for root in torn) / whole if whole else 0.0
