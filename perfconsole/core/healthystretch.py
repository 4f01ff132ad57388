"""What a run shows of entities that are well: medians of their minutes, distributions over all of these minutes."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from perfconsole.core.distribution import QUANTILES, read_distribution
from perfconsole.core.identity import PROFILED
from perfconsole.core.series import MINUTE_S
from perfconsole.core.trouble import troubling
from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.entity import Kind
from perfconsole.model.profile import HealthyValue
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfconsole.core.series import Increase
    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.entity import Entity
    from perfconsole.model.snapshot import Snapshot

    Key = tuple[str, Entity]
    Grown = Callable[[float, float], Mapping[Key, Increase]]
    """Growth of every histogram between two moments."""

REQUESTS = {
    Kind.ENGINE: "engine.requests_finished",
    Kind.GATEWAY: "gateway.requests",
    Kind.ORCHESTRATOR: "orchestration.requests",
}
"""What counts the requests of a kind."""
_USUAL = (Sort.GAUGE, Sort.DERIVED, Sort.HISTOGRAM)
"""Sorts that have a usual value; totals, events, states and configuration have none."""
_CLOCKS = frozenset(
    (
        "engine.uptime",
        "engine.metrics_age",
        "engine.load_ratio",
        "engine.running_plateau",
        "engine.prefix_cache_lifetime_ratio",
    )
)
"""Ages, and what is itself a comparison with a baseline or a lifetime."""
_SUFFIXES = (*QUANTILES, "mean")


@dataclass(slots=True)
class _Distribution:
    """Growth of one histogram, summed up over the healthy minutes."""

    bounds: tuple[float, ...]
    cells: list[float]


@dataclass(slots=True)
class _Minute:
    start: float
    sums: dict[Key, list[float]] = field(default_factory=dict)
    """Sum and count of the values of each indicator."""
    requests: dict[Entity, float] = field(default_factory=dict)
    troubled: set[Entity] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Stretch:
    """What was seen of one entity while it was well."""

    values: tuple[HealthyValue, ...]
    healthy_s: float
    requests: float | None


class HealthyStretch:
    """Fold over the snapshots of a run; `add` and `finish` are the only writers. `every` minute counts if so wanted."""

    def __init__(self, dictionary: Dictionary, grown: Grown, *, every: bool = False) -> None:
        self._dictionary = dictionary
        self._grown = grown
        self._every = every
        self._minute: _Minute | None = None
        self._last_t = 0.0
        self._counted: dict[Entity, float] = {}
        self._means: dict[Key, array[float]] = {}
        self._distributions: dict[Key, _Distribution] = {}
        self._healthy_s: dict[Entity, float] = {}
        self._requests: dict[Entity, float] = {}

    def add(self, snapshot: Snapshot) -> None:
        """Account for one tick."""
        if self._minute is None:
            self._minute = _Minute(snapshot.t)
        minute = self._minute
        for i in snapshot.indicators:
            if i.entity.kind in PROFILED and not isinstance(i.value, Missing):
                self._take(minute, i.name, i.entity, i.value)
        minute.troubled.update(f.entity for f in troubling(snapshot.findings))
        self._last_t = snapshot.t
        if snapshot.t - minute.start >= MINUTE_S:
            self._close(minute, snapshot.t)

    def finish(self) -> None:
        """The run is over: a third of a last minute or more counts as one, and so does all of a short run."""
        if self._minute is None:
            return
        left = self._last_t - self._minute.start
        if left >= MINUTE_S / 3 or (left > 0 and not self._means):
            self._close(self._minute, self._last_t)

    def seen(self, entity: Entity) -> Stretch:
        """What there is of one entity."""
        own = [key for key in self._means if key[1] == entity]
        medians = {name: median(self._means[name, entity]) for name, _ in own}
        whole = self._whole(entity)
        values = [
            HealthyValue(n, whole.get(n, medians.get(n, 0.0)), self._dictionary.unit(n), n in whole)
            for n in sorted({*medians, *whole})
        ]
        requests = self._requests.get(entity, 0.0) if entity.kind in REQUESTS else None
        return Stretch(tuple(values), self._healthy_s.get(entity, 0.0), requests)

    def _take(self, minute: _Minute, name: str, entity: Entity, value: float) -> None:
        if name == REQUESTS.get(entity.kind):
            before = self._counted.get(entity)
            self._counted[entity] = value
            risen = 0.0 if before is None else max(0.0, value - before)
            minute.requests[entity] = minute.requests.get(entity, 0.0) + risen
        if name in _CLOCKS or self._dictionary.sort(name) not in _USUAL or value in (float("inf"), float("-inf")):
            return
        sums = minute.sums.setdefault((name, entity), [0.0, 0.0])
        sums[0] += value
        sums[1] += 1

    def _close(self, minute: _Minute, t: float) -> None:
        healthy = {e for _, e in minute.sums if self._every or e not in minute.troubled}
        for key, (total, count) in minute.sums.items():
            if key[1] in healthy:
                self._means.setdefault(key, array("d")).append(total / count)
        for key, grown in self._grown(minute.start, t).items():
            if key[1] in healthy:
                self._spread(key, grown)
        for entity in healthy:
            self._healthy_s[entity] = self._healthy_s.get(entity, 0.0) + t - minute.start
            self._requests[entity] = self._requests.get(entity, 0.0) + minute.requests.get(entity, 0.0)
        self._minute = _Minute(t)

    def _spread(self, key: Key, grown: Increase) -> None:
        """Add a minute to a distribution; other buckets are those of another build, so it starts anew."""
        bounds = grown.bounds or ()
        known = self._distributions.get(key)
        if known is None or known.bounds != bounds:
            self._distributions[key] = _Distribution(bounds, list(grown.cells))
        else:
            known.cells = [a + b for a, b in zip(known.cells, grown.cells, strict=True)]

    def _whole(self, entity: Entity) -> dict[str, float]:
        """Suffixes of the distributions of one entity over all its healthy minutes."""
        found: dict[str, float] = {}
        for (name, owner), spread in self._distributions.items():
            for suffix in _SUFFIXES if owner == entity else ():
                few = suffix != "mean" and len(spread.bounds) < 2
                figure = None if few else read_distribution(suffix, spread.bounds, tuple(spread.cells))
                if figure is not None:
                    found[f"{name}.{suffix}"] = figure
        return found
