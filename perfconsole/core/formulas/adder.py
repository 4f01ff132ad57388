"""How the time that a gateway adds to the first token grows with load: a timer adds the same at any load."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from perfconsole.core.series import MINUTE_S
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

OUTSIDE = "gateway.ttft.p50"
INSIDE = "engine.ttft.p50"
LOAD = "engine.requests_running"
WINDOW_S = 3600.0
_MINUTES = 3
"""Full minutes that either third must have."""
FULL_WINDOWS_S = {"gateway.adder_growth": 2 * _MINUTES * MINUTE_S}
_LOADS = 2.0
"""Highest by lowest load, at the least: otherwise the thirds are the same load."""
_LEAST_S = 0.005
"""An adder below is within what two medians from buckets differ by, and its growth is noise."""


def adder_growth(frame: Frame, gateway: Entity) -> float | Missing:
    """(Median first token at the gateway - mean of its engines') in the middle third of load / in the lowest third.

    Load is the requests that its engines run, by minutes of the last hour. NEVER while load varied too little, or the
    gateway adds next to nothing in the lowest third.
    """
    engines = frame.related(gateway, Kind.ENGINE)
    reason = _unknown(frame, gateway, engines)
    if reason is not None:
        return reason
    if _adder_now(frame, gateway, engines) < _LEAST_S:
        return Missing.NEVER
    minutes = _minutes(frame, gateway, engines)
    lowest, middle = _thirds(minutes)
    if len(minutes) < 2 * _MINUTES:
        return Missing.WARMING_UP
    if len(lowest) < _MINUTES or len(middle) < _MINUTES:
        return Missing.NEVER
    at_rest = sum(lowest) / len(lowest)
    under_load = sum(middle) / len(middle)
    return under_load / at_rest if min(at_rest, under_load) >= _LEAST_S else Missing.NEVER


def _unknown(frame: Frame, gateway: Entity, engines: Sequence[Entity]) -> Missing | None:
    if not engines:
        return Missing.NEVER
    values = [frame.value(OUTSIDE, gateway), *(frame.value(LOAD, engine) for engine in engines)]
    # Without requests in the last minute there is no median now; those of the hour are good all the same.
    return next((v for v in values if isinstance(v, Missing) and v is not Missing.NEVER), None)


def _adder_now(frame: Frame, gateway: Entity, engines: Sequence[Entity]) -> float:
    """Infinite where there is none now: a cheap look, so that the hour is not searched where nothing is added."""
    here = frame.value(OUTSIDE, gateway)
    inside = [v for e in engines if not isinstance(v := frame.value(INSIDE, e), Missing)]
    return inf if isinstance(here, Missing) or not inside else here - sum(inside) / len(inside)


def _thirds(minutes: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Adders in the lowest and in the middle third of the loads seen; none where they hardly differ."""
    loads = [load for load, _ in minutes]
    low, high = min(loads, default=0.0), max(loads, default=0.0)
    if high <= _LOADS * max(low, 0.5):
        return [], []
    third = (high - low) / 3
    lowest = [adder for load, adder in minutes if load <= low + third]
    return lowest, [adder for load, adder in minutes if low + third < load <= high - third]


def _minutes(frame: Frame, gateway: Entity, engines: Sequence[Entity]) -> list[tuple[float, float]]:
    """(load, adder) of each full minute of the last hour in which all of them are known."""
    track = frame.history.track(OUTSIDE, gateway)
    begin = max(frame.t - WINDOW_S, track.since) if track else frame.t
    seen = track.minute_means(begin, frame.t) if track else []
    first = _by_minute(frame, INSIDE, engines, begin)
    load = _by_minute(frame, LOAD, engines, begin)
    found = []
    for t, ttft in seen:
        inside, held = first.get(_minute(t)), load.get(_minute(t))
        if inside and held and len(held) == len(engines):
            found.append((sum(held), ttft - sum(inside) / len(inside)))
    return found


def _by_minute(frame: Frame, name: str, engines: Sequence[Entity], begin: float) -> dict[int, list[float]]:
    """Means of the engines that have one, by minute of the session."""
    found: dict[int, list[float]] = {}
    for engine in engines:
        track = frame.history.track(name, engine)
        means = track.minute_means(max(begin - MINUTE_S, track.since), frame.t) if track else []
        for minute, mean in {_minute(t): mean for t, mean in means}.items():
            found.setdefault(minute, []).append(mean)
    return found


def _minute(t: float) -> int:
    """Number of the minute in which most of a minute that begins at t lies."""
    return round(t / MINUTE_S)


FORMULAS = {"gateway.adder_growth": adder_growth}
