"""What the layers do while a probe loads them: a few numbers of each, from the picture of the moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.probeview import LayerNow
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.model.snapshot import Indicator, Snapshot

_ENGINE = "engine"

_SHOWN: dict[str, tuple[tuple[str, str, bool], ...]] = {
    "gateway": (("requests", "gateway.request_rate", False), ("errors", "gateway.error_ratio", True)),
    "orchestration": (("in flight", "orchestration.inflight", False),),
    _ENGINE: (
        ("running", "engine.requests_running", False),
        ("waiting", "engine.requests_waiting", False),
        ("KV cache", "engine.kv_cache_usage", True),
        ("output", "engine.generation_rate", False),
    ),
    "hardware": (
        ("GPU", "gpu.utilization", True),
        ("power", "gpu.power", True),
        ("host CPU", "host.cpu_utilization", True),
    ),
}
"""Label, indicator, and whether the highest of several counts rather than their sum."""


def layers_now(snapshot: Snapshot | None, engine: Entity | None = None) -> tuple[LayerNow, ...]:
    """One line a layer; a layer of which nothing is known has none. Of several engines `engine` alone is told."""
    if snapshot is None:
        return ()
    by_name: dict[str, list[Indicator]] = {}
    for indicator in snapshot.indicators:
        if engine is None or indicator.entity == engine or not indicator.name.startswith(f"{_ENGINE}."):
            by_name.setdefault(indicator.name, []).append(indicator)
    found = []
    for layer, rows in _SHOWN.items():
        readings = tuple(r for label, name, most in rows if (r := _reading(label, by_name.get(name, []), most=most)))
        if readings:
            found.append(LayerNow(layer, readings))
    return tuple(found)


def _reading(label: str, indicators: list[Indicator], *, most: bool) -> tuple[str, float | Missing, str] | None:
    if not indicators:
        return None
    values = [i.value for i in indicators if not isinstance(i.value, Missing)]
    value = (max(values) if most else sum(values)) if values else indicators[0].value
    return label, value, indicators[0].unit
