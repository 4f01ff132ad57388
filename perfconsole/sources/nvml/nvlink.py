"""NVLink of one GPU: links up, traffic and errors.

A sum over all links is one field with the scope of every link; a driver that refuses it is asked link by link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pynvml  # type: ignore[import-untyped]  # NVIDIA ships no types

from perfconsole.model.sample import Missing
from perfconsole.sources.nvml.native import EVERY_LINK, FieldCall
from perfconsole.sources.nvml.reading import Reading
from perfconsole.sources.nvml.windows import Growth, Rate
from perfconsole.sources.nvml.words import (
    FIELD_UNSUPPORTED,
    FUNCTION_NOT_FOUND,
    LOST,
    NOT_SUPPORTED,
    code_words,
    reason_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

_KIB = 1024.0
_TRAFFIC = {
    "gpu.nvlink_tx": (((138,), _KIB), ((202,), 1.0)),
    "gpu.nvlink_rx": (((139,), _KIB), ((204,), 1.0)),
}
"""Fields to be summed and their unit in bytes, the first that the card has: data in KiB, then bytes (Blackwell)."""
_ERRORS = {
    "gpu.nvlink_crc": (((163, 161), 1.0), ((206, 208, 209, 210, 211), 1.0)),
    "gpu.nvlink_recoveries": (((162,), 1.0), ((213, 214), 1.0)),
}
"""CRC and replay errors, recoveries; from Blackwell on packet errors and link recoveries in their place."""
STATE_FILLS = ("gpu.nvlink_active", "gpu.nvlink_expected")
TRAFFIC_FILLS = tuple(_TRAFFIC)
ERROR_FILLS = tuple(_ERRORS)
_AGAIN_S = 60.0


class Total:
    """One cumulative figure of a card, from the first set of fields that it has."""

    def __init__(self, variants: Iterable[tuple[tuple[int, ...], float]]) -> None:
        self._variants = tuple(variants)
        self._call: FieldCall | None = None
        self._unit = 1.0

    def read(self, handle: object, links: tuple[int, ...]) -> float:
        """Sum in base units; NVMLError when no set of fields gives one."""
        if self._call is not None:
            code, value = _sum(self._call, handle)
            if not code:
                return value * self._unit
            self._call = None
        last = NOT_SUPPORTED
        for scopes in ((EVERY_LINK,), links):
            for fields, unit in self._variants:
                call = FieldCall([(field, scope) for field in fields for scope in scopes])
                code, value = _sum(call, handle) if call.fields else (NOT_SUPPORTED, 0.0)
                if not code:
                    self._call, self._unit = call, unit
                    return value * unit
                last = code if code not in FIELD_UNSUPPORTED else last
        raise pynvml.NVMLError(last)


def _sum(call: FieldCall, handle: object) -> tuple[int, float]:
    """The first bad code, or 0, and the sum of what there is. A card may have CRC and no replay errors."""
    got = call(handle).values()
    good = [value for code, value in got if not code]
    bad = [code for code, _ in got if code]
    hard = next((code for code in bad if code not in FIELD_UNSUPPORTED), 0)
    return hard or (0 if good else bad[0]), sum(good)


class NvLink:
    """What is known of the links of one card."""

    def __init__(self) -> None:
        self.links: tuple[int, ...] = ()
        """Numbers of the links that the card has, up or not."""
        self._why = Missing.SOURCE_DOWN
        """Why its links are not known, or that it has none."""
        self._looked_t: float | None = None
        self._best = 0
        self._up = 0
        self._downs = 0
        self._totals = {name: Total(variants) for name, variants in (_TRAFFIC | _ERRORS).items()}
        self._rates = {name: Rate() for name in _TRAFFIC}
        self._recoveries = Growth()

    def state(self, handle: object, t: float) -> Reading:
        """Links up; a card without links has none to expect."""
        whole = self._looked_t is None or t - self._looked_t >= _AGAIN_S
        try:
            states = _states(handle, range(pynvml.NVML_NVLINK_MAX_LINKS) if whole else self.links)
        except pynvml.NVMLError as error:
            self._why = reason_of(error.value)
            raise
        if whole:
            self._looked_t, self.links, self._why = t, tuple(states), Missing.UNSUPPORTED
        up = sum(states.values())
        self._downs += max(0, self._up - up)
        self._up, self._best = up, max(self._best, up)
        if not self.links:
            return Reading({"gpu.nvlink_expected": 0.0}, {"gpu.nvlink_active": Missing.UNSUPPORTED})
        return Reading({"gpu.nvlink_active": float(up), "gpu.nvlink_expected": float(self._best)})

    def traffic(self, handle: object, t: float) -> Reading:
        """Rates since the call before."""
        totals, missing, notes = self._read(handle, _TRAFFIC)
        values = {}
        for name, total in totals.items():
            rate = self._rates[name](t, total)
            if rate is None:
                missing[name] = Missing.WARMING_UP
            else:
                values[name] = rate
        return Reading(values, missing, notes)

    def errors(self, handle: object, t: float) -> Reading:
        """Errors since the driver was loaded; recoveries and links that went down in the last hour."""
        values, missing, notes = self._read(handle, _ERRORS)
        if "gpu.nvlink_recoveries" in values:
            self._recoveries.add(t, values["gpu.nvlink_recoveries"] + self._downs)
            values["gpu.nvlink_recoveries"] = self._recoveries.count(t)
        return Reading(values, missing, notes)

    def _read(
        self, handle: object, names: Iterable[str]
    ) -> tuple[dict[str, float], dict[str, Missing], tuple[str, ...]]:
        """Totals, reasons and remarks; NVMLError when the card has none of them, or is lost."""
        if not self.links and self._why is Missing.UNSUPPORTED:
            raise pynvml.NVMLError(NOT_SUPPORTED)
        if not self.links:
            return {}, dict.fromkeys(names, self._why), ()
        values: dict[str, float] = {}
        missing: dict[str, Missing] = {}
        notes: list[str] = []
        for name in names:
            try:
                values[name] = self._totals[name].read(handle, self.links)
            except pynvml.NVMLError as error:
                if error.value in LOST:
                    raise
                missing[name] = reason_of(error.value)
                if missing[name] is Missing.SOURCE_DOWN:
                    notes.append(f"nvmlDeviceGetFieldValues for {name} failed: {code_words(error.value)}")
        if not values and set(missing.values()) == {Missing.UNSUPPORTED}:
            raise pynvml.NVMLError(NOT_SUPPORTED)
        return values, missing, tuple(notes)


def _states(handle: object, links: Iterable[int]) -> dict[int, int]:
    """Link -> 1 for up. A number that no link has is refused, which is no error."""
    states = {}
    for link in links:
        try:
            states[link] = int(bool(pynvml.nvmlDeviceGetNvLinkState(handle, link)))
        except pynvml.NVMLError as error:
            if error.value not in FIELD_UNSUPPORTED:
                raise
            if error.value == FUNCTION_NOT_FOUND:
                return {}
    return states
