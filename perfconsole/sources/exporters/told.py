"""What one page of an exporter tells, whoever fetched it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity, Link
    from perfconsole.model.sample import Absence, Batch, Fact, Sample


@dataclass(frozen=True, slots=True)
class Told:
    """The parts of a batch that come from the page itself."""

    entities: tuple[Entity, ...]
    samples: tuple[Sample, ...]
    absences: tuple[Absence, ...] = ()
    facts: tuple[Fact, ...] = ()
    links: tuple[Link, ...] = ()
    notes: tuple[str, ...] = ()


def told_batch(told: Told, moment: Batch) -> Batch:
    """The batch of a page; `moment` says whose and when it is."""
    return replace(
        moment,
        samples=told.samples,
        facts=told.facts,
        links=told.links,
        absences=told.absences,
        notes=told.notes,
        entities=told.entities,
    )
