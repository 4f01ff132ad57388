"""What stacks say, for the session."""

from __future__ import annotations

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import ACTION
from perfconsole.stacks.indicators import VALID_S, owners_of, profile_batch

ENGINE = Entity(Kind.ENGINE, "vllm:8000")
PROCESS = Entity(Kind.PROCESS, "7")


def test_each_entity_gets_each_share() -> None:
    """For as long as the result of an action counts."""
    batch = profile_batch({"profile.blocked_loop_ratio": 0.5, "profile.gc_ratio": 0.1}, 7, (ENGINE, PROCESS), 3.0, 9.0)
    assert [(str(s.key.entity), s.key.indicator, s.value) for s in batch.samples] == [
        ("engine/vllm:8000", "profile.blocked_loop_ratio", 0.5),
        ("engine/vllm:8000", "profile.gc_ratio", 0.1),
        ("process/7", "profile.blocked_loop_ratio", 0.5),
        ("process/7", "profile.gc_ratio", 0.1),
    ]
    assert (batch.kind, batch.cadence_s * 3) == (ACTION, VALID_S)


def test_a_process_speaks_for_what_it_belongs_to() -> None:
    """Its engine, and itself."""
    links = (Link(Relation.ENGINE_HAS_PROCESS, ENGINE, PROCESS, "core"),)
    assert owners_of(7, links) == (ENGINE, PROCESS)
    assert owners_of(8, links) == (Entity(Kind.PROCESS, "8"),)
