"""What one engine's log has said so far: facts of the run that goes on, events of the last hour. Keeps no text."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

from perfconsole.sources.logs import happenings, wordings
from perfconsole.sources.logs.oom import Oom, read_oom
from perfconsole.sources.logs.prefix import message_of, plain_line

if TYPE_CHECKING:
    from collections.abc import Iterable

KEPT_S = 3600.0
"""An event counts for an hour."""
_TOGETHER_S = 10.0
"""Workers repeat each other's lines, and every layer above repeats an error: within this time it is one."""
_MOST_KEPT = 1000
_MOST_MARKS = 500
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+")

GATES: tuple[bytes, ...] = tuple(
    dict.fromkeys(
        [
            *(w.gate for w in wordings.FACTS),
            *(gate for gate, _ in (*wordings.BEGINS, *wordings.READY)),
            *(h.gate for h in happenings.HAPPENINGS),
            happenings.OOM_GATE,
        ]
    )
)
"""What a line must hold to be worth a look."""


class LogBook:
    """The only writer of what is known from one log. Times are epoch seconds."""

    def __init__(self) -> None:
        self.facts: dict[str, float] = {}
        self.serving: bool | None = None
        """Between a start and its last word of being ready it is False; None where no start was seen."""
        self._late = False
        """This engine says that it serves before it has warmed up."""
        self._events: dict[str, deque[float]] = {name: deque(maxlen=_MOST_KEPT) for name in happenings.EVENTS}
        self._marks: dict[tuple[str, int], float] = {}
        self._oom: tuple[float, Oom] | None = None

    def read(self, lines: Iterable[tuple[float, bytes | None]]) -> None:
        """Take in lines that hold a gate, each with the time at which it was written.

        None stands for a stretch that was not read: the engine may have become ready in it.
        """
        for wall, raw in lines:
            if raw is None:
                self.serving = self.serving or None
            else:
                self._read(wall, raw)

    def counts(self, wall: float) -> dict[str, float]:
        """Events of the hour before `wall`, 0 where there was none."""
        for events in self._events.values():
            while events and events[0] <= wall - KEPT_S:
                events.popleft()
        return {name: float(len(events)) for name, events in self._events.items()}

    def last_oom(self, wall: float) -> Oom | None:
        """Sizes of the last device out of memory of the hour before `wall`."""
        return self._oom[1] if self._oom is not None and self._oom[0] > wall - KEPT_S else None

    def _read(self, wall: float, raw: bytes) -> None:
        line = plain_line(raw)
        if happenings.TALK.search(line):
            return
        message = message_of(line)
        if self._begins(message) or self._is_ready(message):
            return
        self._note_facts(raw, message)
        self._note_event(wall, raw, message)

    def _begins(self, message: str) -> bool:
        """A new run: nothing that was said of the one before holds."""
        found = next((gate for gate, pattern in wordings.BEGINS if pattern.match(message)), None)
        if found is None:
            return False
        self.facts.clear()
        self.serving, self._late = False, found == wordings.WARMS_UP
        return True

    def _is_ready(self, message: str) -> bool:
        found = next((gate for gate, pattern in wordings.READY if pattern.match(message)), None)
        if found is None:
            return False
        if self.serving is None:  # an engine whose start has other words: what it compiled so far was for that
            self._events[happenings.COMPILE].clear()
        early = found == wordings.CORE_READY and self.serving is not None
        if found == wordings.FIRED_UP or not (self._late or early):
            self.serving = True
        return True

    def _note_facts(self, raw: bytes, message: str) -> None:
        for wording in wordings.FACTS:
            match = wording.pattern.match(message) if wording.gate in raw else None
            if match is not None:
                self._take(wording.read(match))

    def _take(self, found: dict[str, float]) -> None:
        for name, value in found.items():
            known = self.facts.get(name)
            if known is not None and name in wordings.SMALLEST:
                value = min(known, value)  # noqa: PLW2901 - the same figure, of the smallest worker
            if known is not None and name == "engine.nccl_shm":
                value = max(known, value)  # noqa: PLW2901 - one channel through host memory is enough
            self.facts[name] = value

    def _note_event(self, wall: float, raw: bytes, message: str) -> None:
        if happenings.OOM_GATE in raw and (oom := read_oom(message)) is not None:
            self._note_oom(wall, oom)
            return
        for happening in happenings.HAPPENINGS:
            if happening.gate in raw and happening.pattern.match(message):
                if happening.indicator != happenings.COMPILE or self.serving is not False:
                    self._count(happening.indicator, wall, _mark(happening.indicator, message))
                return

    def _note_oom(self, wall: float, oom: Oom) -> None:
        fresh = self._count(happenings.OOM, wall, 0)
        if fresh or self._oom is None or self._oom[1].request is None:
            self._oom = (wall, oom)

    def _count(self, name: str, wall: float, mark: int) -> bool:
        """Whether it is an event of its own, not the echo of one."""
        before = self._marks.get((name, mark))
        if before is not None and abs(wall - before) < _TOGETHER_S:
            return False
        if len(self._marks) >= _MOST_MARKS:
            self._marks.clear()
        self._marks[name, mark] = wall
        self._events[name].append(wall)
        return True


def _mark(name: str, message: str) -> int:
    """What tells one event from another that comes with it: the kernel, or the peer; never the text itself."""
    if name == happenings.COMPILE:
        return hash(message)
    peer = _ADDRESS.search(message) if name == happenings.PEER else None
    return hash(peer[0]) if peer else 0
