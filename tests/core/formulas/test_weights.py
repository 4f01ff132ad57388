"""What the weights take of a GPU."""

from __future__ import annotations

import pytest

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, GPU, World, known, page, sample

SHARE = "engine.weight_share"
GIB = 2.0**30
SMALL = Entity(Kind.GPU, "1")


def with_gpus() -> World:
    """An engine on a GPU of 80 GiB and one of 40."""
    world = World()
    world.topology.replace("page", [Link(Relation.ENGINE_USES_GPU, ENGINE, gpu) for gpu in (GPU, SMALL)])
    sizes = sample("gpu.mem_total", 80 * GIB, GPU), sample("gpu.mem_total", 40 * GIB, SMALL)
    world.apply(page(0.0, *sizes, source="nvml"))
    return world


def test_weights_of_a_gpu_are_by_the_smallest_of_them() -> None:
    """Every rank holds the same part: 10 of 40 GiB is what counts."""
    world = with_gpus()
    world.apply(page(0.0, sample(SHARE, 10 * GIB, part="gpu-bytes"), source="log"))
    assert known(world.value(SHARE, 0.0)) == pytest.approx(0.25)


def test_without_the_bytes_there_is_no_share() -> None:
    """Memory in use is not weights: engines take all of it."""
    assert isinstance(with_gpus().value(SHARE, 0.0), Missing)


def test_without_a_gpu_there_is_no_share() -> None:
    """Bytes alone are of nothing."""
    world = World()
    world.apply(page(0.0, sample(SHARE, 10 * GIB, part="gpu-bytes")))
    assert world.value(SHARE, 0.0) is Missing.NEVER


def test_a_share_from_outside_overrides() -> None:
    """A situation file states it."""
    world = with_gpus()
    world.apply(page(0.0, sample(SHARE, 0.05)))
    assert world.value(SHARE, 0.0) == 0.05
