"""The simulated card heats, slows down and recovers."""

from __future__ import annotations

from perfconsole.demo.model.gpu import SLOWDOWN_C, GpuModel
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Kind


def after(seconds: float, load: float, air_flow: float) -> GpuModel:
    """A card that has worked like this for so long."""
    card = GpuModel(0.0)
    card.advance(seconds, load, air_flow)
    return card


def test_full_work_with_full_air_stays_below_slowdown() -> None:
    """A healthy card never throttles."""
    card = after(120.0, 1.0, 1.0)
    assert card.temperature < SLOWDOWN_C
    assert (card.clock_ratio, card.thermal_share) == (1.0, 0.0)


def test_little_air_brings_the_clocks_down() -> None:
    """Below 85 % within a few seconds, and held there by heat."""
    card = after(10.0, 0.6, 0.33)
    assert card.clock_ratio < 0.85
    assert card.thermal_share > 0.0


def test_air_brings_them_back() -> None:
    """And the share of the last minute runs out."""
    card = after(20.0, 0.6, 0.33)
    card.advance(40.0, 0.6, 1.0)
    assert card.clock_ratio == 1.0
    card.advance(110.0, 0.6, 1.0)
    assert card.thermal_share == 0.0


def test_every_value_is_an_indicator_of_a_gpu() -> None:
    """Names are those of the dictionary."""
    entries = {name: DEFAULT.find(name) for name in after(1.0, 0.5, 1.0).values()}
    assert [name for name, e in entries.items() if e is None or e.scope is not Kind.GPU] == []
