"""Tests of what the layers do under a load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.view.probelayers import layers_now
from tests.view.pictures import ENGINE, HOST, indicator, snapshot

if TYPE_CHECKING:
    from perfconsole.model.probeview import LayerNow

OTHER = Entity(Kind.ENGINE, "vllm:8001")
CARDS = tuple(Entity(Kind.GPU, number) for number in "01")
PICTURE = snapshot(
    indicators=(
        indicator("engine.requests_running", 9.0),
        indicator("engine.requests_running", 4.0, OTHER),
        indicator("engine.kv_cache_usage", 0.5),
        indicator("engine.kv_cache_usage", 0.9, OTHER),
        indicator("gpu.utilization", 0.3, CARDS[0]),
        indicator("gpu.utilization", 0.8, CARDS[1]),
        indicator("host.cpu_utilization", Missing.STALE, HOST),
    )
)


def readings(layer: LayerNow) -> dict[str, float | Missing]:
    """Values by label."""
    return {label: value for label, value, _ in layer.readings}


def test_layers_in_the_order_of_a_request() -> None:
    """One of which nothing is known is left out, and what is missing says why."""
    engine, hardware = layers_now(PICTURE, ENGINE)
    assert (engine.layer, hardware.layer) == ("engine", "hardware")
    assert readings(hardware) == {"GPU": 0.8, "host CPU": Missing.STALE}


def test_the_engine_under_the_load_speaks_alone() -> None:
    """Others have other users; where nobody knows which it is, all are added up, and the fullest cache counts."""
    assert readings(layers_now(PICTURE, ENGINE)[0]) == {"running": 9.0, "KV cache": 0.5}
    assert readings(layers_now(PICTURE, OTHER)[0]) == {"running": 4.0, "KV cache": 0.9}
    assert readings(layers_now(PICTURE)[0]) == {"running": 13.0, "KV cache": 0.9}


def test_nothing_is_known_before_the_first_picture() -> None:
    """No layer, and no zero."""
    assert layers_now(None) == ()
    assert layers_now(snapshot()) == ()
