"""One user: makes the calls of a task, stage after stage. A closed loop has as many as its concurrency."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.probing.scenario import Call, Task

_FIRST_REST_NS, _LONGEST_REST_NS = 20_000_000, 1_000_000_000
"""After an error; it doubles with each that follows, or a server that refuses would be asked as fast as it can."""


class Seat:
    """What is left of its task, and when it may go on."""

    __slots__ = ("_rest", "burst", "errors", "out", "task", "turn", "waits_until")

    def __init__(self) -> None:
        self.task = 0
        """Number of its task."""
        self._rest: list[tuple[Call, ...]] = []
        self.out = 0
        """Requests that are under way."""
        self.turn = 0
        """Calls made of this task."""
        self.errors = 0
        """One after the other."""
        self.waits_until = 0
        self.burst = False

    def begin(self, number: int, task: Task) -> None:
        """Take up a task."""
        self.task, self._rest, self.turn = number, list(reversed(task)), 0

    def stage(self) -> tuple[Call, ...]:
        """The calls to make now; empty when the task is over."""
        calls = self._rest.pop() if self._rest else ()
        self.out += len(calls)
        return calls

    def ended(self, now: int, *, well: bool) -> bool:
        """One of its requests ended; whether the stage is over. After an error the rest of the task is left."""
        self.out -= 1
        if well:
            self.errors = 0
        else:
            self.errors += 1
            self._rest = []
            rest = min(_LONGEST_REST_NS, _FIRST_REST_NS << min(self.errors - 1, 10))
            self.waits_until = now + rest if self.errors > 1 else 0
        return self.out == 0
