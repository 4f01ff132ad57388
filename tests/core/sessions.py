"""Small sessions: one engine with two GPUs beside another engine, behind a gateway, on a host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Batch, Sample, SeriesKey

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfconsole.core.session import Session
    from perfconsole.model.snapshot import Snapshot

HOST = Entity(Kind.HOST, "h")
GATEWAY = Entity(Kind.GATEWAY, "g")
ENGINE = Entity(Kind.ENGINE, "a")
OTHER = Entity(Kind.ENGINE, "b")
GPUS = tuple(Entity(Kind.GPU, str(i)) for i in range(3))
FRONTEND, CORE, WORKER = (Entity(Kind.PROCESS, str(pid)) for pid in (11, 12, 13))
STRANGER = Entity(Kind.PROCESS, "99")
LINKS = (
    Link(Relation.HOST_HAS, HOST, ENGINE),
    Link(Relation.HOST_HAS, HOST, OTHER),
    Link(Relation.HOST_HAS, HOST, GATEWAY),
    Link(Relation.GATEWAY_TO_ENGINE, GATEWAY, ENGINE),
    Link(Relation.ENGINE_USES_GPU, ENGINE, GPUS[0]),
    Link(Relation.ENGINE_USES_GPU, ENGINE, GPUS[1]),
    Link(Relation.ENGINE_USES_GPU, OTHER, GPUS[2]),
    Link(Relation.ENGINE_HAS_PROCESS, ENGINE, FRONTEND, "frontend"),
    Link(Relation.ENGINE_HAS_PROCESS, ENGINE, CORE, "core"),
    Link(Relation.ENGINE_HAS_PROCESS, ENGINE, WORKER, "worker"),
    Link(Relation.ENGINE_HAS_PROCESS, OTHER, STRANGER, "frontend"),
)


def batch(t: float, values: Mapping[tuple[str, Entity], float], **more: object) -> Batch:
    """One good poll, with the links of this small world unless others are given."""
    samples = tuple(Sample(SeriesKey(name, entity), value) for (name, entity), value in values.items())
    plain: dict[str, object] = {"samples": samples, "links": LINKS, "took_s": 0.01, **more}
    return Batch("page", "metrics page", t, t, 1.0, **plain)  # type: ignore[arg-type]  # fields of Batch by name


def play(session: Session, polls: Sequence[Mapping[tuple[str, Entity], float] | None], start: float = 0.0) -> Snapshot:
    """One poll and one tick a second; None is a second without a poll. Gives the last snapshot."""
    for i, values in enumerate(polls):
        t = start + i
        if values is not None:
            session.apply(batch(t, values))
        snapshot = session.tick(t, t)
    return snapshot
