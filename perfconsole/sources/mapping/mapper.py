"""From a parsed page to canonical samples, by the table of an adapter. Pure but for a cache of series seen before."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from math import isfinite, isnan
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Absence, Sample, SeriesKey
from perfconsole.sources.mapping.copies import counted_once
from perfconsole.sources.mapping.gathered import (
    BUCKET,
    COUNT,
    HISTOGRAM_CELLS,
    LEAST,
    OVER,
    SUM,
    TIMES,
    Aim,
    Gathered,
    Place,
)
from perfconsole.sources.mapping.labelcounts import counted_names
from perfconsole.sources.mapping.labelmatch import check, matches
from perfconsole.sources.mapping.owed import Owed, unripe
from perfconsole.sources.mapping.partnames import PartNames
from perfconsole.sources.mapping.recipes import Recipe, gather, recipes
from perfconsole.sources.mapping.standins import better, idle_rows
from perfconsole.sources.version import within

if TYPE_CHECKING:
    from perfconsole.model.dictionary import Dictionary, Entry
    from perfconsole.sources.adapter import Adapter, Metric, Pairs
    from perfconsole.sources.exposition import Page, RawSeries
    from perfconsole.sources.mapping.standins import Better

_MOST_URLS = 256
"""Upstreams of one page that links are looked for by."""
_MOST_DIGITS = 2
_MOST_KEYS = 20_000
_MOST_SEEN = 100_000


@dataclass(frozen=True, slots=True)
class Mapped:
    """What one page says about one engine."""

    samples: tuple[Sample, ...]
    absences: tuple[Absence, ...]
    links: tuple[Link, ...]
    notes: tuple[str, ...]
    own_series: int
    """Number of series with the adapter's own prefix; 0 on a page of a silent engine."""
    upstreams: frozenset[str] = frozenset()
    """URLs in the labels of its own series that name what it calls."""
    named: frozenset[str] = frozenset()
    """Names of upstreams that parts carry."""
    counts_polls: bool = False
    """The counter of requests that was taken holds those for the page too."""


class _Known(NamedTuple):
    """What the series of one page mean; pages seldom change."""

    series: list[RawSeries]
    parts: list[Recipe]
    own: int
    upstreams: frozenset[str]
    better: Better


_NOTHING = _Known([], [], 0, frozenset(), ())


