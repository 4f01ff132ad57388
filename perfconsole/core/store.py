"""All series of the session. The only writer of series; derive and the judge only read."""

from __future__ import annotations

from math import inf, isnan
from typing import TYPE_CHECKING

from perfconsole.core.absences import Absences
from perfconsole.core.facts import FactBook
from perfconsole.core.health import SourceStatus
from perfconsole.core.restarts import Restarts
from perfconsole.core.series import Increase, Series, bounds_of, zero_like
from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.entity import Entity
    from perfconsole.model.sample import Batch, Sample

Labels = tuple[tuple[str, str], ...]
_CUMULATIVE = (Sort.COUNTER, Sort.HISTOGRAM)
_IN_FRONT = (Kind.GATEWAY, Kind.ORCHESTRATOR)
_PART = "part"
_COUNTED = "counted"
"""Label of the counters that a derived ratio is made of (hit and looked-up tokens)."""

FACT_PATIENCE_S = 180.0
"""Facts are read every 60 s; they go stale after three of those."""


class SeriesStore:
    """Series by (indicator, entity), with the parts (ranks, reasons) that fold into one number."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._parts: dict[Entity, dict[str, dict[Labels, Series]]] = {}
        self.facts = FactBook()
        self._speakers: dict[Entity, set[str]] = {}
        self.restarts = Restarts()
        self.sources: dict[str, SourceStatus] = {}
        self.generation = 0
        """Rises with every new series: an indicator of one part may be one of several now."""
        self._absences = Absences(self.sources, self._speakers)
        self._first: dict[tuple[str, Entity], float] = {}
        """When a source first had values for an entity."""
        self._seen: dict[tuple[str, Entity, float], dict[Labels, Series] | Missing] = {}
        self._standing: dict[str, tuple[float | None, float, bool]] = {}
        """Of each source at one moment: time of its last usable poll, and whether that is fresh."""
        self._grown: dict[tuple[str, Entity, tuple[float, float], Labels], Increase | Missing] = {}
        """What was looked up since the last poll: a tick asks for most things several times."""

    def apply(self, batch: Batch) -> None:
        """Append one poll. A poll that failed adds nothing: its series simply stop."""
        self._seen.clear()
        self._grown.clear()
        self._standing.clear()
        status = self.sources.get(batch.source)
        if status is None:
            status = self.sources[batch.source] = SourceStatus(batch)
        status.apply(batch)
        for entity in batch.gone:
            self._drop(entity)
        for entity in batch.restarted:
            if self.restarts.note(entity, batch):
                _forget_counters(self._parts.get(entity, {}), self._dictionary)
        for sample in batch.samples:
            self._append(sample, batch)
        for entity in {sample.key.entity for sample in batch.samples}:
            self._first.setdefault((batch.source, entity), batch.t)
        self._absences.note(batch.absences, batch.source)
        self.facts.note(batch.facts)
        for entity in _entities(batch):
            self._speakers.setdefault(entity, set()).add(batch.source)

    def dismiss(self, sources: Collection[str]) -> tuple[Entity, ...]:
        """Forget sources that are no more, and the entities that only they spoke for; these are returned."""
        self._seen.clear()
        self._grown.clear()
        self._standing.clear()
        for name in sources:
            self.sources.pop(name, None)
        orphans = tuple(entity for entity, speakers in self._speakers.items() if speakers <= set(sources))
        for entity in orphans:
            self._drop(entity)
        for speakers in self._speakers.values():
            speakers -= set(sources)
        for entity, names in self._parts.items():
            left = {n: {k: s for k, s in parts.items() if s.source not in sources} for n, parts in names.items()}
            self._parts[entity] = {name: parts for name, parts in left.items() if parts}
        self._absences.dismiss(sources)
        return orphans

    def _append(self, sample: Sample, batch: Batch) -> None:
        key, value = sample.key, sample.value
        if isinstance(value, float) and isnan(value):
            return  # how exporters write that there is no value
        parts = self._parts.setdefault(key.entity, {}).setdefault(key.indicator, {})
        series = parts.get(key.labels)
        if series is not None and series.source != batch.source and self._is_current(series, batch.t):
            return  # two sources see the same thing; the first one keeps it while it answers
        if series is None or series.bounds != bounds_of(value):
            fresh = series is None
            self.generation += 1
            series = parts[key.labels] = Series(batch.source, bounds_of(value))
            series.patience_s = FACT_PATIENCE_S if self._dictionary.sort(key.indicator) is Sort.FACT else 0.0
            if fresh and (born := self._born(sample, batch)) is not None:
                series.append(born, zero_like(value))
        series.source = batch.source
        series.append(batch.t, value)

    def _born(self, sample: Sample, batch: Batch) -> float | None:
        """When a counter that is new on a page was 0: at the poll before. None where nobody knows.

        What stands in front of engines makes a series at its first event. An engine has all of them from the start: one
        that appears late belongs to a rank that has counted before. On a first page and after a restart nobody knows.
        """
        entity, before = sample.key.entity, self.sources[batch.source].before_t
        cumulative = self._dictionary.sort(sample.key.indicator) in _CUMULATIVE or bounds_of(sample.value) is not None
        if before is None or not cumulative or entity.kind not in _IN_FRONT:
            return None
        since = max(self._first.get((batch.source, entity), batch.t), self.restarts.at(entity))
        return before if since <= before else None

    def _drop(self, entity: Entity) -> None:
        self._parts.pop(entity, None)
        self._speakers.pop(entity, None)
        self._absences.drop(entity)
        self.restarts.drop(entity)
        self._first = {key: t for key, t in self._first.items() if key[1] != entity}
        self.facts.drop(entity)

    def began(self, source: str, entity: Entity) -> float:
        """When a source first had values for an entity, minus infinity where it never had."""
        return self._first.get((source, entity), -inf)

    @property
    def entities(self) -> list[Entity]:
        """Every entity that some source speaks for, in a stable order."""
        return sorted(self._speakers)

    def names(self, entity: Entity) -> list[str]:
        """Indicators of one entity that have a series or an explained absence."""
        return list(dict.fromkeys([*self._parts.get(entity, {}), *self._absences.names(entity)]))

    def parts(self, indicator: str, entity: Entity) -> dict[Labels, Series]:
        """All parts ever seen, whether or not they are current."""
        return self._parts.get(entity, {}).get(indicator, {})

    def current(self, indicator: str, entity: Entity, t: float) -> dict[Labels, Series] | Missing:
        """Parts that the last usable poll of their source had and that are not stale, or why there are none."""
        parts = self._parts.get(entity, {}).get(indicator)
        if not parts:
            return self._absences.never_seen(indicator, entity, t)
        found = self._seen.get((indicator, entity, t))
        if found is None:
            found = {labels: s for labels, s in parts.items() if self._is_current(s, t)}
            if not found:
                found = self._absences.no_longer_seen(indicator, entity, next(iter(parts.values())).source, t)
            self._seen[indicator, entity, t] = found
        return found

    def lone(self, entity: Entity, t: float) -> list[tuple[str, Labels, Series]]:
        """All indicators of one part that are current, with its labels, in one go: what most of them come to."""
        return [
            (name, labels, series)
            for name, parts in self._parts.get(entity, {}).items()
            if len(parts) == 1
            for labels, series in parts.items()
            if self._is_current(series, t)
        ]

    def _is_current(self, series: Series, t: float) -> bool:
        at, good_t, fresh = self._standing.get(series.source, (None, 0.0, False))
        if at != t:
            status = self.sources[series.source]
            good_t, fresh = inf if status.good_t is None else status.good_t, status.fresh(t)
            self._standing[series.source] = (t, good_t, fresh)
        return series.last_t >= good_t and (fresh or t - series.last_t <= series.patience_s)

    def increase(
        self, indicator: str, entity: Entity, window: tuple[float, float], match: Labels = ()
    ) -> Increase | Missing:
        """Sum of the increases of the current parts that carry all labels of `match`; seconds of the longest."""
        key = (indicator, entity, window, match)
        found = self._grown.get(key)
        if found is None:
            found = self._grown[key] = _grown(self.current(indicator, entity, window[1]), window, match)
        return found

    def points(self, indicator: str, entity: Entity, start: float, end: float) -> list[tuple[float, float]]:
        """(t, sum over the parts) of every poll in [start, end]."""
        sums: dict[float, float] = {}
        start = max(start, self.restarts.at(entity))  # what ran before was another process
        for series in self.parts(indicator, entity).values():
            for t, value in series.raw.points(start, end):
                sums[t] = sums.get(t, 0.0) + value
        return sorted(sums.items())


def _forget_counters(indicators: dict[str, dict[Labels, Series]], dictionary: Dictionary) -> None:
    """Drop what an entity counted before it began anew."""
    for indicator, parts in indicators.items():
        sort = dictionary.sort(indicator)
        for labels, series in parts.items():
            if sort in _CUMULATIVE or series.bounds is not None or _is_part(sort, labels):
                series.forget()


def _grown(current: dict[Labels, Series] | Missing, window: tuple[float, float], match: Labels) -> Increase | Missing:
    if isinstance(current, Missing):
        return current
    chosen = [s for labels, s in current.items() if all(m in labels for m in match)] if match else current.values()
    if not chosen:
        return Missing.NOT_EXPORTED
    grown = [g for s in chosen if (g := s.increase(*window)) is not None]
    if not grown:
        return Missing.WARMING_UP
    if len(grown) == 1:
        return grown[0]
    bounds = grown[0].bounds
    rows = [g.cells for g in grown]
    if any(g.bounds != bounds for g in grown):
        bounds = _shared_bounds(grown)
        rows = [_at_bounds(g, bounds) for g in grown]
    return Increase(tuple(map(sum, zip(*rows, strict=True))), max(g.seconds for g in grown), bounds)


def _shared_bounds(grown: Iterable[Increase]) -> tuple[float, ...]:
    """Bounds that all of several histograms have; infinity is one of them."""
    return tuple(sorted(set.intersection(*(set(g.bounds or (inf,)) for g in grown))))


def _at_bounds(grown: Increase, bounds: tuple[float, ...]) -> tuple[float, ...]:
    """The cells of these bounds, and the sum."""
    own = grown.bounds or (inf,)
    return (*(grown.cells[own.index(bound)] for bound in bounds), grown.cells[-1])


def _is_part(sort: Sort, labels: Labels) -> bool:
    """A counter that a derived ratio, or a rate, is made of."""
    names = {name for name, _ in labels}
    return _COUNTED in names or (sort is Sort.DERIVED and _PART in names)


def _entities(batch: Batch) -> Iterable[Entity]:
    """Entities that a batch names."""
    seen = dict.fromkeys(batch.entities)
    seen.update(dict.fromkeys(s.key.entity for s in batch.samples))
    seen.update(dict.fromkeys(a.entity for a in batch.absences))
    seen.update(dict.fromkeys(end for link in batch.links for end in (link.parent, link.child)))
    return (e for e in seen if e not in batch.gone)
