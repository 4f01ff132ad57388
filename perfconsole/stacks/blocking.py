"""Which calls keep an event loop, a full pool or a lone main thread from their work, and who made them."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfconsole.model.stackreading import Blocking, Pool, Role
from perfconsole.stacks.doing import user_frame
from perfconsole.stacks.folded import frame_words, process_words, thread_words
from perfconsole.stacks.framekind import Origin, Wait, short_file, traits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from perfconsole.model.stack import Frame
    from perfconsole.stacks.doing import Doing
    from perfconsole.stacks.threads import Thread

LEAST = 0.01
"""Share below which a call is an accident of sampling."""
_BUSY_LEAST = 0.2
"""Share from which one line that computes is told: below that it is work as usual."""
_FULL = 0.95
_KIND = {Wait.NOTICE: "lock", Wait.SELECTOR: "other", Wait.PEER: "other"}
_NUMBERED = re.compile(r"[_-]\d+$")


@dataclass(slots=True)
class _Tally:
    weight: float = 0.0
    chain: tuple[Frame, ...] = ()
    calls: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Weight by the call in words: some samples lie in its own line, most below it."""
    lines: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    """Weight by line of the user's frame, for what is told by the function."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Threads that are looked at together."""

    threads: tuple[Thread, ...]
    where: str

    @property
    def whole(self) -> float:
        return sum(thread.samples for thread in self.threads)


def blocking(threads: Sequence[Thread], *, waits: bool) -> tuple[Blocking, ...]:
    """Calls by share, the largest first: of each event loop, of full pools, and of main threads without a loop.

    `waits` is False where waiting threads were not recorded: what looks like a wait there was using a core.
    """
    found = [b for group in _groups(threads) for b in _of_group(group) if waits or not b.waits]
    return tuple(sorted(found, key=lambda b: (-b.share, not b.waits, b.kind, b.call)))


def pools_of(threads: Sequence[Thread]) -> tuple[Pool, ...]:
    """Pools by the names of their threads; a pool is full when no thread of it was ever free."""
    return tuple(_pool(name, members) for (_, name), members in sorted(_members(threads).items()))


def _members(threads: Sequence[Thread]) -> dict[tuple[str, str], list[Thread]]:
    """Threads by process and name of their pool: `ThreadPoolExecutor-0` for `ThreadPoolExecutor-0_3`."""
    by: dict[tuple[str, str], list[Thread]] = defaultdict(list)
    for thread in threads:
        name = thread_words(thread.key)[1]
        if thread.role is Role.WORKER and name:
            by[thread.key.process, _NUMBERED.sub("", name)].append(thread)
    return by


def _pool(name: str, members: Sequence[Thread]) -> Pool:
    busy = [1.0 - thread.idle() for thread in members]
    return Pool(name, len(members), sum(busy) / len(busy), min(busy) >= _FULL)


def _groups(threads: Sequence[Thread]) -> Iterator[_Group]:
    loops = [thread for thread in threads if thread.loop]
    for thread in loops or [thread for thread in threads if thread.main]:
        yield _Group((thread,), _where(thread))
    for (_, name), members in sorted(_members(threads).items()):
        if len(members) > 1 and _pool(name, members).full:
            yield _Group(tuple(members), f"pool {name}, all {len(members)} threads seen are taken")


def _where(thread: Thread) -> str:
    number, name = thread_words(thread.key)
    process = process_words(thread.key)[0]
    what = "event loop" if thread.loop else "main thread"
    words = f"{name or what}{f' ({number})' if number else ''}"
    return f"{words} of process {process}" if process else words


def _of_group(group: _Group) -> Iterator[Blocking]:
    tallies: dict[tuple[str, bool, Frame | None], _Tally] = defaultdict(_Tally)
    for thread in group.threads:
        for frames, weight, done in thread.read:
            told = _told(thread, frames, done)
            if told:
                kind, waits, call, user, line = told
                tally = tallies[kind, waits, user]
                tally.weight += weight
                tally.calls[call] += weight
                tally.lines[line] += weight
                if len(frames) - done.begin > len(tally.chain):
                    tally.chain = frames[done.begin :]
    for (kind, waits, user), tally in tallies.items():
        share = tally.weight / group.whole if group.whole else 0.0
        if share >= (LEAST if kind != "other" or waits else _BUSY_LEAST):
            line = max(tally.lines, key=tally.lines.__getitem__)
            named = user._replace(line=line) if user and not user.line else user
            call = max(tally.calls, key=tally.calls.__getitem__)
            yield Blocking(kind, share, call, named, tally.chain, waits, group.where)


_Told = tuple[str, bool, str, "Frame | None", int]
"""Kind, whether it waits, the call, who made it, in which line."""


def _told(thread: Thread, frames: tuple[Frame, ...], done: Doing) -> _Told | None:
    """None for idleness, the loop's own work, and computing on a thread that keeps nobody waiting."""
    pooled = thread.role is Role.WORKER
    if done.idle or (done.what is None and not (thread.loop or pooled)):
        return None
    if done.begin >= len(frames):
        return ("other", True, "a job written in C, which has no frame", None, 0) if pooled else None
    user = user_frame(frames, done.begin)
    line = user.line if user else 0
    waits = isinstance(done.what, Wait)
    if done.what is None:
        if user is None:
            return ("other", True, f"a call from {_short(frames[-1])}", None, 0) if pooled else None
        # One loop over a few lines is one culprit: its line is the one that was seen most.
        return ("other", False, f"{user.function} computes", user._replace(line=0), line)
    kind = _KIND.get(done.what, str(done.what)) if isinstance(done.what, Wait) else str(done.what)
    return kind, waits, done.call or call_words(frames[done.begin :], user), user, line


def call_words(below: Iterable[Frame], user: Frame | None) -> str:
    """The library's function that the user's frame called, and the innermost one that waits."""
    frames = list(below)
    at = max((place for place, frame in enumerate(frames) if frame == user), default=-1)
    inner = [frame for frame in frames[at + 1 :] if traits(frame).origin is not Origin.USER] or frames[-1:]
    first, last = inner[0], inner[-1]
    return _short(first) if first == last else f"{_short(first)} > {_short(last)}"


def _short(frame: Frame) -> str:
    return frame_words(frame._replace(file=short_file(frame.file)))
