"""Whether requests come to the engines evenly or all at once."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import least
from perfconsole.core.formulas.tally import Tally, arrivals, shared_stretch
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

MIN_ARRIVALS = 20
SHORTEST_S = 30.0
"""A mean over less is none: the first seconds of a load are busier than the idle ones before."""
FULL_WINDOWS_S = {"gateway.arrival_burst": SHORTEST_S}
SECOND_S = 0.95
"""Polls a second apart are never quite a second apart."""
SLOWEST_S = 2.5
"""Usual time between two polls beyond which nobody can say how busy a second was."""
QUIET_RATE = 2.0
"""Arrivals a second. Below it a second of five times the mean comes by chance: of 300 seconds at a mean of 1, the
busiest has 5 of its own accord."""


def arrival_burst(frame: Frame, gateway: Entity) -> float | Missing:
    """Busiest second / mean of the arrivals at the engines over 5 min, a mean below 2 a second taken as 2.

    The mean runs from the first arrival in the window. UNSUPPORTED where the engines are polled too seldom.
    """
    came = arrivals(frame, frame.related(gateway, Kind.ENGINE))
    if isinstance(came, Missing):
        return came
    if max(line.usual_s() for line in came) > SLOWEST_S:
        return Missing.UNSUPPORTED
    together = _together([line.punctual() for line in came])
    if isinstance(together, Missing):
        return together
    first = next((a for a, b in pairwise(range(len(together.times))) if together.counts[b] > together.counts[0]), 0)
    stretch = max(SHORTEST_S, together.end - together.times[first])
    total = least(together.growth(together.start, together.end), MIN_ARRIVALS)
    if isinstance(total, Missing) or together.end - together.start < SHORTEST_S:
        return Missing.WARMING_UP
    return _busiest_second(together.times, together.counts) / max(QUIET_RATE, total / stretch)


def _together(lines: list[Tally]) -> Tally | Missing:
    """All engines as one line, at the polls of one of them that all cover."""
    stretch = shared_stretch(lines)
    if isinstance(stretch, Missing) or len(lines) == 1:
        return stretch if isinstance(stretch, Missing) else lines[0]
    times = lines[0].within(*stretch)
    rows = (line.sampled(times) for line in lines)
    return Tally(times, [sum(row) for row in zip(*rows, strict=True)]) if times else Missing.WARMING_UP


def _busiest_second(times: Sequence[float], counts: Sequence[float]) -> float:
    """Highest rate over the shortest runs of polls that are a second long or more."""
    highest, last = 0.0, 0
    for first, start in enumerate(times):
        while last < len(times) and times[last] - start < SECOND_S:
            last += 1
        if last == len(times):
            break
        highest = max(highest, (counts[last] - counts[first]) / (times[last] - start))
    return highest
