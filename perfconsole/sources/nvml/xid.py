"""Xids: errors that the driver reports as events, by number, with a thread of its own that waits for them.

Events before the registration are lost: NVML keeps none. Must never take a time-out for an error.
"""

from __future__ import annotations

import ctypes
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

import pynvml  # type: ignore[import-untyped]  # NVIDIA ships no types

from perfconsole.model.sample import Missing
from perfconsole.sources.nvml.reading import Reading
from perfconsole.sources.nvml.words import NOT_READY, TIMEOUT, code_words
from perfconsole.sources.xid import KEPT_S, by_class

if TYPE_CHECKING:
    from perfconsole.clock import Clock

MEANINGS = {
    13: "exception in a kernel of a program",
    31: "memory page fault of a program",
    32: "corrupted push buffer",
    38: "driver firmware error",
    43: "a program made the GPU stop processing",
    45: "cleanup after an earlier error",
    48: "double-bit ECC error",
    61: "internal micro-controller breakpoint",
    62: "internal micro-controller halt",
    63: "memory row remapped, or to be remapped at the next reset",
    64: "memory row could not be remapped",
    69: "graphics engine class error",
    74: "NVLink error",
    79: "GPU has fallen off the bus",
    92: "high rate of single-bit ECC errors",
    94: "contained ECC error",
    95: "uncontained ECC error",
    109: "context switch time-out",
    119: "the GPU system processor (GSP) does not answer",
    120: "error of the GPU system processor (GSP)",
    121: "C2C link error",
    137: "NVLink privilege error",
    140: "unrecovered ECC error",
    145: "NVLink read or write error",
    149: "NVLink error (NETIR)",
    154: "recovery action of the GPU changed",
    171: "uncorrectable error of the memory",
    172: "uncorrectable error of the caches",
}
WAIT = "nvmlEventSetWait"
WAIT_MS = 1000
DEAF_S = 3.0
"""A wait that is this old hangs: it should have returned after WAIT_MS."""
_SHORT_S = 0.1
_PAUSE_S = 0.5
"""A wait that returns earlier than this without an event is not asked again at once: that would be a busy loop."""
_MOST = 1000


def meaning(number: int) -> str:
    """`Xid 79: GPU has fallen off the bus`."""
    return f"Xid {number}: {MEANINGS[number]}" if number in MEANINGS else f"Xid {number}"


class Xids:
    """Numbers of one GPU in the last hour."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque(maxlen=_MOST)
        self.address: int | None = None
        """Of the handle that its events come with."""

    def add(self, t: float, number: int) -> None:
        """One event."""
        self._seen.append((t, number))

    def reading(self, t: float, *, heard: bool = True) -> Reading:
        """Counts by class at time t, the numbers in words, and as a fact; a zero only where events are `heard`."""
        recent = [number for at, number in tuple(self._seen) if t - at < KEPT_S]
        values = by_class(recent)
        unique = sorted(set(recent))
        unsure = () if heard else [name for name, count in values.items() if not count]
        return Reading(
            {name: count for name, count in values.items() if name not in unsure},
            dict.fromkeys(unsure, Missing.SOURCE_DOWN),
            notes=tuple(meaning(number) for number in unique),
            facts={"gpu.xid_numbers": ", ".join(map(str, unique)) or "none"} if unique or heard else {},
        )


class XidWatch:
    """Waits for the events of all registered GPUs; its thread starts with the first of them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._set: Any = None
        self._creating = False
        self._by_handle: dict[int | None, Xids] = {}
        self._pause = threading.Event()
        self._asked_t: float | None = None
        """When it last began to wait."""
        self._failed = 0
        """NVML code of the last wait, 0 for an event or none in time."""

    def deafness(self, t: float) -> str:
        """Why no event would be heard of at time t, in words; empty while one would, or none is waited for yet."""
        if self._asked_t is not None and t - self._asked_t > DEAF_S:
            return f"{WAIT} has not returned for {t - self._asked_t:.0f} s"
        return f"{WAIT} failed: {code_words(self._failed)}" if self._failed else ""

    def register(self, handle: object, xids: Xids | None = None) -> Xids:
        """Events of the GPU from now on, to be added to these; NVMLError when it has none."""
        if self._set is None:
            if self._creating:
                raise pynvml.NVMLError(NOT_READY)  # another worker hangs in it
            self._creating = True
            self._set = self._create()
        pynvml.nvmlDeviceRegisterEvents(handle, pynvml.nvmlEventTypeXidCriticalError, self._set)
        first = not self._by_handle
        xids = xids or Xids()
        xids.address = address_of(handle)
        self._by_handle[xids.address] = xids
        if first:
            threading.Thread(target=self._run, name="xids", daemon=True).start()
        return xids

    def _create(self) -> object:
        try:
            return pynvml.nvmlEventSetCreate()
        finally:
            self._creating = False

    def _run(self) -> None:
        while True:
            begun = self._asked_t = self._clock.now()
            if not self._once() and self._clock.now() - begun < _SHORT_S:
                self._pause.wait(_PAUSE_S)

    def _once(self) -> bool:
        """Whether an event came."""
        try:
            event = pynvml.nvmlEventSetWait_v2(self._set, WAIT_MS)
        except pynvml.NVMLError as error:
            self._failed = error.value if error.value != TIMEOUT else 0
            if self._failed:
                self._pause.wait(_PAUSE_S)
            return False
        self._failed = 0
        xids = self._by_handle.get(address_of(event.device))
        if xids is not None and event.eventType & pynvml.nvmlEventTypeXidCriticalError:
            xids.add(self._clock.now(), int(event.eventData))
        return True


def address_of(handle: Any) -> int | None:  # noqa: ANN401 - an opaque pointer of ctypes
    """What tells one handle from another."""
    return ctypes.cast(handle, ctypes.c_void_p).value
