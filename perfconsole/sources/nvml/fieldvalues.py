"""What a card says in numbered fields rather than by functions: one question for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pynvml  # type: ignore[import-untyped]  # NVIDIA ships no types

from perfconsole.model.sample import Missing
from perfconsole.sources.nvml.native import FieldCall
from perfconsole.sources.nvml.reading import Reading
from perfconsole.sources.nvml.windows import CounterShare
from perfconsole.sources.nvml.words import FIELD_UNSUPPORTED, LOST, code_words, reason_of

if TYPE_CHECKING:
    from perfconsole.sources.nvml.device import Device

_PLAIN = {82: "gpu.mem_temperature", 230: "gpu.recovery_action"}
_RATES = {197: "gpu.pcie_tx", 198: "gpu.pcie_rx"}
"""Cumulative bytes. nvmlDeviceGetPcieThroughput would block for 20 ms a direction to measure the same."""
_SHARES = {
    74: "gpu.throttle_power_cap",
    269: "gpu.throttle_thermal_sw",
    270: "gpu.throttle_thermal_hw",
    271: "gpu.throttle_power_brake",
}
"""Cumulative nanoseconds; they only help the shares that the clock event reasons give."""
FIELD_FILLS = (*_PLAIN.values(), *_RATES.values())
_ALL = tuple((number, 0) for number in (*_PLAIN, *_RATES, *_SHARES))


def read_fields(device: Device, t: float) -> Reading:
    """All fields at once; NVMLError when the question as a whole failed, or the card is lost."""
    if device.fields is None:
        device.fields = FieldCall(_ALL)
    values: dict[str, float] = {}
    missing: dict[str, Missing] = {}
    notes: list[str] = []
    for (number, _), (code, value) in device.fields(device.handle).items():
        if code in LOST:
            raise pynvml.NVMLError(code)
        name = _PLAIN.get(number) or _RATES.get(number)
        if code and name:
            missing[name] = Missing.UNSUPPORTED if code in FIELD_UNSUPPORTED else reason_of(code)
            if missing[name] is Missing.SOURCE_DOWN:
                notes.append(f"field {number} of nvmlDeviceGetFieldValues failed: {code_words(code)}")
        elif not code:
            _take(device, t, number, value, (values, missing))
    return Reading(values, missing, tuple(notes))


def _take(
    device: Device, t: float, number: int, value: float, into: tuple[dict[str, float], dict[str, Missing]]
) -> None:
    """One good field to where it belongs."""
    values, missing = into
    if number in _SHARES:
        device.counters.setdefault(_SHARES[number], CounterShare()).add(t, value)
    elif number in _PLAIN:
        values[_PLAIN[number]] = value
    else:
        rate = device.rate(_RATES[number], t, value)
        if rate is None:
            missing[_RATES[number]] = Missing.WARMING_UP
        else:
            values[_RATES[number]] = rate
