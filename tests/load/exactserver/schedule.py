"""The model of an engine: a queue in front of slots, and a heap of the moments at which tokens are due.

Pure: moments are arguments, in nanoseconds of a monotonic clock. Everything follows from scheduled moments, not from
those at which the server came to it, so nothing drifts: a slot is handed on at the moment its last token was due.
"""

from __future__ import annotations

from collections import deque
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.load.exactserver.settings import Settings
    from tests.load.exactserver.truth import Truth


class Schedule:
    """Who runs, who waits, and whose token is due next."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.running: dict[Truth, None] = {}
        """In order of admission."""
        self.queue: deque[Truth] = deque()
        self.most_running = 0
        self.held = 0
        """KV tokens taken."""
        self.preemptions = 0
        self._parked: dict[Truth, None] = {}
        self._heap: list[tuple[int, int, Truth]] = []
        self._order = 0
        self._step = (0, 0)
        """Last step of all streams together, and how long it takes."""
        self._not_before = 0

    def arrive(self, truth: Truth, now: int) -> None:
        """Take a request: into a slot if one is free, else to the end of the queue."""
        truth.waiting_before, truth.running_before = len(self.queue), len(self.running)
        self.queue.append(truth)
        self.admit(now)

    def leave(self, truth: Truth, now: int) -> None:
        """A request is over, whatever became of it."""
        if truth in self.running:
            self._free(truth)
        elif truth in self.queue:
            self.queue.remove(truth)
        self.admit(now)

    def next_due(self) -> int | None:
        """When the next token is due."""
        return self._heap[0][0] if self._heap else None

    def pop(self, now: int) -> Truth | None:
        """Next request with a token due by now; the token is in its `due_mono`, and the one after it is scheduled."""
        heap = self._heap
        while heap and heap[0][0] <= now:
            due, _, truth = heappop(heap)
            if truth.due != due or truth not in self.running:
                continue
            if truth.halt == len(truth.due_mono):
                truth.parked = True
                self._parked[truth] = None
                continue
            if self.settings.step_sync and not self._on_step(truth, due):
                continue
            if self._emit(truth, due):
                return truth
        return None

    def stall(self, now: int, length: int) -> None:
        """Everything that is due comes so much later, and nothing is admitted before."""
        self._not_before = now + length
        self._heap = [(due + length, order, truth) for due, order, truth in self._heap]
        for truth in self.running:
            truth.due += length
        heapify(self._heap)
        self._step = (self._step[0] + length, self._step[1])

    def release(self, now: int) -> None:
        """Let what hangs go on."""
        for truth in (*self.running, *self.queue):
            truth.halt = -1
        for truth in self._parked:
            truth.parked = False
            self._push(truth, now)
        self._parked.clear()

    def _emit(self, truth: Truth, due: int) -> bool:
        """Whether the token is given out: not if its request was thrown out to make room for it."""
        truth.due_mono.append(due)
        truth.held += 1
        self.held += 1
        if self.held > self.settings.kv_tokens and self._preempt(truth, due):
            return False
        if len(truth.due_mono) >= truth.want:
            self._free(truth)
            self.admit(due)
        else:
            self._push(truth, due + self._interval(due))
        return True

    def _interval(self, due: int) -> int:
        """Time from a token to the next; of all streams that share a step, the same."""
        if due == self._step[0]:
            return self._step[1]
        settings = self.settings
        length = int(settings.itl_ms * 1e6 + settings.itl_us_per_running * 1e3 * len(self.running))
        if settings.step_sync:
            self._step = (due, length)
        return length

    def _on_step(self, truth: Truth, due: int) -> bool:
        """Whether a moment is one of the common steps; else the request is put to the next one."""
        moment, length = self._step
        if moment < due < moment + length:
            self._push(truth, moment + length)
            return False
        return True

    def admit(self, moment: int) -> None:
        """Fill the free slots from the queue."""
        moment = max(moment, self._not_before)
        while self.queue and len(self.running) < self.settings.slots:
            truth = self.queue[0]
            needs = truth.prompt_tokens + len(truth.due_mono)
            if self.running and self.held + needs > self.settings.kv_tokens:
                return
            self.queue.popleft()
            self.running[truth] = None
            truth.held = needs
            self.held += needs
            self.most_running = max(self.most_running, len(self.running))
            if truth.admitted_mono is None:
                truth.admitted_mono = max(moment, truth.arrival_mono)
                truth.running_at_admission = len(self.running)
            computed = needs - truth.cached_tokens
            prefill = self.settings.prefill_ms * 1e6 + self.settings.prefill_us_per_token * 1e3 * computed
            self._push(truth, max(moment, truth.arrival_mono) + int(prefill))

    def _free(self, truth: Truth) -> None:
        del self.running[truth]
        self._parked.pop(truth, None)
        self.held -= truth.held
        truth.held = 0

    def _preempt(self, needy: Truth, moment: int) -> bool:
        """Throw out the youngest; whether that was the one that needs the room."""
        youngest = next(reversed(self.running))
        if youngest is needy:
            if len(self.running) == 1:
                return False  # alone it may take more than there is
            needy.due_mono.pop()
        self._free(youngest)
        youngest.preemptions += 1
        self.preemptions += 1
        self.queue.appendleft(youngest)
        if youngest is needy:
            self.admit(moment)
        return youngest is needy

    def _push(self, truth: Truth, due: int) -> None:
        truth.due = due
        self._order += 1
        heappush(self._heap, (due, self._order, truth))
