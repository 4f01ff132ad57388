"""Every layer that is read over HTTP with its adapters, by the name that a configuration gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources import engines, gateways, orchestrators
from perfconsole.sources.layer import ENGINE, GATEWAY, ORCHESTRATOR, Layer

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Adapter

    Shelves = tuple[tuple[Layer, tuple[Adapter, ...]], ...]

LAYERS: dict[str, Layer] = {"engine": ENGINE, "gateway": GATEWAY, "orchestration": ORCHESTRATOR}
"""In the order in which a page is offered: the series of a plain Python process are on pages of engines too."""
_SHELVES = {"engine": engines.adapters, "gateway": gateways.adapters, "orchestration": orchestrators.adapters}


def adapters_of(layer: str) -> tuple[Adapter, ...]:
    """Adapters of one layer, in the order in which they are asked."""
    return _SHELVES[layer]()


def shelves() -> Shelves:
    """Every layer with its adapters, in the order in which a page is offered."""
    return tuple((layer, adapters_of(name)) for name, layer in LAYERS.items())
