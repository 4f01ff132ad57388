"""The stacks of a recording by thread, each stack read once; and what a thread is for."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfconsole.model.stack import ThreadKey
from perfconsole.model.stackreading import Role
from perfconsole.stacks.doing import Doing, doing
from perfconsole.stacks.folded import process_words, thread_words
from perfconsole.stacks.framekind import Sign

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.stack import Frame, Profile
    from perfconsole.stacks.doing import Source

_LOOP_SHARE = 0.2
"""A thread runs a loop when so much of it has a loop's frame: torn stacks have lost it, and a start has none yet."""
_STARTS = frozenset(("Thread._bootstrap", "_bootstrap", "Thread._bootstrap_inner", "_bootstrap_inner"))
_NO_IDLE = 0.0
MAIN = "MainThread"


@dataclass(slots=True)
class Thread:
    """One thread with its stacks."""

    key: ThreadKey
    read: list[tuple[tuple[Frame, ...], float, Doing]] = field(default_factory=list)
    role: Role = Role.OTHER
    main: bool = False
    samples: float = 0.0
    """Weight of all its stacks."""

    def add(self, frames: tuple[Frame, ...], weight: float, done: Doing) -> None:
        """One more stack, read."""
        self.read.append((frames, weight, done))
        self.samples += weight

    @property
    def loop(self) -> bool:
        """It runs an event loop."""
        return self.role is Role.EVENT_LOOP

    def idle(self) -> float:
        """Share of its samples in which it waited for work."""
        return self.share(done.idle for _, _, done in self.read)

    def share(self, chosen: Iterator[bool]) -> float:
        """Share of its samples that are chosen, in the order of `read`."""
        whole = self.samples
        inside = sum(weight for (_, weight, _), yes in zip(self.read, chosen, strict=True) if yes)
        return inside / whole if whole else _NO_IDLE


def threads_of(profile: Profile, source: Source) -> list[Thread]:
    """Threads, those with most samples first. Where the recorder did not name them, those that its roots tell apart."""
    threads: dict[ThreadKey, Thread] = {}
    for stack in profile.stacks:
        key = stack.thread if stack.thread.thread else ThreadKey(stack.thread.process, _by_root(stack.frames))
        thread = threads.get(key) or threads.setdefault(key, Thread(key))
        thread.add(stack.frames, stack.weight, doing(stack.frames, source))
    for thread in threads.values():
        thread.role = _role(thread)
        thread.main = _is_main(thread)
    return sorted(threads.values(), key=lambda t: (-t.samples, t.key))


def _by_root(frames: tuple[Frame, ...]) -> str:
    """Which thread it must be of: the one that runs the program, one that was started by it, or a torn stack."""
    root = frames[0].function if frames else ""
    if root in _STARTS:
        return "other threads"
    whole = root.startswith(("<module>", "_start", "main", "_run_code", "_run_module")) or root == "<string>"
    return MAIN if whole else "torn stacks"


def _role(thread: Thread) -> Role:
    whole = thread.samples
    by: dict[Role, float] = defaultdict(float)
    for _, weight, done in thread.read:
        if done.signs & Sign.LOOP:
            by[Role.EVENT_LOOP] += weight
        elif done.signs & Sign.POOL:
            by[Role.WORKER] += weight
    best = max(by, key=by.__getitem__, default=Role.OTHER)
    return best if by[best] >= _LOOP_SHARE * whole and whole else Role.OTHER


def _is_main(thread: Thread) -> bool:
    number, name = thread_words(thread.key)
    return name == MAIN or (number != "" and number == process_words(thread.key)[0])
