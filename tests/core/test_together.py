"""Links of a made-up host."""

from __future__ import annotations

from perfconsole.core.together import linked
from perfconsole.model.entity import Entity, Kind, Relation

HOST, GATEWAY = Entity(Kind.HOST, "h"), Entity(Kind.GATEWAY, "g")
ENGINES = (Entity(Kind.ENGINE, "a"), Entity(Kind.ENGINE, "b"))
GPU = Entity(Kind.GPU, "0")


def test_every_engine_belongs_to_whatever_is_in_front_of_it() -> None:
    """And every part to every engine."""
    found = {(k.relation, k.parent, k.child) for k in linked([HOST, GATEWAY, *ENGINES, GPU])}
    assert {(Relation.GATEWAY_TO_ENGINE, GATEWAY, e) for e in ENGINES} <= found
    assert {(Relation.ENGINE_USES_GPU, e, GPU) for e in ENGINES} <= found
    assert {(Relation.HOST_HAS, HOST, e) for e in (GATEWAY, *ENGINES)} <= found


def test_what_is_not_there_has_no_link() -> None:
    """A host with one engine knows of no gateway."""
    assert [k.relation for k in linked([HOST, ENGINES[0]])] == [Relation.HOST_HAS]
