"""The questions about one GPU, one row each: the call, what it fills, how often it is asked.

A row is a function of a device and a time that gives a reading or raises NVMLError; it must never catch what another
row could be hit by. What changes with the load is asked each second, settings and states of links every 5 s.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import pynvml  # type: ignore[import-untyped]  # NVIDIA ships no types

from perfconsole.model.sample import Missing
from perfconsole.sources.nvml import gpm, nvlink
from perfconsole.sources.nvml.fieldvalues import FIELD_FILLS, read_fields
from perfconsole.sources.nvml.processes import PROCESS_FILLS, SHARE_FILLS, read_processes, read_shares
from perfconsole.sources.nvml.question import SLOW_S, STATE_S, Question
from perfconsole.sources.nvml.reading import Reading
from perfconsole.sources.nvml.words import NOT_SUPPORTED, UNSUPPORTED, held_by, reason_of
from perfconsole.sources.throttles import THROTTLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.sources.nvml.device import Device

_SM = 1
_UNCORRECTED, _SINCE_LOAD = 1, 0
_SLOWDOWN = 1
_CORE = 0
_MHZ = 1e6


def _first(device: Device, name: str, *ways: Callable[[], float]) -> float:
    """The first way that the driver and the card support; NVMLError of the last one when there is none."""
    for number in range(device.ways.get(name, 0), len(ways) - 1):
        try:
            return ways[number]()
        except AttributeError:
            pass  # an older pynvml
        except pynvml.NVMLError as error:
            if error.value not in UNSUPPORTED:
                raise
        device.ways[name] = number + 1
    return ways[-1]()


def _name(device: Device, _: float) -> Reading:
    name = pynvml.nvmlDeviceGetName(device.handle)
    device.name = name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)
    return Reading()


def _utilization(device: Device, _: float) -> Reading:
    rates = pynvml.nvmlDeviceGetUtilizationRates(device.handle)
    return Reading({"gpu.utilization": rates.gpu / 100, "gpu.mem_busy": rates.memory / 100})


def _memory(device: Device, _: float) -> Reading:
    """By the newer call, which takes what the driver reserves out of what is used."""
    try:
        memory = pynvml.nvmlDeviceGetMemoryInfo(device.handle, pynvml.nvmlMemory_v2)
    except pynvml.NVMLError as error:
        if error.value not in UNSUPPORTED:
            raise
        memory = pynvml.nvmlDeviceGetMemoryInfo(device.handle)
    return Reading({"gpu.mem_used": float(memory.used), "gpu.mem_total": float(memory.total)})


def _power(device: Device, _: float) -> Reading:
    return Reading({"gpu.power": pynvml.nvmlDeviceGetPowerUsage(device.handle) / 1000})


def _power_limit(device: Device, _: float) -> Reading:
    return Reading({"gpu.power_limit": pynvml.nvmlDeviceGetEnforcedPowerLimit(device.handle) / 1000})


def _temperature(device: Device, _: float) -> Reading:
    handle, device.temperature = device.handle, None
    device.temperature = _first(
        device,
        "temperature",
        lambda: float(pynvml.nvmlDeviceGetTemperatureV(handle, _CORE)),
        lambda: float(pynvml.nvmlDeviceGetTemperature(handle, _CORE)),
    )
    return Reading({"gpu.temperature": device.temperature})


def _margin(device: Device, _: float) -> Reading:
    device.gives_margin = False
    margin = float(pynvml.nvmlDeviceGetMarginTemperature(device.handle))
    device.gives_margin = True
    return Reading({"gpu.temp_margin": margin})


def _threshold(device: Device, _: float) -> Reading:
    """For cards that do not give the distance: the slowdown temperature, less the temperature of this round."""
    if device.gives_margin:
        return Reading()
    if device.temperature is None:
        return Reading(missing={"gpu.temp_margin": Missing.NEVER})
    if device.slowdown is None:
        device.slowdown = float(pynvml.nvmlDeviceGetTemperatureThreshold(device.handle, _SLOWDOWN))
    return Reading({"gpu.temp_margin": device.slowdown - device.temperature})


def _fan(device: Device, _: float) -> Reading:
    return Reading({"gpu.fan": pynvml.nvmlDeviceGetFanSpeed(device.handle) / 100})


def _max_clock(device: Device, _: float) -> Reading:
    """A fact of the card: once known, it stays so."""
    try:
        most = pynvml.nvmlDeviceGetMaxClockInfo(device.handle, _SM)
    except pynvml.NVMLError as error:
        device.no_max_clock = reason_of(error.value)
        raise
    device.max_sm_clock_hz, device.no_max_clock = most * _MHZ, Missing.UNSUPPORTED
    return Reading()


def _clock(device: Device, _: float) -> Reading:
    clock, most = pynvml.nvmlDeviceGetClockInfo(device.handle, _SM) * _MHZ, device.max_sm_clock_hz
    if not most:
        return Reading({"gpu.sm_clock": clock}, {"gpu.clock_ratio": device.no_max_clock})
    return Reading({"gpu.sm_clock": clock, "gpu.clock_ratio": clock / most})


def _throttles(device: Device, t: float) -> Reading:
    """Shares of the last minute: of the samples, or of a counter of the driver where that says more.

    A counter catches what happens between two polls, a sample what a counter that stands still does not.
    """
    bits = int(
        _first(
            device,
            "reasons",
            lambda: pynvml.nvmlDeviceGetCurrentClocksEventReasons(device.handle),
            lambda: pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(device.handle),
        )
    )
    device.bits.add(t, bits)
    values = {}
    for name, bit in THROTTLES.items():
        counter = device.counters.get(name)
        values[name] = max(device.bits.share(bit), (counter.share(t) or 0.0) if counter else 0.0)
    return Reading(values, facts={"gpu.held_by": held_by(bits)})


def _ecc(device: Device, _: float) -> Reading:
    errors = pynvml.nvmlDeviceGetTotalEccErrors(device.handle, _UNCORRECTED, _SINCE_LOAD)
    return Reading({"gpu.ecc_uncorrected": float(errors)})


def _remaps(device: Device, _: float) -> Reading:
    correctable, uncorrectable, pending, failed = pynvml.nvmlDeviceGetRemappedRows(device.handle)
    return Reading(
        {
            "gpu.remapped_rows": float(correctable + uncorrectable),
            "gpu.remap_pending": float(bool(pending)),
            "gpu.remap_failed": float(bool(failed)),
        }
    )


def _replays(device: Device, _: float) -> Reading:
    return Reading({"gpu.pcie_replays": float(pynvml.nvmlDeviceGetPcieReplayCounter(device.handle))})


def _width(device: Device, _: float) -> Reading:
    width = float(pynvml.nvmlDeviceGetCurrPcieLinkWidth(device.handle))
    device.best_width = max(device.best_width, width)
    return Reading({"gpu.pcie_width": width, "gpu.pcie_width_best": device.best_width})


def _max_width(device: Device, _: float) -> Reading:
    return Reading({"gpu.pcie_width_max": float(pynvml.nvmlDeviceGetMaxPcieLinkWidth(device.handle))})


def _generation(device: Device, _: float) -> Reading:
    generation = float(pynvml.nvmlDeviceGetCurrPcieLinkGeneration(device.handle))
    device.best_gen = max(device.best_gen, generation)
    return Reading({"gpu.pcie_gen": generation, "gpu.pcie_gen_best": device.best_gen})


def _fabric(device: Device, _: float) -> Reading:
    """The state is one byte; what stands beside it in the structure is not defined. 0: the card has no fabric."""
    info = pynvml.c_nvmlGpuFabricInfoV_t()
    info.version = pynvml.nvmlGpuFabricInfo_v2
    try:
        pynvml.nvmlDeviceGetGpuFabricInfoV(device.handle, ctypes.byref(info))
    except pynvml.NVMLError as error:
        if error.value not in UNSUPPORTED:
            raise
        info = pynvml.c_nvmlGpuFabricInfo_t()
        pynvml.nvmlDeviceGetGpuFabricInfo(device.handle, ctypes.byref(info))
    state = info.state & 0xFF
    if not state:
        raise pynvml.NVMLError(NOT_SUPPORTED)
    return Reading({"gpu.fabric_state": float(state)})


def _energy(device: Device, _: float) -> Reading:
    return Reading({"gpu.energy": pynvml.nvmlDeviceGetTotalEnergyConsumption(device.handle) / 1000})


def _mig(device: Device, _: float) -> Reading:
    current, _pending = pynvml.nvmlDeviceGetMigMode(device.handle)
    return Reading({"gpu.mig": float(bool(current))})


def _gpm(device: Device, _: float) -> Reading:
    return device.gpm.read(device.handle)


def _link_state(device: Device, t: float) -> Reading:
    return device.nvlink.state(device.handle, t)


def _link_traffic(device: Device, t: float) -> Reading:
    return device.nvlink.traffic(device.handle, t)


def _link_errors(device: Device, t: float) -> Reading:
    return device.nvlink.errors(device.handle, t)


QUESTIONS: tuple[Question, ...] = (
    Question("nvmlDeviceGetName", _name, (), SLOW_S),
    Question("nvmlDeviceGetUtilizationRates", _utilization, ("gpu.utilization", "gpu.mem_busy")),
    Question("nvmlDeviceGetMemoryInfo", _memory, ("gpu.mem_used", "gpu.mem_total")),
    Question("nvmlDeviceGetPowerUsage", _power, ("gpu.power",)),
    Question("nvmlDeviceGetEnforcedPowerLimit", _power_limit, ("gpu.power_limit",), STATE_S),
    Question("nvmlDeviceGetTemperature", _temperature, ("gpu.temperature",)),
    Question("nvmlDeviceGetMarginTemperature", _margin, ("gpu.temp_margin",)),
    Question("nvmlDeviceGetTemperatureThreshold", _threshold, ("gpu.temp_margin",)),
    Question("nvmlDeviceGetFanSpeed", _fan, ("gpu.fan",), STATE_S),
    Question("nvmlDeviceGetMaxClockInfo", _max_clock, (), SLOW_S),
    Question("nvmlDeviceGetClockInfo", _clock, ("gpu.sm_clock", "gpu.clock_ratio")),
    Question("nvmlDeviceGetFieldValues", read_fields, FIELD_FILLS),
    Question("nvmlDeviceGetCurrentClocksEventReasons", _throttles, tuple(THROTTLES)),
    Question("nvmlDeviceGetTotalEccErrors", _ecc, ("gpu.ecc_uncorrected",), STATE_S),
    Question(
        "nvmlDeviceGetRemappedRows", _remaps, ("gpu.remapped_rows", "gpu.remap_pending", "gpu.remap_failed"), STATE_S
    ),
    Question("nvmlDeviceGetPcieReplayCounter", _replays, ("gpu.pcie_replays",), STATE_S),
    Question("nvmlDeviceGetCurrPcieLinkWidth", _width, ("gpu.pcie_width", "gpu.pcie_width_best"), STATE_S),
    Question("nvmlDeviceGetMaxPcieLinkWidth", _max_width, ("gpu.pcie_width_max",), SLOW_S),
    Question("nvmlDeviceGetCurrPcieLinkGeneration", _generation, ("gpu.pcie_gen", "gpu.pcie_gen_best"), STATE_S),
    Question("nvmlDeviceGetNvLinkState", _link_state, nvlink.STATE_FILLS, STATE_S),
    Question("nvmlDeviceGetFieldValues (NVLink traffic)", _link_traffic, nvlink.TRAFFIC_FILLS),
    Question("nvmlDeviceGetFieldValues (NVLink errors)", _link_errors, nvlink.ERROR_FILLS, STATE_S),
    Question("nvmlDeviceGetGpuFabricInfoV", _fabric, ("gpu.fabric_state",), STATE_S),
    Question("nvmlDeviceGetTotalEnergyConsumption", _energy, ("gpu.energy",)),
    Question("nvmlDeviceGetMigMode", _mig, ("gpu.mig",), STATE_S),
    Question("nvmlGpmSampleGet", _gpm, gpm.FILLS),
    Question("nvmlDeviceGetComputeRunningProcesses", read_processes, PROCESS_FILLS),
    Question("nvmlDeviceGetProcessUtilization", read_shares, SHARE_FILLS),
)
"""Where two rows fill one value, the earlier one is believed."""
