"""Functions over windows that reach further back than single ticks are kept: read from minutes."""

from __future__ import annotations

from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING

from perfconsole.core.fit import fit
from perfconsole.core.series import MINUTE_S
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.history import Track

TICKS_S = 600.0
"""Windows up to this long are read tick by tick."""
_SLACK_S = 2 * MINUTE_S
"""A minute is open, and the one in which the window begins may be cut."""
Row = tuple[float, tuple[float, ...]]
"""Start of a minute, and its figures."""
_LOW, _HIGH, _MEAN, _LAST = range(4)


def over_minutes(function: str, track: Track, t: float, window_s: float, value: float) -> float | Missing:
    """min max avg slope rate delta of an indicator over the minutes of (t - window, t] and its value now.

    `changes` are the minutes in which it changed. A fall is where a counter began anew: rate and delta count only
    rises. WARMING_UP until the minutes reach back. A restart ends no such window: over hours it is part of the answer.
    """
    rows = track.minute_rows(t - window_s, t)
    slack = max(_SLACK_S, 1.5 * track.interval_s())
    if not rows or rows[0][0] > t - window_s + slack:
        return Missing.WARMING_UP
    match function:
        case "min":
            return min(value, *_lately(track, t), *(row[_LOW] for _, row in rows))
        case "max":
            return max(value, *_lately(track, t), *(row[_HIGH] for _, row in rows))
        case "avg":
            return sum(row[_MEAN] for _, row in rows) / len(rows)
        case "changes":
            return float(sum(map(_moved, [None, *rows], rows)))
        case "slope":
            line = fit([(at, row[_MEAN]) for at, row in rows])
            return Missing.WARMING_UP if line is None else line.slope
        case _:
            grown = _rises([row[_LAST] for _, row in rows] + [value])
            return grown if function == "delta" else grown / (t - rows[0][0])


def _lately(track: Track, t: float) -> list[float]:
    """Values since the last full minute, which may have ended nearly two minutes ago."""
    return [value for _, value in track.points(t - 2 * MINUTE_S, t) if isfinite(value)]


def _moved(before: Row | None, after: Row) -> bool:
    """The minute saw a change, in it or since the one before."""
    stood = before is None or before[1][_LAST] == after[1][_LAST]
    return after[1][_LOW] != after[1][_HIGH] or not stood


def _rises(values: list[float]) -> float:
    return sum(max(0.0, after - before) for before, after in pairwise(values))
