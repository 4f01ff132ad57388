"""Shares of what a GPU has: memory and power, the highest memory use of the last minutes, and how it creeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import quotient
from perfconsole.core.formulas.minutes import HALF_HOUR_S, LINE_WINDOW_S, minute_slope
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

MEMORY = "gpu.mem_ratio"
PEAK_WINDOW_S = 300.0
FULL_WINDOWS_S = {"gpu.mem_growth": HALF_HOUR_S}


def mem_ratio(frame: Frame, gpu: Entity) -> float | Missing:
    """Memory in use / memory of the card."""
    return quotient(frame.value("gpu.mem_used", gpu), frame.value("gpu.mem_total", gpu))


def mem_peak_ratio(frame: Frame, gpu: Entity) -> float | Missing:
    """Highest memory use of 5 min; it outlives the engine that had it."""
    now = frame.value(MEMORY, gpu)
    track = frame.history.track(MEMORY, gpu)
    before = [value for _, value in track.points(frame.t - PEAK_WINDOW_S, frame.t)] if track else []
    if isinstance(now, Missing):
        return max(before, default=now)
    return max([now, *before])


def power_ratio(frame: Frame, gpu: Entity) -> float | Missing:
    """Draw / limit in force."""
    return quotient(frame.value("gpu.power", gpu), frame.value("gpu.power_limit", gpu))


def mem_growth(frame: Frame, gpu: Entity) -> float | Missing:
    """Bytes a second that memory use grows over 30 min; 0 when no line fits (R2 > 0.9)."""
    if isinstance(used := frame.value("gpu.mem_used", gpu), Missing):
        return used
    return minute_slope(frame, "gpu.mem_used", gpu, LINE_WINDOW_S)


FORMULAS = {
    "gpu.mem_ratio": mem_ratio,
    "gpu.mem_peak_ratio": mem_peak_ratio,
    "gpu.power_ratio": power_ratio,
    "gpu.mem_growth": mem_growth,
}
