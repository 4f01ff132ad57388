"""All series of the session. The only writer of series; derive and the judge only read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.health import SourceStatus
from perfconsole.core.series import Increase, Series, bounds_of
from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.sample import Missing, SeriesKey

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.entity import Entity
    from perfconsole.model.sample import Batch, Fact, Sample

Labels = tuple[tuple[str, str], ...]
_CUMULATIVE = (Sort.COUNTER, Sort.HISTOGRAM)


class SeriesStore:
    """Series by (indicator, entity), with the parts (ranks, reasons) that fold into one number."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._parts: dict[Entity, dict[str, dict[Labels, Series]]] = {}
        self._absences: dict[tuple[str, Entity], tuple[Missing, str]] = {}
        self._facts: dict[tuple[str, Entity], tuple[Fact, str]] = {}
        self._speakers: dict[Entity, set[str]] = {}
        self.sources: dict[str, SourceStatus] = {}

    def apply(self, batch: Batch) -> None:
        """Append one poll. A poll that failed adds nothing: its series simply stop."""
        status = self.sources.get(batch.source)
        if status is None:
            status = self.sources[batch.source] = SourceStatus(batch)
        status.apply(batch)
        for entity in batch.gone:
            self._drop(entity)
        for entity in batch.restarted:
            self._forget_counters(entity)
        fresh_start = frozenset(batch.restarted)
        for sample in batch.samples:
            self._append(sample, batch, None if sample.key.entity in fresh_start else status.before_t)
        self._note(batch)

    def _append(self, sample: Sample, batch: Batch, before_t: float | None) -> None:
        key = sample.key
        parts = self._parts.setdefault(key.entity, {}).setdefault(key.indicator, {})
        series = parts.get(key.labels)
        if series is None or series.bounds != bounds_of(sample.value):
            series = parts[key.labels] = Series(batch.source, bounds_of(sample.value))
            self._start_at_zero(series, key, before_t)
        elif series.source != batch.source:
            owner = self.sources.get(series.source)
            if owner is not None and owner.fresh(batch.t):
                return  # two sources see the same thing; the first one keeps it while it answers
            series.source = batch.source
        series.append(batch.t, sample.value)

    def _start_at_zero(self, series: Series, key: SeriesKey, before_t: float | None) -> None:
        """A counter that appears on a page already known was 0 there: exporters create some on first use."""
        if before_t is not None and self._is_cumulative(key.indicator) and series.bounds is None:
            series.append(before_t, 0.0)

    def _is_cumulative(self, indicator: str) -> bool:
        entry = self._dictionary.find(indicator)
        return entry is not None and entry.sort in _CUMULATIVE

    def _note(self, batch: Batch) -> None:
        """Absences, facts and entities that the batch speaks for."""
        for absence in batch.absences:
            self._absences[absence.indicator, absence.entity] = (absence.reason, batch.source)
        for fact in batch.facts:
            self._facts[fact.name, fact.entity] = (fact, batch.source)
        for entity in _entities(batch):
            self._speakers.setdefault(entity, set()).add(batch.source)

    def _drop(self, entity: Entity) -> None:
        self._parts.pop(entity, None)
        self._speakers.pop(entity, None)
        for key in [k for k in self._absences if k[1] == entity]:
            del self._absences[key]
        for key in [k for k in self._facts if k[1] == entity]:
            del self._facts[key]

    def _forget_counters(self, entity: Entity) -> None:
        for indicator, parts in self._parts.get(entity, {}).items():
            if self._is_cumulative(indicator) or any(s.bounds is not None for s in parts.values()):
                for series in parts.values():
                    series.forget()

    @property
    def entities(self) -> list[Entity]:
        """Every entity that some source speaks for, in a stable order."""
        return sorted(self._speakers)

    def names(self, entity: Entity) -> list[str]:
        """Indicators of one entity that have a series or an explained absence."""
        absent = [name for name, owner in self._absences if owner == entity]
        return list(dict.fromkeys([*self._parts.get(entity, {}), *absent]))

    def facts(self) -> list[Fact]:
        """Every text fact, ordered by entity and name."""
        return [fact for _, (fact, _) in sorted(self._facts.items(), key=lambda kv: (kv[0][1], kv[0][0]))]

    def fact(self, name: str, entity: Entity) -> str | None:
        """One text fact, None when no source gave it."""
        found = self._facts.get((name, entity))
        return found[0].value if found else None

    def parts(self, indicator: str, entity: Entity) -> dict[Labels, Series]:
        """All parts ever seen, whether or not they are current."""
        return self._parts.get(entity, {}).get(indicator, {})

    def current(self, indicator: str, entity: Entity, t: float) -> dict[Labels, Series] | Missing:
        """Parts that the last usable poll of their source had and that are not stale, or why there are none."""
        parts = self.parts(indicator, entity)
        current = {labels: s for labels, s in parts.items() if self._is_current(s, t)}
        return current or self._why_not(indicator, entity, list(parts.values()), t)

    def _is_current(self, series: Series, t: float) -> bool:
        status = self.sources[series.source]
        return status.fresh(t) and status.good_t is not None and series.last_t >= status.good_t

    def _why_not(self, indicator: str, entity: Entity, parts: list[Series], t: float) -> Missing:
        if not parts:
            return self._never_seen(indicator, entity, t)
        status = self.sources[parts[0].source]
        if status.fresh(t):
            explained = self._absences.get((indicator, entity))
            return explained[0] if explained else Missing.NOT_EXPORTED
        return Missing.SOURCE_DOWN if status.last.error is not None else Missing.STALE

    def _never_seen(self, indicator: str, entity: Entity, t: float) -> Missing:
        explained = self._absences.get((indicator, entity))
        if explained is None:
            return self._silent_source(entity) or Missing.NEVER
        reason, source = explained
        down = self.sources[source].last.error is not None and not self.sources[source].fresh(t)
        return Missing.SOURCE_DOWN if down else reason

    def _silent_source(self, entity: Entity) -> Missing | None:
        """SOURCE_DOWN when every source that speaks for the entity has failed and never answered."""
        speakers = [self.sources[s] for s in self._speakers.get(entity, ())]
        if speakers and all(s.good_t is None and s.last.error is not None for s in speakers):
            return Missing.SOURCE_DOWN
        return None

    def increase(
        self, indicator: str, entity: Entity, window: tuple[float, float], match: Labels = ()
    ) -> Increase | Missing:
        """Sum of the increases of the current parts that carry all labels of `match`; seconds of the longest."""
        current = self.current(indicator, entity, window[1])
        if isinstance(current, Missing):
            return current
        chosen = [s for labels, s in current.items() if all(m in labels for m in match)]
        if not chosen:
            return Missing.NOT_EXPORTED
        grown = [g for s in chosen if (g := s.increase(*window)) is not None]
        if not grown:
            return Missing.WARMING_UP
        width = len(grown[0].cells)
        cells = [sum(g.cells[i] for g in grown if len(g.cells) == width) for i in range(width)]
        return Increase(tuple(cells), max(g.seconds for g in grown))

    def points(self, indicator: str, entity: Entity, start: float, end: float) -> list[tuple[float, float]]:
        """(t, sum over the parts) of every poll in [start, end]."""
        sums: dict[float, float] = {}
        for series in self.parts(indicator, entity).values():
            for t, value in series.raw.points(start, end):
                sums[t] = sums.get(t, 0.0) + value
        return sorted(sums.items())


def _entities(batch: Batch) -> Iterable[Entity]:
    """Entities that a batch names."""
    seen = dict.fromkeys(batch.entities)
    seen.update(dict.fromkeys(s.key.entity for s in batch.samples))
    seen.update(dict.fromkeys(a.entity for a in batch.absences))
    seen.update(dict.fromkeys(end for link in batch.links for end in (link.parent, link.child)))
    return (e for e in seen if e not in batch.gone)