class PageMapper:
    """Applies one adapter to page after page; remembers what each raw series means."""

    def __init__(self, adapter: Adapter, dictionary: Dictionary) -> None:
        self._adapter = adapter
        self._sorts = [_sort(m, dictionary) for m in adapter.metrics]
        self._rank_scope = [_entry(m, dictionary).scope is Kind.RANK for m in adapter.metrics]
        self._by_name = _index(adapter, self._sorts)
        self._compound = frozenset(
            i for i, m in enumerate(adapter.metrics) if m.times or m.over or m.count or m.offset < 0 or m.summed
        )
        self._with_polls = frozenset(i for i, m in enumerate(adapter.metrics) if m.counts_polls)
        self._owed = Owed(adapter, dictionary)
        self._seen: dict[RawSeries, tuple[Aim, ...]] = {}
        self._last = _NOTHING
        self._names = PartNames()
        self._met: set[int] = set()
        """Rows that a page had since the program began, but for those that stood in for better ones."""
        self._ranks: set[str] = set()
        """Ranks that a page has named since the engine began."""
        self._beside_zeros = {m.zero_with for m in adapter.metrics if m.zero_with}
        self._keys: dict[tuple[Place, Entity], SeriesKey] = {}
        self._wanted = {
            *self._by_name,
            *(f.metric for f in adapter.label_facts),
            *(c.metric for c in adapter.label_counts),
            *self._beside_zeros,
            *(name for m in adapter.metrics for name in m.instead_of),
            *(m.ripe.metric for m in adapter.metrics if m.ripe),
            *adapter.started,
            *adapter.moving,
        }

    def wanted(self, name: str) -> bool:
        """The sample name is worth parsing: mapped, beside a zero, holding facts, or telling the age of the page."""
        return name in self._wanted

    def restart(self) -> None:
        """The engine began anew, perhaps with other labels and ranks.

        Its error counters may be missing again until their first event.
        """
        self._met.clear()
        self._ranks.clear()
        self._seen.clear()
        self._last = _NOTHING
        self._names.forget()

    def map(self, page: Page, engine: Entity, version: str = "") -> Mapped:
        """Canonical samples of a page. `version` decides which absent names are worth a remark."""
        known = self._known(page.series)
        gathered = gather(known.parts, page.values)
        _lend(gathered, self._compound)
        counted = {n for n in self._beside_zeros if any(not isnan(page.values[i]) for i in page.places(n))}
        idle = idle_rows(known.better, page.values)
        gathered = {place: g for place, g in gathered.items() if place.row not in idle} if idle else gathered
        green = unripe(self._adapter.metrics, page)
        chosen = _choose(self._adapter.metrics, {place.row for place, g in gathered.items() if g.given}) - green
        samples = [s for place, g in gathered.items() if place.row in chosen for s in self._sample(place, g, engine)]
        self._met = (self._met | {place.row for place, g in gathered.items() if g.own}) - idle
        samples += self._zeros(counted, idle, engine, version)
        samples += self._label_facts(page, engine)
        samples += counted_names(page, self._adapter.label_counts, engine)
        filled = {s.key.indicator for s in samples}
        absences = self._owed.absences(filled, green, engine) if known.own else ()
        notes = self._owed.remarks(filled, green, version) if known.own else ()
        ranks = sorted({place.rank for place in gathered if place.rank})
        links = tuple(Link(Relation.ENGINE_HAS_RANK, engine, _rank(engine, r)) for r in ranks)
        notes = (*notes, *self._lost({p[:2] for p in gathered}))
        named = frozenset(place.upstream for place in gathered if place.upstream)
        polls = not chosen.isdisjoint(self._with_polls)
        return Mapped(tuple(samples), absences, links, notes, known.own, known.upstreams, named, polls)

    def _known(self, series: list[RawSeries]) -> _Known:
        """What the series of a page mean."""
        if series is not self._last.series and series != self._last.series:
            own = [s for s in series if s.name.startswith(self._adapter.prefixes)]
            called = _urls(own, self._adapter.upstream_labels)
            self._rename(series)
            meanings = [self._aims(s) for s in series]
            counted = counted_once(series, meanings, self._adapter.copy_labels)
            places = better(self._adapter.metrics, self._by_name, series)
            self._last = _Known(series, recipes(counted), len(own), called, places)
        return self._last

    def _rename(self, series: list[RawSeries]) -> None:
        """Let new upstreams take the place of those that are gone: in front of pods there are hundreds in a week."""
        if self._names.crowded:
            metrics = self._adapter.metrics
            rows = [
                (row, dict(s.labels))
                for s in series
                for row, _, _ in self._by_name.get(s.name, ())
                if metrics[row].upstream
            ]
            pools = {_pool(metrics[row], labels) for row, labels in rows if metrics[row].pool}
            if self._names.keep({(row, labels.get(metrics[row].upstream, "")) for row, labels in rows}, pools):
                self._seen.clear()

    def _aims(self, series: RawSeries) -> tuple[Aim, ...]:
        found = self._seen.get(series)
        if found is None:
            if len(self._seen) > _MOST_SEEN:
                self._seen.clear()  # labels that churn must not fill the memory
            found = self._seen[series] = tuple(self._resolve(series))
        return found

    def _resolve(self, series: RawSeries) -> list[Aim]:
        labels = dict(series.labels)
        named = self._names.rank(labels.get(self._adapter.rank_label, ""))
        aims = []
        for row, cell, where in self._by_name.get(series.name, ()):
            metric = self._adapter.metrics[row]
            rank = named or ("0" if self._rank_scope[row] else "")
            bound = _bound(labels.get("le", "")) if cell == BUCKET else 0.0
            slot = _ordinal(labels.get(metric.ordinal, "")) if metric.ordinal else None
            unless = () if cell in (TIMES, OVER) else metric.unless
            if bound is None or not matches(where, unless, labels) or (metric.ordinal and slot is None):
                continue
            upstream = self._names.upstream(row, labels.get(metric.upstream, "")) if metric.upstream else ""
            slot = slot or self._names.slot((row, rank, upstream), self._told_apart(row, series.labels))
            pool = self._names.pool(_pool(metric, labels)) if metric.pool else ""
            aims.append(Aim(Place(row, rank, slot, upstream, pool), cell, bound))
        return aims

    def _told_apart(self, row: int, labels: Pairs) -> Pairs:
        """Labels that make a part of its own: all of them, of a row with an operand only the one that pairs the two."""
        metric = self._adapter.metrics[row]
        if metric.echo:
            return tuple(pair for pair in labels if pair[0] == metric.echo)
        if row not in self._compound:
            return labels
        by = {operand.by for operand in (metric.times, metric.over, metric.count) if operand is not None}
        return tuple(pair for pair in labels if pair[0] in by)

    def _sample(self, place: Place, gathered: Gathered, engine: Entity) -> list[Sample]:
        metric = self._adapter.metrics[place.row]
        key = self._keys.get((place, engine))
        if key is None:
            if len(self._keys) > _MOST_KEYS:
                self._keys.clear()
            key = self._keys[place, engine] = self._key(place, engine)
        if self._sorts[place.row] is Sort.HISTOGRAM:
            histogram = gathered.histogram(metric.scale)
            return [Sample(key, histogram)] if histogram else []
        value = gathered.number(metric)
        return [] if value is None else [Sample(key, value)]

    def _key(self, place: Place, engine: Entity) -> SeriesKey:
        metric = self._adapter.metrics[place.row]
        if self._rank_scope[place.row]:
            return SeriesKey(metric.indicator, _rank(engine, place.rank), _labels(metric, place._replace(rank="")))
        return SeriesKey(metric.indicator, engine, _labels(metric, place))

    def _zeros(self, counted: set[str], idle: frozenset[int], engine: Entity, version: str) -> list[Sample]:
        """Error counters that do not exist before their first event, beside a request counter that does.

        A release that never had the counter does not count its errors: there it is absent and not 0. Nor is one 0 that
        was there and is gone.
        """
        metrics = self._adapter.metrics
        met = {(metrics[row].indicator, metrics[row].tag) for row in self._met}
        absent = {
            (m.indicator, m.tag)
            for row, m in enumerate(metrics)
            if self._sorts[row] is not Sort.HISTOGRAM  # it has no number that could be 0
            and m.zero_with in counted
            and row not in idle
            and (m.indicator, m.tag) not in met
            and (not version or within(version, m.since, m.until))
        }
        return [Sample(SeriesKey(indicator, engine, tag), 0.0) for indicator, tag in sorted(absent)]

    def _label_facts(self, page: Page, engine: Entity) -> list[Sample]:
        wanted = {f.metric for f in self._adapter.label_facts}
        infos = [page.series[place] for place in sorted(place for name in wanted for place in page.places(name))]
        return _numbered([s for info in infos for s in self._facts_of(info, engine)])

    def _facts_of(self, info: RawSeries, engine: Entity) -> list[Sample]:
        labels = dict(info.labels)
        rank = self._names.rank(labels.get(self._adapter.rank_label, ""))
        samples: dict[str, Sample] = {}
        for fact in self._adapter.label_facts:
            value = _product([labels.get(name, "") for name in fact.labels]) if fact.metric == info.name else None
            if value is not None and fact.indicator not in samples:
                tag = (("rank", rank),) if rank else ()
                samples[fact.indicator] = Sample(SeriesKey(fact.indicator, engine, tag), value)
        return list(samples.values())

    def _lost(self, present: set[tuple[int, str]]) -> list[str]:
        """A remark for each rank that a page named and this one does not; a rank of no name cannot be lost."""
        named = {rank for row, rank in present if rank and not self._rank_scope[row]}
        self._ranks |= named
        return [f"rank {rank} is no longer on the page" for rank in sorted(self._ranks - named)]


