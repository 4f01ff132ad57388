"""Rates and ratios of an engine: tokens, requests, errors, prefix cache, delivery."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import RATE_WINDOW_S, delta, number, quotient, rate
from perfconsole.core.formulas.counted import highest_rate, is_counted
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.core.frame import Frame
    from perfconsole.core.store import Labels
    from perfconsole.model.entity import Entity

FINISHED = "engine.requests_finished"
FAILED = "engine.requests_failed"
ABORTED = "engine.requests_aborted"
STEP_TIME = "engine.step_time"
HITS = "engine.prefix_cache_hit_ratio"
LOOKED_UP = (("part", "looked-up"),)
HIT = (("part", "hit"),)
MIN_REQUESTS = 20
"""Below this many ended requests an error ratio says nothing."""


def _rate_of(counter: str) -> Callable[[Frame, Entity], float | Missing]:
    return lambda frame, engine: rate(frame, counter, engine, RATE_WINDOW_S)


def error_ratio(frame: Frame, engine: Entity) -> float | Missing:
    """Failed / ended requests over 5 min.

    An engine that counts a failure both as a finish reason and as an HTTP 5xx is counted once: the larger of the two.
    """
    failed = _largest_part(frame, engine)
    return _share_of_ended(frame, engine, failed)


def abort_ratio(frame: Frame, engine: Entity) -> float | Missing:
    """Aborted / ended requests over 5 min."""
    return _share_of_ended(frame, engine, delta(frame, ABORTED, engine))


def _largest_part(frame: Frame, engine: Entity) -> float | Missing:
    seen = {dict(labels).get("seen", "") for labels in frame.store.parts(FAILED, engine)}
    deltas = [delta(frame, FAILED, engine, match=(("seen", s),) if s else ()) for s in sorted(seen)]
    known = [d for d in deltas if not isinstance(d, Missing)]
    return max(known) if known else next(iter(deltas), delta(frame, FAILED, engine))


def _share_of_ended(frame: Frame, engine: Entity, part: float | Missing) -> float | Missing:
    ended = delta(frame, FINISHED, engine)
    if isinstance(part, Missing):
        return part
    if isinstance(ended, Missing):
        return ended
    apart = sum(number(delta(frame, n, engine, match=(("in_finished", "no"),)), 0.0) for n in (FAILED, ABORTED))
    apart += _failed_before_the_engine(frame, engine)
    return part / (ended + apart) if ended + apart >= MIN_REQUESTS else Missing.WARMING_UP


def _failed_before_the_engine(frame: Frame, engine: Entity) -> float:
    """HTTP failures beyond those that the core counts among the finished: they ended in the front-end."""
    http, core = (number(delta(frame, FAILED, engine, match=(("seen", s),)), 0.0) for s in ("http", "core"))
    return max(0.0, http - core)


def preemption_ratio(frame: Frame, engine: Entity) -> float | Missing:
    """Preemptions / finished requests over 5 min; 1 when only preemptions rose, missing while nothing runs."""
    preempted = delta(frame, "engine.preemptions", engine)
    finished = delta(frame, FINISHED, engine)
    if isinstance(preempted, Missing):
        return preempted
    if isinstance(finished, Missing):
        return finished
    if finished > 0:
        return preempted / finished
    if preempted > 0:
        return 1.0
    return 0.0 if number(frame.value("engine.requests_running", engine), 0.0) > 0 else Missing.NEVER


def scheduler_itl(frame: Frame, engine: Entity) -> float | Missing:
    """requests_running / generation_rate, in seconds: the gap that the scheduler itself makes between tokens."""
    return quotient(frame.value("engine.requests_running", engine), frame.value("engine.generation_rate", engine))


def delivery_ratio(frame: Frame, engine: Entity) -> float | Missing:
    """ITL seen after the front-end / the gap inside the engine.

    Where the engine's own ITL is taken (core or front-end) is a label of its series, set by the adapter.
    """
    taken = {dict(labels).get("taken") for labels in frame.store.parts("engine.itl", engine)}
    inside = frame.value("engine.itl.p50" if "core" in taken else "engine.scheduler_itl", engine)
    return quotient(_delivered_itl(frame, engine, in_frontend="frontend" in taken), inside)


def _delivered_itl(frame: Frame, engine: Entity, *, in_frontend: bool) -> float | Missing:
    outside = [frame.value("gateway.itl.p50", g) for g in frame.related(engine, Kind.GATEWAY)]
    candidates = [*outside, frame.value("probe.itl.p50", engine)]
    if in_frontend:
        candidates.append(frame.value("engine.itl.p50", engine))
    return next((c for c in candidates if not isinstance(c, Missing)), Missing.NEVER)


def unadmitted(frame: Frame, engine: Entity) -> float | Missing:
    """http_inflight - running - waiting, in requests: accepted by HTTP, not yet with the scheduler; not below 0."""
    values = [frame.value(f"engine.{n}", engine) for n in ("http_inflight", "requests_running", "requests_waiting")]
    missing = next((v for v in values if isinstance(v, Missing)), None)
    if missing is not None:
        return missing
    inflight, running, waiting = (number(v, 0.0) for v in values)
    return max(0.0, inflight - running - waiting)


def startup_time(frame: Frame, engine: Entity) -> float | Missing:
    """Seconds that a start has taken so far; missing once the engine has been ready, unless a source says it."""
    ready = frame.value("engine.ready", engine)
    if isinstance(ready, Missing):
        return ready
    track = frame.history.track("engine.ready", engine)
    was_ready = ready > 0 or (track is not None and any(v > 0 for _, v in track.points(-inf, frame.t)))
    return Missing.NEVER if was_ready else frame.value("engine.uptime", engine)


def step_time(frame: Frame, engine: Entity) -> float | Missing:
    """Window / steps, in seconds, over the last 10 s; missing while nothing runs, since idle time is not a step.

    Of several ranks that which steps most: each has steps of its own, and the others idle in between.
    """
    running = frame.value("engine.requests_running", engine)
    if isinstance(running, Missing):
        return running
    if running <= 0:
        return Missing.NEVER
    counter = STEP_TIME if is_counted(frame, STEP_TIME, engine) else "engine.step_tokens"
    parts = frame.store.parts(counter, engine)
    ranks = dict.fromkeys(tuple(pair for pair in labels if pair[0] == "rank") for labels in parts)
    return quotient(1.0, highest_rate(frame, counter, engine, ranks or ((),)))


def prefix_query_rate(frame: Frame, engine: Entity) -> float | Missing:
    """Prompt tokens looked up in the prefix cache, a second."""
    return rate(frame, HITS, engine, RATE_WINDOW_S, LOOKED_UP)


def prefix_cache_hit_ratio(frame: Frame, engine: Entity) -> float | Missing:
    """Cached / looked-up prompt tokens over 1 min, 5 min below 1 request a second; missing without look-ups."""
    busy = number(rate(frame, FINISHED, engine, 60.0), 0.0) >= 1
    window = 60.0 if busy else 300.0
    return quotient(delta(frame, HITS, engine, window, HIT), delta(frame, HITS, engine, window, LOOKED_UP))


def prefix_cache_lifetime_ratio(frame: Frame, engine: Entity) -> float | Missing:
    """The same ratio since the start of the engine."""
    return quotient(_total(frame, engine, HIT), _total(frame, engine, LOOKED_UP))


def _total(frame: Frame, engine: Entity, match: Labels) -> float | Missing:
    """Tokens of all ranks and rows; either side may have more of them than the other, so that means would mislead."""
    current = frame.store.current(HITS, engine, frame.t)
    if isinstance(current, Missing):
        return current
    counts = [s.last() for labels, s in current.items() if all(m in labels for m in match)]
    return sum(counts) if counts else Missing.NOT_EXPORTED


FORMULAS = {
    "engine.request_rate": _rate_of(FINISHED),
    "engine.prompt_rate": _rate_of("engine.prompt_tokens"),
    "engine.error_ratio": error_ratio,
    "engine.abort_ratio": abort_ratio,
    "engine.preemption_ratio": preemption_ratio,
    "engine.scheduler_itl": scheduler_itl,
    "engine.delivery_ratio": delivery_ratio,
    "engine.startup_time": startup_time,
    "engine.unadmitted": unadmitted,
    STEP_TIME: step_time,
    "engine.prefix_query_rate": prefix_query_rate,
    "engine.prefix_cache_hit_ratio": prefix_cache_hit_ratio,
    "engine.prefix_cache_lifetime_ratio": prefix_cache_lifetime_ratio,
}
