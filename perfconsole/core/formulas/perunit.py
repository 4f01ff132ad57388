"""How many of one thing go with one of another: engine requests with a gateway's, model calls with an agent's task.

What is in flight at either end of the window is where such a ratio goes wrong: a task that has begun has made some of
its calls and is not counted as done. How many of them is a matter of its pattern: all when it begins (a share of 1),
evenly (a half), all at its end (0). A gateway that counts a request when it accepts it has a share of 0, one that
counts it when it ends has 1. The share is read from how calls followed the requests in flight.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.core.formulas.common import least, quotient
from perfconsole.core.formulas.tally import Tally, shared_stretch
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Sequence

EDGE_S = 15.0
"""Both ends of the window are means over this time: progress of what is in flight evens out, a change shows soon."""
MOST_POLLS = 75
"""Enough to learn the share from: every fifth poll of five minutes at one a second."""
HALF = 0.5
"""Share of its calls that something in flight has made, as long as the polls say nothing better."""


def per_unit(parts: Sequence[Tally], units: Tally, inflight: Tally | None, enough: float) -> float | Missing:
    """Growth of the parts / growth of the units, over the polls of the units that all of them cover.

    WARMING_UP below `enough` units, or while fewer ended than the number in flight changed by.
    """
    lines = [*parts, units] if inflight is None else [*parts, units, inflight]
    stretch = shared_stretch(lines)
    if isinstance(stretch, Missing):
        return stretch
    times = units.within(*stretch)
    if len(times) < 2:
        return Missing.WARMING_UP
    seen = _seen(parts, units, inflight, [times[0], times[-1]])
    done = least(seen.units[-1] - seen.units[0], max(enough, abs(seen.open[-1] - seen.open[0])))
    if isinstance(done, Missing):
        return done
    share = _share(_seen(parts, units, inflight, times[:: 1 + len(times) // MOST_POLLS]))
    first, last = (_seen(parts, units, inflight, edge) for edge in _edges(times))
    ended = fmean(last.units) - fmean(first.units)
    return quotient(fmean(last.made) - fmean(first.made), ended + share * (fmean(last.open) - fmean(first.open)))


class _Seen(NamedTuple):
    """What was made of parts, how many units had ended, and how many were open, at some moments."""

    made: list[float]
    units: list[float]
    open: list[float]


def _seen(parts: Sequence[Tally], units: Tally, inflight: Tally | None, times: Sequence[float]) -> _Seen:
    made = [sum(row) for row in zip(*(part.sampled(times) for part in parts), strict=True)]
    return _Seen(made, units.sampled(times), inflight.sampled(times) if inflight else [0.0] * len(times))


def _edges(times: Sequence[float]) -> tuple[list[float], list[float]]:
    """Polls near the first one and near the last one, in a quarter of the stretch each at most."""
    edge = min(EDGE_S, (times[-1] - times[0]) / 4)
    return [t for t in times if t <= times[0] + edge], [t for t in times if t >= times[-1] - edge]


def _share(seen: _Seen) -> float:
    """Share of its calls that one in flight has made, by least squares over the polls, drawn towards a half.

    The pull is that of the progress of those in flight, which is the noise of the fit: while their number hardly
    changes, nothing can be learnt from it, and nothing depends on it.
    """
    held, count = fmean(seen.open), seen.units[-1] - seen.units[0]
    halfway = [c + HALF * o for c, o in zip(seen.units, seen.open, strict=True)]
    each = (seen.made[-1] - seen.made[0]) / max(1.0, halfway[-1] - halfway[0])
    if held <= 0 or count <= 0 or each <= 0:
        return HALF
    done = _centred(seen.units)
    holding = _without(_centred(seen.open), done)
    left = _without(_centred([m - each * h for m, h in zip(seen.made, halfway, strict=True)]), done)
    alike = max(1.0, held * len(seen.made) / count)  # polls within the length of one task tell the same
    extra = _dot(holding, left) / (_dot(holding, holding) + held * alike)
    return min(1.0, max(0.0, HALF + extra / each))


def _centred(values: Sequence[float]) -> list[float]:
    mean = fmean(values)
    return [v - mean for v in values]


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _without(values: Sequence[float], by: Sequence[float]) -> list[float]:
    """What is left of the values when the line through `by` is taken away."""
    size = _dot(by, by)
    slope = _dot(values, by) / size if size > 0 else 0.0
    return [v - slope * b for v, b in zip(values, by, strict=True)]
