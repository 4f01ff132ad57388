"""Which GPUs there are: each keeps the number that it was first seen under, however the driver numbers them later."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pynvml  # type: ignore[import-untyped]  # NVIDIA ships no types

from perfconsole.sources.nvml.device import Device
from perfconsole.sources.nvml.rounds import SYSTEM, Step
from perfconsole.sources.nvml.shared import PEER_FILLS
from perfconsole.sources.nvml.slot import Slot
from perfconsole.sources.nvml.words import LOST, NO_PERMISSION, code_words
from perfconsole.sources.xid import FILLS as XID_FILLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfconsole.sources.nvml.question import Question

OPEN, IDENTIFY, SETTLE = "nvmlDeviceGetHandleByIndex", "nvmlDeviceGetUUID", ""
_RETRY_S = 5.0


class Roster:
    """The GPUs. Written by the workers that open them; anybody may look."""

    def __init__(self, questions: Callable[[], Iterable[Question]], due: Callable[[Device], Iterable[Step]]) -> None:
        self.devices: dict[int, Device] = {}
        self.slots: dict[int, tuple[Slot, ...]] = {}
        self.count: int | None = None
        """GPUs that the driver counts now."""
        self._questions = questions
        self._due = due
        self._handles: dict[int, object] = {}
        self._at: dict[int, Device] = {}
        """GPUs that were opened since the count changed, by the driver's number."""
        self._fresh: list[Device] = []
        """GPUs that were opened and not asked yet: all are opened first, for questions about two of them."""
        self._tried_t: dict[int, float] = {}

    def all(self) -> tuple[Device, ...]:
        """The GPUs of this moment: a worker may just be adding one."""
        return tuple(self.devices.values())

    def recount(self, count: int, t: float) -> list[Step]:
        """Steps that are to follow when the driver counts so many: what is not open is opened, all if it changed."""
        changed = count != self.count
        if changed:
            self.count = count
            self._at.clear()
            self._handles.clear()
            self._tried_t.clear()
        shut = [n for n in range(count) if n not in self._handles and t - self._tried_t.get(n, -_RETRY_S) >= _RETRY_S]
        if not shut and not changed and not self._fresh:
            return []
        self._tried_t |= dict.fromkeys(shut, t)
        return [*(Step(n, OPEN, partial(self._admit, n)) for n in shut), Step(SYSTEM, SETTLE, self._settle)]

    def _admit(self, place: int) -> Iterable[Step]:
        """Open the GPU that the driver has under a number."""
        try:
            handle = pynvml.nvmlDeviceGetHandleByIndex(place)
        except pynvml.NVMLError as error:
            self._refused(place, error.value)
            return ()
        self._handles[place] = handle
        return [Step(place, IDENTIFY, partial(self._identify, place, handle))]

    def _identify(self, place: int, handle: object) -> Iterable[Step]:
        try:
            uuid = pynvml.nvmlDeviceGetUUID(handle)
        except (pynvml.NVMLError, UnicodeDecodeError):
            uuid = ""
        self._take(place, handle, uuid.decode("utf-8", "replace") if isinstance(uuid, bytes) else str(uuid))
        return ()

    def _take(self, place: int, handle: object, uuid: str) -> None:
        """Take a GPU in; one that is known by its UUID keeps the number that it had."""
        device = self._at.get(place)
        if device is None:
            device = self._known(uuid, place) or self._new(place)
            self._at[place] = device
            self._fresh.append(device)
        device.handle, device.place, device.gone = handle, place, ""
        device.forbidden = device.vanished = False
        device.uuid = uuid or device.uuid

    def _known(self, uuid: str, place: int) -> Device | None:
        taken = tuple(self._at.values())
        same = (d for d in self.all() if uuid and d.uuid == uuid and d not in taken)
        at = self.devices.get(place)
        return next(same, at if at is not None and (not at.uuid or not uuid) else None)

    def _new(self, place: int) -> Device:
        index = place if place not in self.devices else max(self.devices) + 1
        self.slots[index] = tuple(Slot(question) for question in self._questions())
        self.devices[index] = Device(index)
        return self.devices[index]

    def _refused(self, place: int, code: int) -> None:
        self._refuse(place, LOST.get(code) or f"cannot be opened: {code_words(code)}", forbidden=code == NO_PERMISSION)

    def _refuse(self, place: int, why: str, *, forbidden: bool = False) -> None:
        """A GPU that is counted and cannot be opened is there, and not up."""
        device = next((d for d in self.all() if d.place == place), None) or self._new(place)
        device.place, device.gone, device.forbidden = place, why, forbidden

    def _settle(self) -> Iterable[Step]:
        """What was there and is not among the GPUs that the driver counts now is gone; the new ones are asked."""
        for place in range(self.count or 0):
            if place in self._handles and place not in self._at:
                self._take(place, self._handles[place], "")  # its UUID hangs
            elif place not in self._handles and not any(d.place == place for d in self.all()):
                self._refuse(place, f"cannot be opened: {OPEN} has not returned")
        fresh, self._fresh = self._fresh, []
        for device in self.all():
            holder = self._at.get(device.place)
            if device.place >= (self.count or 0) or (holder is not None and holder is not device):
                device.vanished = True
                device.gone = f"is no longer among the {self.count} GPUs that the driver counts"
            for slot in self.slots[device.index]:
                slot.renew(PEER_FILLS)
                slot.renew(XID_FILLS)
        return [step for device in fresh for step in self._due(device)]