def _numbered(samples: list[Sample]) -> list[Sample]:
    """Facts that several info series state (replicas on one page) as parts of their own, by number."""
    seen: Counter[SeriesKey] = Counter()
    numbered = []
    for sample in samples:
        key, before = sample.key, seen[sample.key]
        seen[key] += 1
        labels = (*key.labels, ("series", str(before))) if before else key.labels
        numbered.append(Sample(SeriesKey(key.indicator, key.entity, labels), sample.value))
    return numbered


def _lend(gathered: dict[Place, Gathered], compound: frozenset[int]) -> None:
    """Give a rank without an operand of its own that of the series without a rank."""
    for place, found in gathered.items():
        shared = gathered.get(place._replace(rank="")) if place.row in compound and place.rank else None
        if shared is not None:
            found.times = shared.times if found.times is None else found.times
            found.over = shared.over if found.over is None else found.over
            found.count = shared.count if found.count is None else found.count


def _urls(own: list[RawSeries], names: tuple[str, ...]) -> frozenset[str]:
    """Up to 256 URLs in the labels of these names; exporters also write an empty text or "None" there."""
    if not names:
        return frozenset()
    found = dict.fromkeys(value for s in own for name, value in s.labels if name in names and "://" in value)
    return frozenset(islice(found, _MOST_URLS))


