"""All GPUs of the host, and the steps of one round over them.

Steps run on a worker and may hang one by one; so each makes the calls of one GPU only, and none waits for another.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pynvml  # type: ignore[import-untyped]  # NVIDIA ships no types

from perfconsole.sources.nvml import native
from perfconsole.sources.nvml.questions import QUESTIONS
from perfconsole.sources.nvml.roster import Roster
from perfconsole.sources.nvml.rounds import SYSTEM, Step
from perfconsole.sources.nvml.shared import Shared
from perfconsole.sources.nvml.words import (
    FATAL,
    LOST,
    NOT_SUPPORTED,
    StartFailure,
    code_words,
    start_failure,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.clock import Clock
    from perfconsole.sources.nvml.device import Device
    from perfconsole.sources.nvml.question import Question
    from perfconsole.sources.nvml.slot import Slot

INIT, COUNT = "nvmlInit", "nvmlDeviceGetCount"
_RETRY_S = 5.0
_FATAL_IN_A_ROW = 3


class Fleet:
    """The driver: started, counted, asked."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.failure: StartFailure | None = None
        """Why NVML did not start."""
        self.running = False
        self.trouble = ""
        """Why the driver did not say how many there are."""
        self.doomed = ""
        """Why only a new process can go on."""
        self._retry_t = 0.0
        self._fatal = 0
        self.roster = Roster(self._all_questions, lambda device: self._due(device, self._clock.now()))
        self._shared = Shared(clock, self.roster.all)

    def steps(self, t: float) -> list[Step]:
        """A round at time t: first how many there are, then what is due of each; lost ones come last."""
        if not self.running:
            return [Step(SYSTEM, INIT, self._start)] if t >= self._retry_t else []
        order = sorted(self.roster.all(), key=lambda device: (device.trouble is not None, device.index))
        return [Step(SYSTEM, COUNT, self._recount), *(step for device in order for step in self._due(device, t))]

    def deafness(self, t: float) -> str:
        """Why events of the driver do not come now, in words; empty while they do."""
        return self._shared.deafness(t)

    def _all_questions(self) -> tuple[Question, ...]:
        return (*QUESTIONS, *self._shared.questions)

    def _due(self, device: Device, t: float) -> list[Step]:
        if device.gone:
            return []
        device.skipped, device.round_t = False, t
        slots = (slot for slot in self.roster.slots[device.index] if slot.due_t <= t)
        return [Step(device.index, slot.question.call, partial(self._ask, device, slot)) for slot in slots]

    def _start(self) -> Iterable[Step]:
        try:
            native.start()
        except pynvml.NVMLError as error:
            self.failure = start_failure(error.value)
            self._retry_t = self._clock.now() + _RETRY_S
            return ()
        self.failure, self.running = None, True
        return self._recount()

    def _recount(self) -> Iterable[Step]:
        try:
            count = int(pynvml.nvmlDeviceGetCount())
        except pynvml.NVMLError as error:
            self._fail_to_count(error.value)
            return ()
        self._fatal, self.trouble = 0, ""
        return self.roster.recount(count, self._clock.now())

    def _fail_to_count(self, code: int) -> None:
        self.trouble = f"{COUNT} failed: {code_words(code)}"
        self._fatal = self._fatal + 1 if code in FATAL else 0
        if self._fatal >= _FATAL_IN_A_ROW:
            self.doomed = self.trouble

    def _ask(self, device: Device, slot: Slot) -> Iterable[Step]:
        t = self._clock.now()
        if device.skipped or device.gone:
            return ()
        try:
            reading = slot.question.ask(device, t)
        except pynvml.NVMLError as error:
            if error.value in LOST:
                device.trouble, device.skipped = (slot, LOST[error.value]), True
            slot.failed(t, error.value)
        except AttributeError:
            slot.failed(t, NOT_SUPPORTED)  # a pynvml that is older than the call
        else:
            slot.store(t, reading)
            if device.trouble is not None and device.trouble[0] is slot:
                device.trouble = None
        return ()
