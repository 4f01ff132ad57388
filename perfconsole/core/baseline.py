"""The healthy value of an indicator, from the first source that has one. Session is the only writer."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from perfconsole.core.distribution import lifetime_figures
from perfconsole.core.identity import identities
from perfconsole.core.recall import recall
from perfconsole.core.series import MINUTE_S, Series
from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import Baseline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.core.frame import Frame
    from perfconsole.core.recall import Recalled
    from perfconsole.model.entity import Entity
    from perfconsole.model.profile import Identity, Profile
    from perfconsole.model.sample import GivenBaseline
    from perfconsole.model.snapshot import Snapshot

MIN_UPTIME_S = 1800.0
MIN_OBSERVATIONS = 200
MIN_HEALTHY_MINUTES = 10
MOST_HEALTHY_MINUTES = 1440
"""A day of them."""
LIFETIME = "lifetime at first scrape"
POLLUTED = f"{LIFETIME}, while trouble stood: part of it may be trouble"
FIRST_FINDINGS_S = 90.0
"""Trouble that is found within this time of the first scrape was there before it: most rules hold for a minute."""
LIFETIME_RATIOS = {"engine.prefix_cache_hit_ratio": "engine.prefix_cache_lifetime_ratio"}


@dataclass(slots=True)
class _FirstScrape:
    """What the page of an entity said about its whole life when it was first seen."""

    t: float
    troubled: bool = False
    """Something was wrong already: how long, nobody knows, so its figures may be those of the trouble."""
    rows: dict[str, list[Series]] = field(default_factory=dict)
    figures: dict[str, dict[str, float | None]] = field(default_factory=dict)
    """What the rows say, once somebody has asked: they stand still."""
    ratios: dict[str, float] = field(default_factory=dict)


class Baselines:
    """Looks in this order: given (a situation), saved profile, lifetime at first scrape, healthy minutes here."""

    def __init__(self, names: Iterable[str], profiles: Iterable[Profile] = ()) -> None:
        self._names = sorted(set(names))
        self._profiles = tuple(profiles)
        self._known: dict[Entity, Identity] = {}
        """Who each entity was when its profile was looked for."""
        self._recalled: dict[Entity, Recalled] = {}
        self._saved: dict[tuple[str, Entity], Baseline] = {}
        self._given: dict[tuple[str, Entity], Baseline] = {}
        self._first: dict[Entity, _FirstScrape] = {}
        self._entities: set[Entity] = set()
        self._minutes: dict[tuple[str, Entity], deque[float]] = {}
        self._healthy: dict[tuple[str, Entity], Baseline] = {}
        self._minute_start: float | None = None
        self._troubled: set[Entity] = set()

    def give(self, baselines: Iterable[GivenBaseline]) -> None:
        """Take over values from outside the session."""
        for b in baselines:
            self._given[b.indicator, b.entity] = Baseline(b.value, b.kind)

    def recall(self, snapshot: Snapshot) -> bool:
        """Look for the saved profiles of entities that are new or known better; True when some figure changed."""
        known = identities(snapshot) if self._profiles else {}
        if known == self._known:
            return False
        self._known = known
        found = {e: r for e, who in known.items() if (r := recall(who, self._profiles)) is not None}
        changed = found != self._recalled
        self._recalled = found
        self._saved = {(name, e): b for e, r in found.items() for name, b in r.baselines().items()}
        return changed

    def build_changed(self, entity: Entity) -> float | Missing:
        """1 where build or configuration differ from those of the saved profile, 0 where they do not."""
        found = self._recalled.get(entity)
        return Missing.NO_BASELINE if found is None else found.build_changed

    def forget(self, entity: Entity) -> None:
        """The entity is gone, or restarted with another build: its figures no longer hold."""
        self._first.pop(entity, None)
        self._entities.discard(entity)
        for key in [k for k in self._minutes if k[1] == entity]:
            del self._minutes[key]
            self._healthy.pop(key, None)

    def knows(self, name: str, entity: Entity) -> bool:
        """Whether what `look` has for it may change from tick to tick; `recall` tells when a saved value does."""
        return name in self._names or name in LIFETIME_RATIOS or (name, entity) in self._given

    def look(self, name: str, entity: Entity, frame: Frame) -> Baseline | None:
        """The baseline of `name`, or None when no source has it."""
        given = self._given.get((name, entity)) or self._saved.get((name, entity))
        if given is not None:
            return given
        lifetime = self._lifetime(name, entity, frame)
        if lifetime is not None:
            return Baseline(lifetime, POLLUTED if self._first[entity].troubled else LIFETIME)
        return self._healthy.get((name, entity))

    def _lifetime(self, name: str, entity: Entity, frame: Frame) -> float | None:
        first = self._first.get(entity)
        base, suffix = frame.dictionary.split(name)
        if first is None or entity.kind is not Kind.ENGINE or not (suffix or name in first.ratios):
            return None
        uptime = frame.value("engine.uptime", entity)
        if isinstance(uptime, Missing) or uptime - (frame.t - first.t) <= MIN_UPTIME_S:
            return None
        if name in first.ratios:
            return first.ratios[name]
        parts = first.rows.get(base, [])
        if sum(s.last() for s in parts) <= MIN_OBSERVATIONS:
            return None
        if base not in first.figures:
            first.figures[base] = lifetime_figures(parts)
        return first.figures[base][suffix]

    def observe(self, frame: Frame, entities: Iterable[Entity], troubled: Iterable[Entity]) -> None:
        """Note the first scrape of each entity, and the minute that just ended where nothing was wrong."""
        for entity in entities:
            self._entities.add(entity)
            if entity not in self._first:
                self._note_first(frame, entity)
        for entity in troubled:
            self._troubled.add(entity)
            first = self._first.get(entity)
            if first is not None and frame.t - first.t <= FIRST_FINDINGS_S:
                first.troubled = True
        if self._minute_start is None:
            self._minute_start = frame.t
        elif frame.t - self._minute_start >= MINUTE_S:
            self._close_minute(frame, self._minute_start)
            self._minute_start = frame.t
            self._troubled.clear()

    def _note_first(self, frame: Frame, entity: Entity) -> None:
        histograms = [n for n in frame.store.names(entity) if frame.dictionary.sort(n) is Sort.HISTOGRAM]
        if not histograms:
            return
        first = self._first[entity] = _FirstScrape(frame.t)
        for name in histograms:
            parts = frame.store.parts(name, entity).values()
            first.rows[name] = [s.frozen() for s in parts if s.bounds is not None and len(s.raw)]
        for name, lifetime in LIFETIME_RATIOS.items():
            value = frame.value(lifetime, entity)
            if not isinstance(value, Missing):
                first.ratios[name] = value

    def _close_minute(self, frame: Frame, start: float) -> None:
        for name in self._names:
            for entity in self._entities - self._troubled:
                track = frame.history.track(name, entity)
                points = track.points(start, frame.t) if track else []
                if points:
                    self._add_minute((name, entity), sum(v for _, v in points) / len(points))

    def _add_minute(self, key: tuple[str, Entity], mean: float) -> None:
        minutes = self._minutes.setdefault(key, deque(maxlen=MOST_HEALTHY_MINUTES))
        minutes.append(mean)
        if len(minutes) >= MIN_HEALTHY_MINUTES:
            self._healthy[key] = Baseline(median(minutes), f"{len(minutes)} healthy minutes of this session")
