"""Shares of what a GPU has."""

from __future__ import annotations

import pytest

from perfconsole.model.sample import Missing
from tests.core.building import GPU, World, page, sample


def world(**values: float) -> World:
    """A GPU with these values at second 0."""
    made = World()
    made.apply(page(0.0, *(sample(f"gpu.{name}", value, GPU) for name, value in values.items())))
    return made


@pytest.mark.parametrize(
    ("name", "values", "ratio"),
    [
        ("gpu.mem_ratio", {"mem_used": 60e9, "mem_total": 80e9}, 0.75),
        ("gpu.power_ratio", {"power": 350.0, "power_limit": 700.0}, 0.5),
    ],
)
def test_a_share_is_part_of_a_whole(name: str, values: dict[str, float], ratio: float) -> None:
    """Of the same GPU."""
    assert world(**values).value(name, 0.0, GPU) == ratio


def test_a_share_of_an_unknown_whole_is_missing() -> None:
    """Never taken for the whole itself."""
    assert isinstance(world(mem_used=60e9).value("gpu.mem_ratio", 0.0, GPU), Missing)


@pytest.mark.parametrize(("t", "peak"), [(100.0, 0.99), (400.0, 0.2)])
def test_the_peak_of_memory_is_kept_for_five_minutes(t: float, peak: float) -> None:
    """It outlives what took it."""
    made = world(mem_ratio=0.99)
    made.history.record(0.0, [("gpu.mem_ratio", GPU, 0.99)])
    made.apply(page(t, sample("gpu.mem_ratio", 0.2, GPU)))
    assert made.value("gpu.mem_peak_ratio", t, GPU) == peak


@pytest.mark.parametrize(
    ("growth", "wobble", "minutes", "found"),
    [
        (1000.0, 0.0, 40, 1000.0),
        (0.0, 5e8, 40, 0.0),
        (1000.0, 0.0, 20, Missing.WARMING_UP),
    ],
)
def test_memory_that_creeps_has_a_slope(growth: float, wobble: float, minutes: int, found: float | Missing) -> None:
    """Of half an hour, and none where no line fits."""
    made = World()
    for t in range(0, minutes * 60 + 1, 20):
        used = 60e9 + growth * t + wobble * (t // 60 % 2)
        made.apply(page(float(t), sample("gpu.mem_used", used, GPU), cadence_s=20.0))
        made.history.record(float(t), [("gpu.mem_used", GPU, used)])
    value = made.value("gpu.mem_growth", minutes * 60.0, GPU)
    assert value == (found if isinstance(found, Missing) else pytest.approx(found, rel=0.01, abs=1.0))


def test_memory_that_is_not_seen_does_not_creep() -> None:
    """Missing, not 0."""
    assert isinstance(World().value("gpu.mem_growth", 0.0, GPU), Missing)
