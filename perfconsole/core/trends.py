"""Growth of queues, caches, memory and descriptors, and the time until it hurts: pure functions of points and values.

The line must fit, still rise at its end, and meet its goal within a horizon: a queue may turn in minutes, a leak does
not. What is flat, noisy, a sawtooth or a single step has no trend.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.core.fit import FITS, MIN_POINTS, fit
from perfconsole.core.formulas.kv import FILL_WINDOW_S
from perfconsole.core.formulas.minutes import HALF_HOUR_S
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing
from perfconsole.model.trend import Goal, Growing, Trend

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

    Points = Sequence[tuple[float, float]]

OBJECTIVE_S = 1.5
"""Time to the first token from which callers complain; the limit of ttft-high."""
KNEE_CAPS = 2.0
"""Waiting requests in units of the running ones at most: a burst drains, twice the batch does not."""
QUEUE_HORIZON_S, KV_HORIZON_S, MEMORY_HORIZON_S, DESCRIPTOR_HORIZON_S = 600.0, 600.0, 86_400.0, 3600.0
QUEUE_WINDOWS_S = (120.0, 60.0)
"""The longer line is the surer one; the shorter one is there sooner."""
QUEUE_FITS = 0.8
"""R2 of a line through a queue: whole numbers that jump by a burst, where one of memory must fit with 0.9."""
_LEAST_SPAN_S = 20.0
_LEAST_RATE = 1 / 60
"""Requests a second: below one a minute a queue is where it was."""
_LEAST_WAITING = 2.0
_TAIL = 1 / 3
"""Share of the line, at its end, that must go on rising."""
_GAP_S = 5.0


class Rise(NamedTuple):
    """A line that goes up."""

    rate: float
    """Growth a second."""
    r2: float
    span_s: float


def rise(points: Points, fits: float = FITS) -> Rise | None:
    """The line through the points since the last gap, None where none fits, or where its end no longer rises.

    A gap is three times the usual distance of two points, or five seconds.
    """
    kept = _since_gap(points)
    higher = len(kept) >= MIN_POINTS and kept[-1][1] > kept[0][1]  # spares a long, steady queue the fit of a line
    line = fit(kept) if higher else None
    if line is None or line.slope <= 0 or line.r2 < fits:
        return None
    span = kept[-1][0] - kept[0][0]
    end = fit([p for p in kept if p[0] >= kept[-1][0] - span * _TAIL])
    if end is None or end.slope < line.slope / 3:
        return None
    return Rise(line.slope, line.r2, span)


def _since_gap(points: Points) -> Points:
    steps = sorted(b[0] - a[0] for a, b in pairwise(points))
    widest = max(_GAP_S, 3 * steps[len(steps) // 2]) if steps else _GAP_S
    cut = max((i for i in range(1, len(points)) if points[i][0] - points[i - 1][0] > widest), default=0)
    return points[cut:]


def queue_rise(points: Points, now: float) -> Rise | None:
    """How the queue grows over two minutes, else over one, else over what there is: that must fit all the better."""
    for window in QUEUE_WINDOWS_S:
        found = rise([p for p in points if p[0] >= now - window], QUEUE_FITS)
        if found and found.span_s >= 0.9 * window:
            return found
    return found if found and found.span_s >= _LEAST_SPAN_S and found.r2 >= FITS else None


class Knee(NamedTuple):
    """Where a growing queue begins to hurt."""

    goal: Goal
    limit: float
    left_s: float


def knee(waiting: float, rate: float, served: float | None, cap: float | None) -> Knee | None:
    """What the queue meets first: a wait beyond the objective, or twice the requests that may run.

    `rate` is its growth and `served` the requests that end, both a second: who comes last waits for waiting / served
    seconds. None where neither is known.
    """
    found = []
    if served:
        found.append(Knee(Goal.TTFT, OBJECTIVE_S, _until(waiting, OBJECTIVE_S * served, rate)))
    if cap:
        found.append(Knee(Goal.KNEE, KNEE_CAPS * cap, _until(waiting, KNEE_CAPS * cap, rate)))
    return min(found, key=lambda k: k.left_s, default=None)


def _until(value: float, limit: float, rate: float) -> float:
    return max(0.0, (limit - value) / rate)


def trends(frame: Frame, entities: Iterable[Entity]) -> Iterator[Trend]:
    """All trends that meet their goal within their horizon, the soonest first."""
    found = [t for e in entities for make in _MAKERS.get(e.kind, ()) if (t := make(frame, e)) is not None]
    return iter(sorted(found, key=lambda t: (t.left_s, t.entity)))


def _queue(frame: Frame, engine: Entity) -> Trend | None:
    waiting = frame.value("engine.requests_waiting", engine)
    if isinstance(waiting, Missing) or waiting < _LEAST_WAITING:
        return None
    points = frame.store.points("engine.requests_waiting", engine, frame.t - QUEUE_WINDOWS_S[0], frame.t)
    risen = queue_rise(points, frame.t)
    if risen is None or risen.rate < _LEAST_RATE:
        return None
    at = knee(waiting, risen.rate, _served(frame, engine), _cap(frame, engine))
    if at is None or at.left_s > QUEUE_HORIZON_S:
        return None
    return Trend(Growing.QUEUE, engine, waiting, risen.rate, at.goal, at.limit, at.left_s, risen.span_s, risen.r2)


def _cap(frame: Frame, engine: Entity) -> float | None:
    """Requests that may run at once, over all ranks."""
    each = _number(frame, "engine.max_num_seqs", engine)
    return None if each is None else each * max(1.0, _number(frame, "engine.data_parallel", engine) or 1.0)


def _served(frame: Frame, engine: Entity) -> float | None:
    """Requests that ended a second, over the last minute: ten seconds may hold none of the long ones."""
    grown = frame.increase("engine.requests_finished", engine, 60.0)
    return None if isinstance(grown, Missing) or grown.seconds < _LEAST_SPAN_S else grown.cells[0] / grown.seconds


def _kv(frame: Frame, engine: Entity) -> Trend | None:
    usage = _number(frame, "engine.kv_cache_usage", engine)
    left = _number(frame, "engine.kv_time_to_full", engine)
    if usage is None or left is None:
        return None
    return _full(Growing.KV, engine, usage, (1.0, left, KV_HORIZON_S), FILL_WINDOW_S)


def _host_memory(frame: Frame, host: Entity) -> Trend | None:
    free = _number(frame, "host.mem_available", host)
    left = _number(frame, "host.mem_time_to_full", host)
    if free is None or not left or not 0 < left <= MEMORY_HORIZON_S:
        return None
    return Trend(Growing.HOST_MEMORY, host, free, free / left, Goal.FULL, 0.0, left, HALF_HOUR_S)


def _process_memory(frame: Frame, process: Entity) -> Trend | None:
    used = _number(frame, "host.process_rss", process)
    left = _number(frame, "host.process_rss_time_to_full", process)
    growth = _number(frame, "host.process_rss_growth", process)
    if used is None or left is None or not growth:
        return None
    return _full(Growing.PROCESS_MEMORY, process, used, (used + growth * left, left, MEMORY_HORIZON_S), HALF_HOUR_S)


def _descriptors(frame: Frame, process: Entity) -> Trend | None:
    used, limit = (_number(frame, f"host.process_{n}", process) for n in ("fds", "fd_limit"))
    left = _number(frame, "host.process_fd_time_to_full", process)
    if used is None or limit is None or left is None:
        return None
    return _full(Growing.DESCRIPTORS, process, used, (limit, left, DESCRIPTOR_HORIZON_S), HALF_HOUR_S)


def _gpu_memory(frame: Frame, gpu: Entity) -> Trend | None:
    used, whole = (_number(frame, f"gpu.mem_{n}", gpu) for n in ("used", "total"))
    growth = _number(frame, "gpu.mem_growth", gpu)
    if used is None or whole is None or not growth or growth <= 0:
        return None
    return _full(Growing.GPU_MEMORY, gpu, used, (whole, (whole - used) / growth, MEMORY_HORIZON_S), HALF_HOUR_S)


def _full(
    growing: Growing, entity: Entity, value: float, end: tuple[float, float, float], span_s: float
) -> Trend | None:
    """`end` is the limit, the seconds until it, and how far ahead they count."""
    limit, left, horizon = end
    if not 0 < left <= horizon or limit <= value:
        return None
    return Trend(growing, entity, value, (limit - value) / left, Goal.FULL, limit, left, span_s)


def _number(frame: Frame, name: str, entity: Entity) -> float | None:
    value = frame.value(name, entity)
    return None if isinstance(value, Missing) or value in (inf, -inf) else value


_MAKERS = {
    Kind.ENGINE: (_queue, _kv),
    Kind.HOST: (_host_memory,),
    Kind.PROCESS: (_process_memory, _descriptors),
    Kind.GPU: (_gpu_memory,),
}
