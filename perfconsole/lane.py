"""A thread that polls sources, each when it is due: one to itself, or many that are brief.

Every thread that wakes up once a second costs a switch and the wait for the interpreter; 64 targets have 128 brief
sources, which were half of all switches of the process.
"""

from __future__ import annotations

import threading
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.clock import Clock
    from perfconsole.runner import Runner

_STUCK_S = 1.0
"""A poll of a brief source that takes this long waits for something, and the others need not wait with it."""
_LONGEST_S = 3600.0
"""Of one wait; a lock takes no wait without end."""
_DUE = attrgetter("due")


class Lane:
    """Runners that take turns. Its thread ends when none is left; other threads only add and take away."""

    def __init__(self, name: str, runners: Iterable[Runner], clock: Clock) -> None:
        self._clock = clock
        self._runners = list(runners)
        self._change = threading.Condition()
        self._ended = False
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def take(self, runners: Iterable[Runner]) -> bool:
        """Poll these too from now on; False when the thread has ended."""
        with self._change:
            if self._ended:
                return False
            self._runners += runners
            self._change.notify()
            return True

    def wake(self) -> None:
        """Have the thread see who has been stopped."""
        with self._change:
            self._change.notify()

    def forsake(self, now: float) -> list[Runner]:
        """Those that wait behind one that is stuck: they are another lane's from now on. None while nobody is."""
        with self._change:
            stuck = [runner for runner in self._runners if runner.busy_s(now) > _STUCK_S]
            waiting = [runner for runner in self._runners if runner not in stuck] if stuck else []
            if waiting:
                self._runners = stuck
            return waiting

    @property
    def ended(self) -> bool:
        """Nobody is left, and its thread is no more."""
        return self._ended

    def _run(self) -> None:
        while (runner := self._next()) is not None:
            runner.run()

    def _next(self) -> Runner | None:
        """Who is due, after the wait for it; None when nobody is left."""
        with self._change:
            while True:
                self._runners = [runner for runner in self._runners if not runner.stopped]
                if not self._runners:
                    self._ended = True
                    return None
                runner = min(self._runners, key=_DUE)
                left = min(runner.due - self._clock.now(), _LONGEST_S)
                if left <= 0 or not (self._change.wait(left) or runner.stopped):
                    return runner
