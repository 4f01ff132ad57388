"""Compute processes of one GPU and what they take of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pynvml  # type: ignore[import-untyped]  # NVIDIA ships no types

from perfconsole.clock import SystemClock
from perfconsole.model.sample import Missing
from perfconsole.sources.nvml.belonging import FOREIGN
from perfconsole.sources.nvml.reading import Reading
from perfconsole.sources.nvml.words import NOT_FOUND

if TYPE_CHECKING:
    from perfconsole.sources.nvml.device import Device

PROCESS_FILLS = ("gpu.process_count", "gpu.process_memory", FOREIGN)
SHARE_FILLS = ("gpu.process_utilization", "gpu.foreign_utilization")
_LOOK_BACK_S = 2.0
"""The driver samples up to once a second; it keeps old samples of processes that do nothing any more."""
_CLOCK = SystemClock()


def read_processes(device: Device, _: float) -> Reading:
    """The list, how many there are, and the most memory that one of them holds."""
    device.pids = None
    processes = device.compute(device.handle)
    device.pids = frozenset(process.pid for process in processes)
    values = {"gpu.process_count": float(len(device.pids))}
    memory = [process.memory for process in processes if process.memory is not None]
    if memory:
        values["gpu.process_memory"] = float(max(memory))
    missing = {} if processes else {"gpu.process_memory": Missing.NEVER}
    return Reading(values, missing, processes=processes)


def read_shares(device: Device, _: float) -> Reading:
    """SM share of the busiest compute process, and of all others together; code 6 when the driver has no sample."""
    shares = device.shares(device.handle, int((_CLOCK.wall() - _LOOK_BACK_S) * 1e6))
    known = device.pids
    percents = [percent for pid, percent in shares.items() if known is None or pid in known]
    if not percents:
        raise pynvml.NVMLError(NOT_FOUND)
    most = max(percents)
    return Reading({"gpu.process_utilization": most / 100, "gpu.foreign_utilization": (sum(percents) - most) / 100})
