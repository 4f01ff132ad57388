"""What a result depends on beside the plan: engine, GPUs, host and client, as names and values in words."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from perfconsole.core.identity import GPU_NAMES, SETTINGS, identities
from perfconsole.model.entity import Entity, Kind, Relation
from perfconsole.model.profile import Identity
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from perfconsole.model.snapshot import Snapshot

_GIB = 1 << 30
_CARD: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("memory", "gpu.mem_total", lambda value: f"{value / _GIB:.1f} GiB"),
    ("sm_clock", "gpu.sm_clock", lambda value: f"{value / 1e6:.0f} MHz"),
    ("power_limit", "gpu.power_limit", lambda value: f"{value:.0f} W"),
    ("mig", "gpu.mig", lambda value: "on" if value else ""),
    ("other_processes", "gpu.foreign_processes", lambda value: f"{value:.0f}"),
)
"""What is kept of a card, by the indicator that says it."""


def environment_of(snapshot: Snapshot | None, engine: Entity | None, machine: Mapping[str, str]) -> dict[str, str]:
    """Everything that is known, sorted; `machine` is what the host's files say.

    The picture is best one of the time of the load: a card that idles shows another clock.
    """
    found = dict(machine)
    if snapshot is not None:
        found |= dict(_engine(snapshot, engine)) if engine is not None else {}
        found |= dict(_cards(snapshot, engine))
    return dict(sorted(found.items()))


def _engine(snapshot: Snapshot, engine: Entity) -> Iterator[tuple[str, str]]:
    identity = identities(snapshot).get(engine)
    yield "engine.name", engine.name
    if identity is None:
        return
    stated = (
        ("engine.program", identity.adapter),
        ("engine.version", identity.build),
        ("engine.model", identity.model),
    )
    yield from ((name, value) for name, value in stated if value)
    for name, setting in identity.config:
        if name.startswith("engine."):
            yield name, setting if isinstance(setting, str) else f"{setting:.12g}"


def identity_from(environment: Mapping[str, str]) -> Identity | None:
    """Whose figures a result has, from what is kept with it; None where no engine was watched."""
    if "engine.name" not in environment:
        return None
    numbers = ((name, _number(environment.get(name, ""))) for name in SETTINGS[Kind.ENGINE])
    stated: dict[str, float | str] = {name: value for name, value in numbers if value is not None}
    names = {value for name, value in environment.items() if name.startswith("gpu.") and name.endswith(".name")}
    if len(names) == 1:  # of several kinds nobody knows which are the engine's
        stated[GPU_NAMES] = names.pop()
    return Identity(
        kind=Kind.ENGINE,
        adapter=environment.get("engine.program", ""),
        model=environment.get("engine.model", ""),
        build=environment.get("engine.version", ""),
        config=tuple(sorted(stated.items())),
        entity=environment["engine.name"],
    )


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None


def _cards(snapshot: Snapshot, engine: Entity | None) -> Iterator[tuple[str, str]]:
    names = {fact.entity: fact.value for fact in snapshot.facts if fact.name == "gpu.name"}
    values = {(i.entity, i.name): i.value for i in snapshot.indicators if i.entity.kind is Kind.GPU}
    for card in _used(snapshot, engine):
        if card in names:
            yield f"gpu.{card.name}.name", names[card]
        for word, indicator, said in _CARD:
            value = values.get((card, indicator), Missing.NEVER)
            text = "" if isinstance(value, Missing) else said(value)
            if text:
                yield f"gpu.{card.name}.{word}", text


def _used(snapshot: Snapshot, engine: Entity | None) -> list[Entity]:
    """The cards of the engine; all of the host where nobody knows which are."""
    own = {k.child for k in snapshot.links if k.relation is Relation.ENGINE_USES_GPU and k.parent == engine}
    return sorted(own or {entity for entity in snapshot.entities if entity.kind is Kind.GPU})
