"""Whether more running requests give more tokens: two stretches of minutes, ten minutes apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.series import MINUTE_S
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

RUNNING = "engine.requests_running"
OUTPUT = "engine.generation_rate"
APART_S = 600.0
_MINUTES = 2
_SLACK_S = MINUTE_S / 2
FULL_WINDOWS_S = {"engine.scaling": APART_S + (_MINUTES + 1) * MINUTE_S}
_LEAST_MOVE = 0.2
_LEAST_RUNNING = 1.0
"""Requests in either stretch: below, the batch says how often it was empty, and output grows with that."""


def scaling(frame: Frame, engine: Entity) -> float | Missing:
    """Relative change of output / relative change of running: 1 linear, 0 flat, below 0 falling.

    Missing (NEVER) while running moved by less than 20 %, or is below 1 in either stretch.
    """
    for name in (RUNNING, OUTPUT):
        if isinstance(now := frame.value(name, engine), Missing):
            return now
    newest = _newest(frame, engine)
    means = [_mean(frame, n, engine, newest - ago) for ago in (APART_S, 0.0) for n in (RUNNING, OUTPUT)]
    known = [m for m in means if m is not None]
    if len(known) < len(means):
        return Missing.WARMING_UP
    before, output_before, after, output_after = known
    if min(before, after) < _LEAST_RUNNING or output_before <= 0:
        return Missing.NEVER
    moved = (after - before) / before
    return (output_after - output_before) / output_before / moved if abs(moved) >= _LEAST_MOVE else Missing.NEVER


def _newest(frame: Frame, engine: Entity) -> float:
    """Start of the last full minute."""
    track = frame.history.track(RUNNING, engine)
    last = track.minutes.last_t if track else None
    return frame.t if last is None else last


def _mean(frame: Frame, name: str, engine: Entity, last: float) -> float | None:
    """Mean of the two minutes of which the second begins at `last`; None without both in this life of the engine."""
    track = frame.history.track(name, engine)
    first = last - (_MINUTES - 1) * MINUTE_S - _SLACK_S
    if track is None or first + _SLACK_S < track.since:
        return None
    rows = track.minute_means(max(first, track.since), last + _SLACK_S)
    return sum(mean for _, mean in rows) / len(rows) if len(rows) >= _MINUTES else None


FORMULAS = {"engine.scaling": scaling}
