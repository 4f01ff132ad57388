"""The cap on the running batch: where it comes from, how full it is, and the level on which running stands."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import RATE_WINDOW_S, delta, number, quotient
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

CAP = "engine.max_num_seqs"
RUNNING = "engine.requests_running"
WAITING = "engine.requests_waiting"
PLATEAU_S = 30.0
POOL_WINDOW_S = 60.0
_STEADY = 0.02
_ENDED_IN_A_STEP = 0.05
_POLLS = 8
"""Polls among which a full batch is seen full at least once, 97 times in 100."""
USUAL_POOLS = (50, 64, 100, 128, 200, 256, 300, 500, 512, 1000, 1024)
KNOWN_ORIGINS = ("argv", "server-info")
"""Origins that prove the cap by themselves; a plateau would only prove itself."""


def plateau_span_s(run_s: float | None) -> float:
    """30 s; in a short headless run half of it, 8 s at the least, so that the run can still see a plateau."""
    return PLATEAU_S if run_s is None else max(8.0, min(PLATEAU_S, run_s / 2))


def cap_with_origin(frame: Frame, engine: Entity) -> tuple[float | Missing, str]:
    """The effective cap and its origin: argv, server-info, plateau, default, in this order; origin "" for none."""
    known = _stated_cap(frame, engine)
    if known is not None:
        return known
    plateau = frame.value("engine.running_plateau", engine)
    if not isinstance(plateau, Missing) and plateau > 0:
        return plateau, "plateau"
    default = frame.folded(CAP, engine, (("origin", "default"),))
    return (default, "") if isinstance(default, Missing) else (default, "default")


def _stated_cap(frame: Frame, engine: Entity) -> tuple[float, str] | None:
    """The first that is known; a server that says less than it was asked for has the smaller cap.

    SGLang divides what the command line says by its ranks, and takes less where the memory holds less.
    """
    stated = [(frame.folded(CAP, engine, (("origin", origin),)), origin) for origin in KNOWN_ORIGINS]
    known = [(value, origin) for value, origin in stated if not isinstance(value, Missing)]
    return min(known, key=lambda pair: pair[0], default=None)


def max_num_seqs(frame: Frame, engine: Entity) -> float | Missing:
    """Effective cap on the running batch, per data-parallel rank, in requests."""
    return cap_with_origin(frame, engine)[0]


def whole_cap(frame: Frame, engine: Entity) -> float | Missing:
    """The effective cap over all ranks together, in requests. A plateau is one of all ranks already."""
    cap, origin = cap_with_origin(frame, engine)
    return cap if origin == "plateau" else _times(cap, _ranks(frame, engine))


def batch_fill(frame: Frame, engine: Entity) -> float | Missing:
    """Highest requests_running of 10 s or 8 polls / (max_num_seqs x data_parallel), from a stated cap only.

    The gauge is published after the requests that end in a step have left and before the next step fills their slots:
    a full batch of 4 shows 3 in a fifth to a third of the polls. The highest of some polls is compared with the cap.
    """
    given = frame.given(CAP, engine)
    known = _stated_cap(frame, engine) if given is None else (given, "given")
    if known is None:
        return Missing.NOT_EXPORTED
    return quotient(_highest_running(frame, engine), _times(known[0], _ranks(frame, engine)))


def _highest_running(frame: Frame, engine: Entity) -> float | Missing:
    now = frame.value(RUNNING, engine)
    if isinstance(now, Missing):
        return now
    window = max(RATE_WINDOW_S, _POLLS * frame.cadence_s(RUNNING, engine))
    return max([now, *(v for _, v in frame.store.points(RUNNING, engine, frame.t - window, frame.t))])


def _times(cap: float | Missing, ranks: float) -> float | Missing:
    return cap if isinstance(cap, Missing) else cap * ranks


def _ranks(frame: Frame, engine: Entity) -> float:
    """Ranks whose running requests the page sums; what the command line says of others that it does not show."""
    on_page = len(frame.related(engine, Kind.RANK))
    return float(on_page) if on_page else max(1.0, number(frame.value("engine.data_parallel", engine), 1.0))


def running_plateau(frame: Frame, engine: Entity) -> float | Missing:
    """Level on which running stands, in requests; 0 when it does not stand, WARMING_UP while it may."""
    waiting, running = frame.value(WAITING, engine), frame.value(RUNNING, engine)
    if isinstance(waiting, Missing):
        return waiting
    if isinstance(running, Missing):
        return running
    return _cap_plateau(frame, engine) if waiting > 0 else _pool_plateau(frame, engine)


def _cap_plateau(frame: Frame, engine: Entity) -> float | Missing:
    """Running stands at one integer while requests wait and finish: that integer is the cap.

    It must be reached in at least half of the polls and never be passed. A poll may show a little less: the slots of
    requests that ended in the last step, at most one or 5 %.
    """
    span = plateau_span_s(frame.run_s)
    running = frame.store.points(RUNNING, engine, frame.t - span, frame.t)
    waiting = frame.store.points(WAITING, engine, frame.t - span, frame.t)
    level = max((v for _, v in running), default=0.0)
    if _stated_cap(frame, engine) is not None or not _stands_at(level, running) or any(v <= 0 for _, v in waiting):
        return 0.0
    if not _reaches_back(frame, engine, span):
        return Missing.WARMING_UP
    finished = delta(frame, "engine.requests_finished", engine, span)
    if isinstance(finished, Missing):
        return finished
    return level if finished > 0 else 0.0


def _stands_at(level: float, running: list[tuple[float, float]]) -> bool:
    lowest = level - max(1.0, _ENDED_IN_A_STEP * level)
    reached = sum(v == level for _, v in running)
    whole = level > 0 and level.is_integer()
    return whole and 2 * reached >= len(running) and all(v >= lowest and v > 0 for _, v in running)


def _pool_plateau(frame: Frame, engine: Entity) -> float | Missing:
    """Nothing waits, and running stands at a usual pool size within 2 %, having varied before."""
    recent = [v for _, v in frame.store.points(RUNNING, engine, frame.t - POOL_WINDOW_S, frame.t)]
    level = sum(recent) / len(recent) if recent else 0.0
    steady = level > 0 and (max(recent) - min(recent)) / level < _STEADY
    if not steady or all(abs(level - pool) / pool > _STEADY for pool in USUAL_POOLS):
        return 0.0
    before = [v for _, v in frame.store.points(RUNNING, engine, frame.t - 600, frame.t - POOL_WINDOW_S)]
    if not before or not _reaches_back(frame, engine, POOL_WINDOW_S):
        return Missing.WARMING_UP
    varied = any(abs(v - level) / level > _STEADY for v in before)
    return level if varied else 0.0


def _reaches_back(frame: Frame, engine: Entity, span: float) -> bool:
    """The polls cover the span: some poll is at least that old, within one cadence."""
    window = frame.store.points(RUNNING, engine, frame.t - span, frame.t)
    gaps = [b - a for (a, _), (b, _) in pairwise(window)]
    slack = median(gaps) if gaps else 0.0  # the usual step: one outage must not pass for a slow cadence
    return len(window) >= 3 and window[0][0] <= frame.t - span + slack + 1.0


FORMULAS = {
    "engine.max_num_seqs": max_num_seqs,
    "engine.batch_fill": batch_fill,
    "engine.running_plateau": running_plateau,
}
