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


def over_minutes(
    function: str, track: Track, now: tuple[float, float], window_s: float, *, rises: bool
) -> float | Missing:
    """min max avg slope rate delta of an indicator over the minutes of the window and its value now.

    `changes` are the minutes in which it changed. Of what `rises` (a counter) a fall is where it began anew, and rate
    and delta count only rises. WARMING_UP until the minutes reach back. A restart ends no such window: over hours it is
    part of the answer.
    """
    t, value = now
    rows = track.minute_rows(t - window_s, t)
    slack = max(_SLACK_S, 1.5 * track.interval_s())
    if not rows or rows[0][0] > t - window_s + slack:
        return Missing.WARMING_UP
    lately = [*_lately(track, rows[-1][0] + MINUTE_S, t), value]
    match function:
        case "min":
            return min(*lately, *(row[_LOW] for _, row in rows))
        case "max":
            return max(*lately, *(row[_HIGH] for _, row in rows))
        case "avg":
            return _mean(rows, lately, t)
        case "changes":
            return float(sum(map(_moved, [None, *rows], rows))) + (len({rows[-1][1][_LAST], *lately}) > 1)
        case "slope":
            line = fit([*((at + MINUTE_S / 2, row[_MEAN]) for at, row in rows), now])
            return Missing.WARMING_UP if line is None else line.slope
        case _:
            start = rows[0][1][_LOW if rises else _LAST]
            grown = _rises([start, *(row[_LAST] for _, row in rows), value]) if rises else value - start
            return grown if function == "delta" else grown / (t - rows[0][0])


def _mean(rows: list[Row], lately: list[float], t: float) -> float:
    """Over time: a minute counts as one, what came after the last of them as long as it took."""
    rest = max(0.0, t - rows[-1][0] - MINUTE_S) / MINUTE_S
    total = sum(row[_MEAN] for _, row in rows) + rest * sum(lately) / len(lately)
    return total / (len(rows) + rest)


def _lately(track: Track, start: float, end: float) -> list[float]:
    """Values since the last full minute, which may have ended nearly two minutes ago."""
    return [value for _, value in track.points(start, end) if isfinite(value)]


def _moved(before: Row | None, after: Row) -> bool:
    """The minute saw a change, in it or since the one before."""
    stood = before is None or before[1][_LAST] == after[1][_LAST]
    return after[1][_LOW] != after[1][_HIGH] or not stood


def _rises(values: list[float]) -> float:
    return sum(max(0.0, after - before) for before, after in pairwise(values))
