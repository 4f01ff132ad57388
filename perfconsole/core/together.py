"""The links of a made-up host, for cases of rules and for figures written down: everything belongs together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind, Link, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable

_BELONGS = (
    (Kind.GATEWAY, Kind.ENGINE, Relation.GATEWAY_TO_ENGINE),
    (Kind.ORCHESTRATOR, Kind.ENGINE, Relation.ORCHESTRATOR_TO_ENGINE),
    (Kind.ENGINE, Kind.GPU, Relation.ENGINE_USES_GPU),
    (Kind.ENGINE, Kind.RANK, Relation.ENGINE_HAS_RANK),
    (Kind.ENGINE, Kind.PROCESS, Relation.ENGINE_HAS_PROCESS),
    (Kind.GATEWAY, Kind.PROCESS, Relation.GATEWAY_HAS_PROCESS),
    (Kind.HOST, Kind.GATEWAY, Relation.HOST_HAS),
    (Kind.HOST, Kind.ORCHESTRATOR, Relation.HOST_HAS),
    (Kind.HOST, Kind.ENGINE, Relation.HOST_HAS),
)


def linked(entities: Iterable[Entity]) -> tuple[Link, ...]:
    """Each engine to what is in front of it, all parts to each engine, all to the host."""
    of: dict[Kind, list[Entity]] = {kind: [] for kind in Kind}
    for entity in entities:
        of[entity.kind].append(entity)
    return tuple(
        Link(relation, parent, child)
        for upper, lower, relation in _BELONGS
        for parent in of[upper]
        for child in of[lower]
    )
