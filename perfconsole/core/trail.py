"""The history of one indicator as a chart wants it: means over equal stretches, breaks where nothing was known."""

from __future__ import annotations

from itertools import pairwise
from math import floor
from typing import TYPE_CHECKING

from perfconsole.core.series import MINUTE_S

if TYPE_CHECKING:
    from perfconsole.core.history import Track
    from perfconsole.core.ring import Ring

TICKS_S = 600.0
"""How far back single ticks are kept; older stretches are read from minutes."""
_VALUE, _MEAN = 0, 2
"""Columns of the two rings of a track."""


def stretch_means(track: Track, end: float, step_s: float, columns: int) -> tuple[float | None, ...]:
    """Means over `columns` stretches of `step_s` seconds, the last one holding `end`; None where nothing was known.

    Stretches begin at multiples of `step_s`, so that a chart shifts once a stretch and not at every tick.
    """
    first = floor(end / step_s) - columns + 1
    edges = [(first + place) * step_s for place in range(columns)]
    ticks = _means(track.ticks, [*edges, end + 2e-6], _VALUE)
    if end - edges[0] <= TICKS_S or step_s < MINUTE_S:
        return ticks
    minutes = _means(track.minutes, [*edges, end + 2e-6], _MEAN)
    return tuple(m if edge < end - TICKS_S else t for edge, t, m in zip(edges, ticks, minutes, strict=True))


def _means(ring: Ring, edges: list[float], column: int) -> tuple[float | None, ...]:
    """Mean of a column between each two edges; rows of NaN are ticks without a value."""
    cuts = [ring.cut(edge) for edge in edges]
    return tuple(_mean([v for v in ring.values(a, b, column) if v == v]) for a, b in pairwise(cuts))  # noqa: PLR0124 - NaN


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
