"""Operands of conditions, read from a frame: scopes resolved, windows checked, baselines looked up."""

from __future__ import annotations

from itertools import pairwise
from math import inf, isfinite
from typing import TYPE_CHECKING

from perfconsole.core.fit import fit
from perfconsole.core.formulas import FORMULAS, full_window_s
from perfconsole.core.formulas.batching import whole_cap
from perfconsole.core.history import TICK_SLACK_S
from perfconsole.core.longwindow import TICKS_S, over_minutes
from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.baseline import Baselines
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity


class FrameReader:
    """The judge's view of one tick."""

    def __init__(self, frame: Frame, baselines: Baselines) -> None:
        self._frame = frame
        self._baselines = baselines
        self.t = frame.t
        self.run_s = frame.run_s

    def _owners(self, name: str, entity: Entity) -> tuple[Entity, ...]:
        """Entities that carry the indicator, seen from this one; the entity itself for results of actions."""
        entry = self._frame.dictionary.find(name)
        if entry is None:
            return ()
        own = entry.scope is entity.kind or entry.scope is Kind.TARGET
        return (entity,) if own else self._frame.related(entity, entry.scope)

    def _value(self, name: str, owner: Entity) -> float | Missing:
        """A value that is no number says nothing, as on the screen: never FALSE because NaN compares so.

        Infinite is an answer only of a formula: what does not fill will never be full.
        """
        value = self._frame.value(name, owner)
        return _finite(value) if value != inf or name not in FORMULAS else value

    def known(self, entity: Entity) -> dict[str, float | Missing]:
        """What `read` would give of the entity's own values, as far as they are worked out."""
        return self._frame.known(entity)

    def cap(self, engine: Entity) -> float | None:
        """The most requests that an engine runs at the same time, over all of its ranks; None where nobody knows."""
        cap = whole_cap(self._frame, engine)
        return None if isinstance(cap, Missing) else cap

    def read(self, name: str, entity: Entity) -> float | Missing:
        """Plain reading; with several wider entities, the first that has a value."""
        entry = self._frame.dictionary.find(name)
        if entry is not None and entry.scope is entity.kind:
            value = self._frame.value(name, entity)
            return value if isinstance(value, str) or isfinite(value) else self._value(name, entity)
        first: float | Missing | None = None
        for owner in self._owners(name, entity):
            value = self._value(name, owner)
            if not isinstance(value, str):
                return value
            first = first or value
        return first or Missing.NEVER

    def base(self, name: str, entity: Entity) -> float | Missing:
        """Baseline of the entity that carries the indicator."""
        for owner in self._owners(name, entity):
            found = self._baselines.look(name, owner, self._frame)
            if found is not None:
                return found.value
        return Missing.NO_BASELINE

    def over_entities(self, function: str, name: str, entity: Entity) -> float | Missing:
        """min max avg sum count, and spread = max / mean; missing only when no entity has a value."""
        values = [self._value(name, owner) for owner in self._owners(name, entity)]
        known = [v for v in values if not isinstance(v, Missing)]
        if not known:
            return next(iter(values), Missing.NEVER)
        return _over_entities(function, known)

    def over_time(self, function: str, name: str, entity: Entity, window_s: float) -> float | Missing:
        """rate and delta of counters; avg min max slope changes of anything; WARMING_UP until the window is full."""
        owner = next(iter(self._owners(name, entity)), None)
        if owner is None:
            return Missing.NEVER
        value = self._value(name, owner)
        if isinstance(value, Missing):
            return value
        track = self._frame.history.track(name, owner)
        if track is not None and window_s > TICKS_S:
            return _finite(over_minutes(function, track, (self.t, value), window_s, rises=self._rises(name)))
        interval = track.interval_s() if track else 0.0
        slack = max(TICK_SLACK_S, interval)
        if track is None or not track.covers(self.t - window_s, slack):
            return Missing.WARMING_UP
        if function in ("rate", "delta") and self._rises(name):
            return self._growth(function, name, owner, window_s)
        points = [p for p in track.points(self.t - window_s, self.t) if p[0] < self.t and isfinite(p[1])]
        if not points or points[0][0] > self.t - window_s + slack + 1e-6:
            return Missing.WARMING_UP  # a gap where the window begins: what is left is a shorter one
        return _finite(_over_time(function, [*points, (self.t, value)]))

    def _rises(self, name: str) -> bool:
        """It only rises, unless it began anew."""
        return self._frame.dictionary.sort(name) in (Sort.COUNTER, Sort.HISTOGRAM)

    def _growth(self, function: str, name: str, owner: Entity, window_s: float) -> float | Missing:
        grown = self._frame.increase(name, owner, window_s)
        if isinstance(grown, Missing):
            return grown
        return grown.cells[0] if function == "delta" else grown.cells[0] / grown.seconds

    def full_window_s(self, name: str) -> float:
        """History without which the indicator cannot speak."""
        return full_window_s(name, self.run_s)


def _finite(value: float | Missing) -> float | Missing:
    """A `Missing` is told from a number by being a `str`: to ask for the enum itself takes four times as long."""
    return value if isinstance(value, str) or isfinite(value) else Missing.NEVER


def _over_entities(function: str, values: list[float]) -> float | Missing:
    match function:
        case "min":
            return min(values)
        case "max":
            return max(values)
        case "sum":
            return sum(values)
        case "count":
            return float(len(values))
        case "avg":
            return sum(values) / len(values)
        case _:
            mean = sum(values) / len(values)
            return max(values) / mean if mean else Missing.NEVER


def _over_time(function: str, points: list[tuple[float, float]]) -> float | Missing:
    values = [v for _, v in points]
    match function:
        case "min":
            return min(values)
        case "max":
            return max(values)
        case "avg":
            return sum(values) / len(values)
        case "changes":
            return float(sum(a != b for a, b in pairwise(values)))
        case "delta":
            return values[-1] - values[0]
        case "rate":
            return (values[-1] - values[0]) / (points[-1][0] - points[0][0])
        case _:
            line = fit(points)
            return Missing.WARMING_UP if line is None else line.slope
