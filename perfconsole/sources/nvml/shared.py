"""Questions about one GPU that need something of all of them: one set of events, the processes of the host, pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pynvml  # type: ignore[import-untyped]  # NVIDIA ships no types

from perfconsole.sources.nvml import mps
from perfconsole.sources.nvml.belonging import PAIRS
from perfconsole.sources.nvml.question import SLOW_S, STATE_S, Question
from perfconsole.sources.nvml.reading import Reading
from perfconsole.sources.nvml.words import LOST, UNSUPPORTED
from perfconsole.sources.nvml.xid import XidWatch, address_of
from perfconsole.sources.xid import FILLS as XID_FILLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfconsole.clock import Clock
    from perfconsole.sources.nvml.device import Device

PEER_FILLS = tuple(PAIRS)
"""Filled by the console, which knows whose GPUs are whose; here only the reasons why they cannot be."""
_READ, _NVLINK = 0, 2


class Shared:
    """What the questions share."""

    def __init__(self, clock: Clock, devices: Callable[[], Iterable[Device]]) -> None:
        self._devices = devices
        self._watch = XidWatch(clock)
        self._mps = (-SLOW_S, False)
        self.questions = (
            Question("nvmlDeviceRegisterEvents", self._register, XID_FILLS, SLOW_S),
            Question("nvmlDeviceGetMPSComputeRunningProcesses", self._mps_active, ("gpu.mps_active",), STATE_S),
            Question("nvmlDeviceGetP2PStatus", self._peers, PEER_FILLS, SLOW_S),
        )

    def deafness(self, t: float) -> str:
        """Why Xids are not heard of at time t, in words; empty while they are."""
        return self._watch.deafness(t)

    def _register(self, device: Device, _: float) -> Reading:
        """Again where the driver gives it under another handle: events come with that."""
        if device.xids is None or device.xids.address != address_of(device.handle):
            device.xids = self._watch.register(device.handle, device.xids)
        return Reading()

    def _mps_active(self, device: Device, t: float) -> Reading:
        """A server among the processes of this host, or clients of one on the card."""
        if t - self._mps[0] >= SLOW_S:
            self._mps = (t, mps.server_runs())
        try:
            clients = bool(device.mps(device.handle))
        except pynvml.NVMLError as error:
            if error.value not in UNSUPPORTED:
                raise
            clients = False
        return Reading({"gpu.mps_active": float(clients or self._mps[1])})

    def _peers(self, device: Device, _: float) -> Reading:
        """Status between this GPU and each one after it."""
        others = [d for d in self._devices() if d.index > device.index and not d.gone]
        pairs = {other.index: _pair(device.handle, other.handle) for other in others}
        return Reading(peers={index: pair for index, pair in pairs.items() if pair is not None})


def _pair(one: Any, other: Any) -> tuple[int, int] | None:  # noqa: ANN401 - pointers of ctypes
    """Peer reads and NVLink between two GPUs; None where one of them is lost: it is not said which."""
    try:
        reads = int(pynvml.nvmlDeviceGetP2PStatus(one, other, _READ))
        return reads, int(pynvml.nvmlDeviceGetP2PStatus(one, other, _NVLINK))
    except pynvml.NVMLError as error:
        if error.value not in LOST:
            raise
        return None
