"""The entities, links and batches that a situation stands for: what a console would have been fed in that moment."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from perfconsole.core.together import linked
from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.entity import Entity, Kind, Link
from perfconsole.model.sample import Batch, Fact, GivenBaseline, Sample, SeriesKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.situation import Course, Figures, Situation

_T = TypeVar("_T", float, str)

_TARGETS = (Kind.GATEWAY, Kind.ORCHESTRATOR, Kind.ENGINE, Kind.PROCESS)
"""What an action may have been started for."""
_ROUNDING = 1e-6
_SAME = 0.01
"""A course that ends this close to the stated figure tells how that came about; any other tells of another moment."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Figures laid on entities, ready to be fed to a session for as long as it takes."""

    figures: Mapping[tuple[str, Entity], float]
    """Value of each indicator of each entity; of a counter its growth a second."""
    courses: Mapping[tuple[str, Entity], Course]
    base: tuple[GivenBaseline, ...]
    texts: tuple[Fact, ...]
    links: tuple[Link, ...]
    entities: tuple[Entity, ...]
    counters: frozenset[str]

    def reach_s(self) -> float:
        """Seconds over which its courses go."""
        return max((course[-1][0] - course[0][0] for course in self.courses.values()), default=0.0)

    def batch(self, t: float, span: tuple[float, float], cadence_s: float) -> Batch:
        """The poll at `t`, in seconds; figures stand over the span, and courses end with it."""
        return Batch(
            source="situation",
            kind="situation",
            t=t,
            wall=t,
            cadence_s=cadence_s,
            samples=tuple(
                Sample(SeriesKey(name, entity), self._value(name, entity, t, span[1]))
                for name, entity in (self._keys() if t >= span[0] - _ROUNDING else self.courses.keys())
            ),
            facts=self.texts,
            links=self.links,
            took_s=0.0,
            baselines=self.base,
            entities=self.entities,
        )

    def _keys(self) -> Iterable[tuple[str, Entity]]:
        return self.figures.keys() | self.courses.keys()

    def _value(self, name: str, entity: Entity, t: float, end: float) -> float:
        course = self.courses.get((name, entity))
        if course is not None:
            return on_course(course, t - end + course[-1][0])
        value = self.figures[name, entity]
        return value * t if name in self.counters else value


def on_course(course: Course, t: float) -> float:
    """Value at a second of the course: on the line between two points, level before the first and after the last."""
    for (t0, v0), (t1, v1) in pairwise(course):
        if t0 <= t < t1:
            return v0 + (v1 - v0) * (t - t0) / (t1 - t0)
    return course[0][1] if t < course[0][0] else course[-1][1]


def moment_of(
    situation: Situation, figures: Mapping[str, Figures], base: Mapping[str, Figures], dictionary: Dictionary
) -> Moment:
    """Lay the chosen figures and healthy values of a situation on the entities that they speak of."""
    entities = _entities(situation, [*figures.items(), *base.items(), *_alone(situation)], dictionary)
    laid = {key: value for name, row in figures.items() for key, value in _laid(name, row, entities, dictionary)}
    courses = {
        (name, entity): course
        for name, course in situation.courses.items()
        for entity in _owners(name, entities, dictionary)
        if _leads_to(course, laid.get((name, entity)))
    }
    return Moment(
        figures=laid,
        courses=courses,
        base=tuple(
            GivenBaseline(name, entity, value, "given with the situation")
            for name, row in base.items()
            for (_, entity), value in _laid(name, row, entities, dictionary)
        ),
        texts=tuple(
            Fact(name, entity, text)
            for name, row in situation.texts.items()
            for (_, entity), text in _laid(name, row, entities, dictionary)
        ),
        links=situation.links or linked(entity for members in entities.values() for entity in members),
        entities=tuple(entity for members in entities.values() for entity in members),
        counters=frozenset(name for name in figures if dictionary.sort(name) is Sort.COUNTER),
    )


def _alone(situation: Situation) -> Iterable[tuple[str, Figures]]:
    """Names that only a course has, as if they had one figure."""
    return ((name, (None,)) for name in situation.courses)


def _leads_to(course: Course, now: float | None) -> bool:
    return now is None or abs(course[-1][1] - now) <= _SAME * abs(now)


def _entities(
    situation: Situation, rows: Iterable[tuple[str, Figures]], dictionary: Dictionary
) -> dict[Kind, tuple[Entity, ...]]:
    """As many of each kind as its longest list has figures, and one at least: somebody calls, something serves."""
    counts = {kind: max(1, len(situation.names.get(kind, ()))) for kind in Kind if kind is not Kind.TARGET}
    for name, row in rows:
        kind = _kind(name, dictionary)
        if kind in counts:
            counts[kind] = max(counts[kind], len(row))
    return {kind: tuple(_named(kind, n, situation.names.get(kind, ()))) for kind, n in counts.items()}


def _named(kind: Kind, count: int, called: tuple[str, ...]) -> Iterable[Entity]:
    return (Entity(kind, called[place] if place < len(called) else str(place)) for place in range(count))


def _kind(name: str, dictionary: Dictionary) -> Kind | None:
    entry = dictionary.find(name)
    return entry.scope if entry else None


def _owners(name: str, entities: Mapping[Kind, tuple[Entity, ...]], dictionary: Dictionary) -> tuple[Entity, ...]:
    kind = _kind(name, dictionary)
    if kind is Kind.TARGET:
        return tuple(entity for target in _TARGETS for entity in entities.get(target, ()))
    return entities.get(kind, ()) if kind is not None else ()


def _laid(
    name: str, row: tuple[_T | None, ...], entities: Mapping[Kind, tuple[Entity, ...]], dictionary: Dictionary
) -> Iterable[tuple[tuple[str, Entity], _T]]:
    """Each figure with its entity; a single one holds for all of them."""
    owners = _owners(name, entities, dictionary)
    values = row * len(owners) if len(row) == 1 else row
    return (((name, owner), value) for owner, value in zip(owners, values, strict=False) if value is not None)
