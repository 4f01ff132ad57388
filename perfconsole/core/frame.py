"""One tick's view of every value: given, folded, windowed or derived, each computed once and only when asked for."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, TypeVar, cast

from perfconsole.core.windowed import windowed
from perfconsole.model.dictionary.entry import Fold
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfconsole.core.baseline import Baselines
    from perfconsole.core.history import History
    from perfconsole.core.series import Increase
    from perfconsole.core.store import Labels, SeriesStore
    from perfconsole.core.topology import Topology
    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.entity import Entity, Kind

    Formula = Callable[["Frame", Entity], float | Missing]

_T = TypeVar("_T")

_OF_ONE_ROW = ("series", "rank")
"""Labels that number the series of one row, and tell its ranks apart."""


class Frame:
    """Values at time t. Reads the store and the history, writes nothing but its own cache."""

    def __init__(
        self,
        t: float,
        store: SeriesStore,
        history: History,
        topology: Topology,
        dictionary: Dictionary,
        formulas: Mapping[str, Formula],
        run_s: float | None = None,
        baselines: Baselines | None = None,
    ) -> None:
        self.t = t
        self.store = store
        self.history = history
        self.topology = topology
        self.dictionary = dictionary
        self.run_s = run_s
        """Length of a headless run, None for a session without an end."""
        self._formulas = formulas
        self._baselines = baselines
        self._values: dict[Entity, dict[str, float | Missing]] = {}
        self._steps: dict[tuple[str, Entity], object] = {}

    def value(self, name: str, entity: Entity) -> float | Missing:
        """Value in base units, or why it is missing. `name` may carry a histogram suffix."""
        values = self._values.get(entity)
        if values is None:
            values = self._values[entity] = self._plain(entity)
        value = values.get(name)
        if value is None:
            values[name] = Missing.NEVER  # a formula that asks for itself finds nothing
            value = values[name] = self._compute(name, entity)
        return value

    def _plain(self, entity: Entity) -> dict[str, float | Missing]:
        """What needs no computing, in one go: indicators of one part, and those given under the name of a formula."""
        split, formulas = self.dictionary.split, self._formulas
        return {
            name: series.newest
            for name, labels, series in self.store.lone(entity, self.t)
            if not (name in formulas and (labels or series.bounds is not None)) and not (labels and split(name)[1])
        }

    def known(self, entity: Entity) -> dict[str, float | Missing]:
        """Values of an entity that are worked out already, in one go; those that are no number are left to `value`."""
        values = self._values.get(entity, {})
        return {name: value for name, value in values.items() if isinstance(value, str) or isfinite(value)}

    def asked(self) -> list[tuple[str, Entity, float | Missing]]:
        """Every value that was asked for at this tick, by whomever."""
        return [(name, e, value) for e, values in self._values.items() for name, value in values.items()]

    def _compute(self, name: str, entity: Entity) -> float | Missing:
        base, suffix = self.dictionary.split(name)
        if not suffix and name not in self._formulas:
            return self.folded(name, entity)
        given = self.given(name, entity)
        if given is not None:
            return given
        if suffix:
            return windowed(self, base, suffix, entity)
        return self._formulas[name](self, entity)

    def given(self, name: str, entity: Entity) -> float | Missing | None:
        """A value handed in under the very name of a quantile or a derived indicator; it overrides its formula."""
        suffix = self.dictionary.split(name)[1]
        parts = self.store.parts(name, entity) if suffix or name in self._formulas else {}
        whole = next((series for labels, series in parts.items() if _is_whole(labels)), None)
        if whole is None or (whole.bounds is not None and not suffix):
            return None
        current = self.store.current(name, entity, self.t)
        if isinstance(current, Missing):
            return current
        # Parts with labels of their own are what the formula reads; series and ranks of one row make one value.
        own = [part.last() for labels, part in current.items() if _is_whole(labels)]
        entry = self.dictionary.find(name)
        return _fold(Fold.MAX if suffix or entry is None else entry.fold, own) if own else None

    def folded(self, name: str, entity: Entity, match: Labels = ()) -> float | Missing:
        """Fold of the current parts that carry the labels of `match`."""
        current = self.store.current(name, entity, self.t)
        if isinstance(current, Missing):
            return current
        chosen = [s.last() for labels, s in current.items() if all(m in labels for m in match)]
        entry = self.dictionary.find(name)
        return _fold(entry.fold if entry else Fold.SUM, chosen) if chosen else Missing.NOT_EXPORTED

    def cadence_s(self, name: str, entity: Entity) -> float:
        """Seconds between two polls of the slowest source of the indicator; 0 where it has none."""
        sources = {s.source for s in self.store.parts(name, entity).values()}
        return max((self.store.sources[s].last.cadence_s for s in sources), default=0.0)

    def increase(self, name: str, entity: Entity, window_s: float, match: Labels = ()) -> Increase | Missing:
        """Growth of a counter or histogram between the polls of the last `window_s` seconds."""
        return self.store.increase(name, entity, (self.t - window_s, self.t), match)

    def base(self, name: str, entity: Entity) -> float | Missing:
        """Healthy value of an indicator, for formulas that compare with it."""
        found = self._baselines.look(name, entity, self) if self._baselines else None
        return Missing.NO_BASELINE if found is None else found.value

    def build_changed(self, entity: Entity) -> float | Missing:
        """Whether build or configuration differ from those of the saved profile; see Baselines."""
        return self._baselines.build_changed(entity) if self._baselines else Missing.NO_BASELINE

    def once(self, key: tuple[str, Entity], make: Callable[[], _T]) -> _T:
        """What `make` gives, made at the first of several calls at this tick: some steps serve several formulas."""
        if key not in self._steps:
            self._steps[key] = make()
        return cast("_T", self._steps[key])

    def related(self, entity: Entity, kind: Kind) -> tuple[Entity, ...]:
        """Entities of a kind that belong to this one."""
        return self.topology.related(entity, kind)


def _is_whole(labels: Labels) -> bool:
    """A value of the thing itself or of one of its ranks, and not a part that a formula reads."""
    return all(label in _OF_ONE_ROW for label, _ in labels)


def _fold(fold: Fold, values: list[float]) -> float:
    match fold:
        case Fold.MEAN:
            return sum(values) / len(values)
        case Fold.MAX:
            return max(values)
        case Fold.MIN:
            return min(values)
        case Fold.SUM:
            return sum(values)
