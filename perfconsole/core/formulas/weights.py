"""What the weights of a model take of each of its GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import quotient
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

SHARE = "engine.weight_share"
ON_A_GPU = (("part", "gpu-bytes"),)
"""Bytes of weights on one GPU, as a worker says of itself: already divided by ranks and pipeline stages."""


def weight_share(frame: Frame, engine: Entity) -> float | Missing:
    """Weight bytes on one GPU / memory of the smallest GPU of the engine; missing unless a source states the bytes."""
    weights = frame.folded(SHARE, engine, ON_A_GPU)
    if isinstance(weights, Missing):
        return weights
    sizes = (frame.value("gpu.mem_total", gpu) for gpu in frame.related(engine, Kind.GPU))
    known = [size for size in sizes if not isinstance(size, Missing)]
    return quotient(weights, min(known)) if known else Missing.NEVER


FORMULAS = {SHARE: weight_share}
