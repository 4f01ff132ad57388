"""The history of one indicator as a chart wants it: means over equal stretches, breaks where nothing was known."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

from perfconsole.core.series import MINUTE_S

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.core.history import Track

TICKS_S = 600.0
"""How far back single ticks are kept; older stretches are read from minutes."""


def stretch_means(track: Track, end: float, step_s: float, columns: int) -> tuple[float | None, ...]:
    """Means over `columns` stretches of `step_s` seconds, the last one holding `end`; None where nothing was known.

    Stretches begin at multiples of `step_s`, so that a chart shifts once a stretch and not at every tick.
    """
    first = floor(end / step_s) - columns + 1
    start = first * step_s
    points: Iterable[tuple[float, float]] = track.points(start, end)
    if end - start > TICKS_S and step_s >= MINUTE_S:
        recent = end - TICKS_S
        points = [*track.minute_means(start, recent - MINUTE_S), *track.points(recent, end)]
    totals = [0.0] * columns
    counts = [0] * columns
    for t, value in points:
        place = min(floor(t / step_s) - first, columns - 1)
        if place >= 0:
            totals[place] += value
            counts[place] += 1
    return tuple(total / count if count else None for total, count in zip(totals, counts, strict=True))
