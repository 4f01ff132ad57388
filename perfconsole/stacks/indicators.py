"""What the stacks of a process say, as samples for the session: they confirm or refute the finding that asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import ACTION, Batch, Sample, SeriesKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfconsole.model.entity import Link

VALID_S = 600.0
"""How long the result of an action counts."""
_STALE_CADENCES = 3.0
ENOUGH = 50
"""Samples from which a recording decides anything: with fewer a share of 30% may be 15% or 45%."""


def profile_batch(shares: Mapping[str, float], pid: int, about: Iterable[Entity], now: float, wall: float) -> Batch:
    """The shares as values of each entity that they are about; they go stale after ten minutes."""
    entities = tuple(about)
    samples = tuple(Sample(SeriesKey(name, e), value) for e in entities for name, value in sorted(shares.items()))
    return Batch(
        source=f"stacks of process {pid}",
        kind=ACTION,
        t=now,
        wall=wall,
        cadence_s=VALID_S / _STALE_CADENCES,
        samples=samples,
        took_s=0.0,
        entities=entities,
    )


def owners_of(pid: int, links: Iterable[Link]) -> tuple[Entity, ...]:
    """The process, and the engine, gateway or orchestrator that it belongs to."""
    process = Entity(Kind.PROCESS, str(pid))
    return (*(link.parent for link in links if link.child == process), process)
