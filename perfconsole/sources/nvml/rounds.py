"""Rounds of questions, made by a worker thread that may get stuck in one of them; the others go on without it.

The thread that calls `round` never makes a call of the driver itself and never waits longer than ANSWER_S.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfconsole.clock import Clock

    Key = tuple[int, str]
    """GPU (SYSTEM for the driver as a whole) and call."""

SYSTEM = -1
STUCK_S = 0.8
"""A worker that has been in one call for longer is left to it, and another one makes the rest of the round."""
ANSWER_S = 1.0
"""Time for a round; what is not there by then is left out of the answer. Less than the console waits."""
MOST_STUCK = 4
"""As many workers are left in the driver; then it hangs as a whole."""
SHUN = 2
"""A GPU on which so many calls hang is not asked anything until one returns, and a call that hangs on so many GPUs is
asked of none: they would use up the workers that the others need."""
_GLANCE_S = 0.1


@dataclass(frozen=True, slots=True)
class Step:
    """One question, of one GPU."""

    gpu: int
    call: str
    run: Callable[[], Iterable[Step]]
    """Asks, keeps the answer, gives steps that are to follow at once."""

    @property
    def key(self) -> Key:
        """What is told apart when it hangs."""
        return (self.gpu, self.call)


class _Worker(threading.Thread):
    """Makes steps until it is told to leave, or finds that it was left while it hung."""

    def __init__(self, rounds: Rounds) -> None:
        super().__init__(name="nvml calls", daemon=True)
        self.at: tuple[Key, float] | None = None
        """The step that it is in, and since when."""
        self._rounds = rounds

    def run(self) -> None:
        while (step := self._rounds.next_for(self)) is not None:
            self.at = (step.key, self._rounds.clock.now())
            more: Iterable[Step] = ()
            try:
                more = step.run()
                self._rounds.faults.pop(step.key, None)
            except Exception as error:  # noqa: BLE001 - a fault of ours in one question must cost that question only
                self._rounds.fault(step, error)
            self.at = None
            self._rounds.follow(more)


class Rounds:
    """The steps that are left of the round, the worker that makes them, and those that hang."""

    def __init__(
        self,
        steps: Callable[[float], list[Step]],
        clock: Clock,
        patient: frozenset[str],
        vital: frozenset[str] = frozenset(),
    ) -> None:
        self.clock = clock
        self.faults: dict[Key, str] = {}
        """Questions that failed by a fault of perfconsole's own, in words."""
        self._steps_of = steps
        self._patient = patient
        """Calls that a worker is never replaced in: nothing can go on without them."""
        self._vital = vital
        """Calls that are made for each GPU however many of them hang: without them a GPU would not even be named."""
        self._left: deque[Step] = deque()
        self._change = threading.Condition()
        self._worker: _Worker | None = None
        self._hanging: dict[_Worker, tuple[Key, float]] = {}
        self._busy = False

    def round(self) -> None:
        """Make one round, or wait on for the one that is still under way; returns when it is done or time is up."""
        deadline = self.clock.now() + ANSWER_S
        with self._change:
            self._relieve()
            if self._busy:
                self._overtake()
            else:
                self._left.extend(self._steps_of(self.clock.now()))
                self._busy = bool(self._left)
                self._change.notify_all()
            while self._busy and (rest := deadline - self.clock.now()) > 0:
                self._change.wait(min(rest, _GLANCE_S))
                self._relieve()

    def stuck(self) -> dict[Key, float]:
        """Steps that hang, with the time since when."""
        with self._change:
            return dict(self._hanging.values())

    def waiting(self) -> tuple[Key, float] | None:
        """The step that the worker has been in for a while, and since when, where it is one to be patient with."""
        with self._change:
            at = self._worker.at if self._worker else None
        return at if at and at[0][1] in self._patient else None

    @property
    def whole(self) -> bool:
        """So many calls hang that no further one is made."""
        return len(self._hanging) >= MOST_STUCK

    def shunned(self, gpu: int) -> bool:
        """So many calls hang on a GPU that nothing else is asked of it."""
        return gpu != SYSTEM and sum(key[0] == gpu for key, _ in tuple(self._hanging.values())) >= SHUN

    def avoided(self) -> frozenset[str]:
        """Calls that hang on so many GPUs that they are asked of no other one."""
        calls = [key[1] for key, _ in tuple(self._hanging.values())]
        return frozenset(call for call in calls if calls.count(call) >= SHUN) - self._vital

    def next_for(self, worker: _Worker) -> Step | None:
        """The next step that does not hang; None for a worker that was left. Waits for the next round."""
        taken: Step | None = None
        if worker is self._worker and not self._hanging:
            with suppress(IndexError):
                taken = self._left.popleft()  # in one piece; a lock for each of 300 steps would be a tenth of the cost
            if taken is not None and worker is self._worker:
                return taken
        with self._change:
            if taken is not None:  # another worker has taken over in this very moment
                self._left.appendleft(taken)
            if self._hanging.pop(worker, None) is not None or worker is not self._worker:
                return None
            while True:
                while self._left:
                    step = self._left.popleft()
                    if not self._is_stuck(step):
                        return step
                if self._busy:
                    self._busy = False
                    self._change.notify_all()
                self._change.wait()
                if worker is not self._worker:
                    return None

    def follow(self, steps: Iterable[Step]) -> None:
        """Steps that are to be made next."""
        found = list(steps)
        if found:
            with self._change:
                self._left.extendleft(reversed(found))

    def fault(self, step: Step, error: Exception) -> None:
        """Keep what went wrong in our own code."""
        self.faults[step.key] = f"fault in perfconsole, please report it: {type(error).__name__}: {error}"

    def _overtake(self) -> None:
        """Let others pass the GPU that the round has not got beyond: its calls return, but each takes its time.

        Those that are done with are asked anew. The lock is held; the worker may still take a step without it.
        """
        at = self._worker.at if self._worker else None
        slow = at[0][0] if at else SYSTEM
        left: list[Step] = []
        with suppress(IndexError):
            while True:
                left.append(self._left.popleft())
        waiting = {slow, *(step.gpu for step in left)}
        again = [step for step in self._steps_of(self.clock.now()) if step.gpu not in waiting]
        late = [step for step in left if step.gpu == slow]
        self._left.extend([*(step for step in left if step.gpu != slow), *again, *late])

    def _is_stuck(self, step: Step) -> bool:
        if not self._hanging:
            return False
        hangs = any(key == step.key for key, _ in self._hanging.values())
        return hangs or self.shunned(step.gpu) or step.call in self.avoided()

    def _relieve(self) -> None:
        """See to it that there is a worker which does not hang. The lock is held."""
        worker = self._worker
        at = worker.at if worker else None
        if worker and at and at[0][1] not in self._patient and self.clock.now() - at[1] > STUCK_S:
            self._hanging[worker] = at
            self._worker = None
            left = list(self._left)  # in one piece: a worker that is just coming back may take a step without the lock
            later = [step for step in left if step.gpu == at[0][0]]
            rest = [step for step in left if step.gpu != at[0][0]]
            self._left = deque([*rest, *later])
        if self._worker is None:
            if self.whole:
                self._left.clear()
                self._busy = False
                return
            self._worker = _Worker(self)
            self._worker.start()
