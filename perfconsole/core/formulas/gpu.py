"""Shares of what a GPU has: memory and power, and the highest memory use of the last minutes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import quotient
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

MEMORY = "gpu.mem_ratio"
PEAK_WINDOW_S = 300.0


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


FORMULAS = {
    "gpu.mem_ratio": mem_ratio,
    "gpu.mem_peak_ratio": mem_peak_ratio,
    "gpu.power_ratio": power_ratio,
}