def _entry(metric: Metric, dictionary: Dictionary) -> Entry:
    """Dictionary entry of what a row fills; a row that fills nothing is a fault of the adapter."""
    check(metric)
    entry = dictionary.find(metric.indicator)
    if entry is None:
        raise ValueError(f"{metric.metric} is mapped to {metric.indicator}, which is not in the dictionary")
    return entry


def _sort(metric: Metric, dictionary: Dictionary) -> Sort:
    """Sort of what a row fills; a quantile that a page states, under a name with its suffix, is a plain number."""
    entry = _entry(metric, dictionary)
    return entry.sort if metric.indicator == entry.name else Sort.GAUGE


def _index(adapter: Adapter, sorts: list[Sort]) -> dict[str, list[tuple[int, str, Pairs]]]:
    """Sample name on the wire -> rows of the table, the cell that it fills, and the labels that it must have."""
    index: dict[str, list[tuple[int, str, Pairs]]] = {}
    for row, (metric, sort) in enumerate(zip(adapter.metrics, sorts, strict=True)):
        for name, cell, where in _cells(metric, sort):
            index.setdefault(name, []).append((row, cell, where))
    return index


def _cells(metric: Metric, sort: Sort) -> list[tuple[str, str, Pairs]]:
    """Names of the series that a row reads, with the cell and the labels of each."""
    operands = [(o.metric, c, o.where) for o, c in ((metric.times, TIMES), (metric.over, OVER)) if o is not None]
    if metric.count is not None:
        return [(metric.metric, SUM, metric.where), (metric.count.metric, COUNT, metric.count.where)]
    if metric.echo:
        return [(metric.metric, LEAST, metric.where)]
    endings = HISTOGRAM_CELLS if sort is Sort.HISTOGRAM else ("",)
    return [*((metric.metric + ending, ending, metric.where) for ending in endings), *operands]


def _labels(metric: Metric, place: Place) -> Pairs:
    """Labels that a part keeps."""
    told_apart = "position" if metric.ordinal else "series"
    named = (("rank", place.rank), ("upstream", place.upstream), ("pool", place.pool), (told_apart, place.slot))
    return (*metric.tag, *(pair for pair in named if pair[1]))


def _pool(metric: Metric, labels: dict[str, str]) -> tuple[str, ...]:
    """What the pool of an upstream is told by."""
    return tuple(labels.get(name, "") for name in metric.pool)


def _ordinal(text: str) -> str | None:
    """A number of one or two digits, None for anything else: names must not come in by this door."""
    return str(int(text)) if len(text) <= _MOST_DIGITS and text.isascii() and text.isdigit() else None


def _rank(engine: Entity, rank: str) -> Entity:
    return Entity(Kind.RANK, f"{engine.name}/{rank}")


def _bound(text: str) -> float | None:
    """Upper bound of a bucket; None for what is none."""
    try:
        bound = float(text)
    except ValueError:
        return None
    return None if isnan(bound) else bound


def _product(texts: list[str]) -> float | None:
    """Product of the numbers, None when one is not a number (exporters write "None" into labels)."""
    product = 1.0
    for text in texts:
        try:
            product *= float(text)
        except ValueError:
            return None
    return product if isfinite(product) else None


def _choose(metrics: tuple[Metric, ...], present: set[int]) -> set[int]:
    """Of the alternates for one indicator and part, the first row that the page has."""
    taken: set[tuple[str, object]] = set()
    chosen = set()
    for row, metric in enumerate(metrics):
        part = (metric.indicator, metric.tag)
        if row in present and part not in taken:
            taken.add(part)
            chosen.add(row)
    return chosen
