"""GPU performance metrics (Hopper on): figures over the time between two samples of one GPU."""

from __future__ import annotations

from math import isfinite
from typing import Any

import pynvml  # type: ignore[import-untyped]  # NVIDIA ships no types

from perfconsole.model.sample import Missing
from perfconsole.sources.nvml.reading import Reading
from perfconsole.sources.nvml.words import NOT_SUPPORTED, reason_of

_PERCENT, _MIB = 0.01, float(2**20)
METRICS: tuple[tuple[int, str, float], ...] = (
    (1, "gpu.engine_active", _PERCENT),
    (1, "gpu.utilization", _PERCENT),
    (2, "gpu.sm_active", _PERCENT),
    (3, "gpu.sm_occupancy", _PERCENT),
    (5, "gpu.tensor_active", _PERCENT),
    (10, "gpu.dram_active", _PERCENT),
    (20, "gpu.pcie_tx", _MIB),
    (21, "gpu.pcie_rx", _MIB),
    (60, "gpu.nvlink_rx", _MIB),
    (61, "gpu.nvlink_tx", _MIB),
)
"""Number of the metric, indicator, factor to its unit. NVML gives percent and MiB/s."""
FILLS = tuple(name for _, name, _ in METRICS)
_NUMBERS = tuple(dict.fromkeys(number for number, _, _ in METRICS))


class Gpm:
    """The samples of one GPU: the one before and the one that is taken next."""

    def __init__(self) -> None:
        self._supported = False
        self._old: Any = None
        self._new: Any = None
        self._has_old = False
        self._question = pynvml.c_nvmlGpmMetricsGet_t()
        self._question.version = pynvml.NVML_GPM_METRICS_GET_VERSION
        self._question.numMetrics = len(_NUMBERS)
        for row, number in zip(self._question.metrics, _NUMBERS, strict=False):
            row.metricId = number

    def read(self, handle: object) -> Reading:
        """The metrics since the call before; the first call has nothing to compare with."""
        self._prepare(handle)
        try:
            pynvml.nvmlGpmSampleGet(handle, self._new)
        except pynvml.NVMLError:
            self._has_old = False
            raise
        self._old, self._new = self._new, self._old
        if not self._has_old:
            self._has_old = True
            return Reading(missing=dict.fromkeys(FILLS, Missing.WARMING_UP))
        self._question.sample1, self._question.sample2 = self._new, self._old
        pynvml.nvmlGpmMetricsGet(self._question)
        return _reading({number: self._question.metrics[i] for i, number in enumerate(_NUMBERS)})

    def _prepare(self, handle: object) -> None:
        if not self._supported:
            self._supported = bool(pynvml.nvmlGpmQueryDeviceSupport(handle).isSupportedDevice)
        if not self._supported:
            raise pynvml.NVMLError(NOT_SUPPORTED)
        if self._new is None:
            self._old, self._new = pynvml.nvmlGpmSampleAlloc(), pynvml.nvmlGpmSampleAlloc()


def _reading(rows: dict[int, Any]) -> Reading:
    values: dict[str, float] = {}
    missing: dict[str, Missing] = {}
    for number, name, factor in METRICS:
        row = rows[number]
        code, value = row.nvmlReturn, row.value
        if code:
            missing[name] = reason_of(code)
        elif isfinite(value):
            values[name] = value * factor
        else:
            missing[name] = Missing.WARMING_UP
    return Reading(values, missing)
