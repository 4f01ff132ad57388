"""Gaps in the output of an engine that has requests to answer: how long, how regular, whether they get longer.

All is read from counters at the polls, so a gap is a lower bound: it lasted at least from the first to the last poll
that shows the same count. What is shorter than a poll shows only in engine.itl.p99.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import isnan
from statistics import mean, median, pstdev
from typing import TYPE_CHECKING

from perfconsole.core.fit import fit
from perfconsole.core.formulas.common import RATIO_WINDOW_S, number
from perfconsole.core.formulas.counted import TOKENS, live_tokens
from perfconsole.core.formulas.tally import held, tally
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.core.frame import Frame
    from perfconsole.core.history import Track
    from perfconsole.model.entity import Entity

RUNNING = "engine.requests_running"
FINISHED = "engine.requests_finished"
STALL_TIME = "engine.stall_time"
_USUAL_GAPS = 3.0
"""A gap is a stall from three usual ones on: a slow model, or a source that publishes every few steps, has gaps too."""
_LATE = 2.5
"""Usual intervals after which a poll is late: polls in between failed, and nobody saw what happened."""
_WHOLE = 0.95
_STALE_S = 5.0
_MIN_STALLS = 5
_REGULAR = 0.2
_GROWS = 0.8
"""R2 above which stalls get longer, and not just differ."""
_BLOCK_S = RATIO_WINDOW_S


@dataclass(frozen=True, slots=True)
class Stall:
    """One gap: from the first to the last poll that showed the same count, in seconds of session time."""

    start: float
    end: float
    prefill_s: float | None
    """Seconds of it in which prompts were seen being computed; None where the source shows none while it computes."""

    @property
    def seconds(self) -> float:
        """Its length at the least."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class _Polls:
    """Counters and gauges of one engine at its polls of the last 5 min."""

    times: Sequence[float]
    tokens: Sequence[float]
    running: Sequence[float]
    finished: Sequence[float]

    def busy(self, i: int) -> bool:
        """Requests ran at both ends of the interval that begins at poll i."""
        return self.running[i] > 0 < self.running[i + 1]

    def silent(self, i: int) -> bool:
        """No output in that interval though requests ran, and none of them left."""
        same = self.tokens[i] == self.tokens[i + 1] and self.finished[i] == self.finished[i + 1]
        return same and self.busy(i)


def stalls(frame: Frame, engine: Entity) -> tuple[Stall, ...] | Missing:
    """Stalls of the last 5 min, oldest first."""
    return frame.once(("stalls", engine), partial(_stalls, frame, engine))


def _stalls(frame: Frame, engine: Entity) -> tuple[Stall, ...] | Missing:
    reason = _unknowable(frame, engine)
    if reason is not None:
        return reason
    if _never_silent(frame, engine):
        return ()
    polls = _polls(frame, engine)
    if isinstance(polls, Missing):
        return polls
    runs = list(_silent_runs(polls))
    least = _USUAL_GAPS * _usual_gap(polls, runs) if runs else 0.0
    long = [(a, b) for a, b in runs if polls.times[b] - polls.times[a] > least and _decoded(polls, a, b)]
    rising = _prefilling(frame, engine, polls) if long else None
    return tuple(Stall(polls.times[a], polls.times[b], _prefill_s(polls, rising, a, b)) for a, b in long)


def _unknowable(frame: Frame, engine: Entity) -> Missing | None:
    if frame.value("engine.prefill_only", engine) == 1:
        return Missing.UNSUPPORTED  # no output is expected of it
    age = number(frame.value("engine.metrics_age", engine), 0.0)
    tokens = live_tokens(frame, engine)
    if tokens is None:
        return Missing.UNSUPPORTED  # a count that moves when a request ends shows no gap
    if age > max(_STALE_S, 3 * frame.cadence_s(tokens, engine)):
        return Missing.STALE  # an old page shows no output either
    values = (frame.value(name, engine) for name in (tokens, RUNNING, FINISHED))
    return next((v for v in values if isinstance(v, Missing)), None)


def _tokens(frame: Frame, engine: Entity) -> str:
    return live_tokens(frame, engine) or TOKENS


def _never_silent(frame: Frame, engine: Entity) -> bool:
    """A cheap look, for the usual tick: two polls, and output in every interval in which requests ran."""
    counts, running = _lone_row(frame, _tokens(frame, engine), engine), _lone_row(frame, RUNNING, engine)
    if len(counts) != len(running) or len(counts) < 2:
        return False
    rows = zip(counts, counts[1:], running, running[1:], strict=False)  # the slices are one shorter
    return not any(a == b and x > 0 < y for a, b, x, y in rows)


def _lone_row(frame: Frame, name: str, engine: Entity) -> array[float]:
    """Values of the polls in the window where there is one series; none where ranks have to be added up."""
    parts = list(frame.store.parts(name, engine).values())
    if len(parts) != 1:
        return array("d")
    raw = parts[0].raw
    return raw.values(*raw.span(frame.t - RATIO_WINDOW_S, frame.t))


def _polls(frame: Frame, engine: Entity) -> _Polls | Missing:
    tokens, finished = tally(frame, _tokens(frame, engine), engine), tally(frame, FINISHED, engine)
    running = held(frame, RUNNING, engine)
    if isinstance(tokens, Missing):
        return tokens
    if isinstance(finished, Missing):
        return finished
    if running is None:
        return Missing.WARMING_UP
    times = tokens.times
    return _Polls(times, tokens.counts, running.sampled(times), finished.sampled(times))


def _silent_runs(polls: _Polls) -> Iterator[tuple[int, int]]:
    """First and last poll of each run of intervals without output."""
    flat = [i for i, (a, b) in enumerate(pairwise(polls.tokens)) if a == b]
    if not flat:
        return
    late = _LATE * median(b - a for a, b in pairwise(polls.times))
    silent = [i for i in flat if polls.silent(i) and polls.times[i + 1] - polls.times[i] <= late]
    start = last = -1
    for i in silent:
        if i != last:
            if start >= 0:
                yield start, last
            start = i
        last = i + 1
    if start >= 0:
        yield start, last


def _usual_gap(polls: _Polls, runs: list[tuple[int, int]]) -> float:
    """Seconds between two outputs as a rule: of a request, and of what the source publishes.

    A source that has news at every other poll or more seldom publishes at its own pace: the spacing of its news counts.
    """
    gaps = {b: polls.times[b] - polls.times[a] for a, b in runs}
    spacing, tokens, request_s = [], 0.0, 0.0
    for i, (before, after) in enumerate(pairwise(polls.tokens)):
        if after > before and polls.busy(i):
            step = polls.times[i + 1] - polls.times[i]
            spacing.append(step + gaps.get(i, 0.0))
            tokens += after - before
            request_s += step * polls.running[i]
    if not spacing:
        return 0.0
    usual, poll_s = median(spacing), median(b - a for a, b in pairwise(polls.times))
    return max(request_s / tokens, usual if usual > 1.5 * poll_s else 0.0)


def _decoded(polls: _Polls, first: int, last: int) -> bool:
    """Some request that had put out tokens was still there: a lone long prefill is no stall.

    Who put out the tokens just before the run is still there when nobody finished then, or when more ran than finished
    and several run on.
    """
    if first == 0:
        whole = polls.times[last] - polls.times[0] >= _WHOLE * RATIO_WINDOW_S
        return whole and polls.tokens[0] > 0
    if polls.tokens[first] <= polls.tokens[first - 1]:
        return False
    ended = polls.finished[first] - polls.finished[first - 1]
    several = min(polls.running[first : last + 1]) >= 2
    return ended == 0 or (polls.running[first - 1] - ended >= 1 and several)


def _prefilling(frame: Frame, engine: Entity, polls: _Polls) -> list[bool] | None:
    """Whether KV use or the count of prompt tokens rose in each interval; None where neither would show it live."""
    usage, prompts = held(frame, "engine.kv_cache_usage", engine), tally(frame, "engine.prompt_tokens", engine)
    lines = [line for line in (usage, prompts) if line is not None and not isinstance(line, Missing)]
    rows = [line.sampled(polls.times) for line in lines]
    rising = [any(row[i + 1] > row[i] for row in rows) for i in range(len(polls.times) - 1)]
    live = usage is not None or any(rise and polls.silent(i) for i, rise in enumerate(rising))
    return rising if live else None


def _prefill_s(polls: _Polls, rising: list[bool] | None, first: int, last: int) -> float | None:
    """Seconds of a run in which prompts were computed; None where that shows only with the output that ends it."""
    if rising is None:
        return None
    seconds = sum(polls.times[i + 1] - polls.times[i] for i in range(first, last) if rising[i])
    told_late = not seconds and last < len(rising) and rising[last]
    return None if told_late else seconds


def stall_time(frame: Frame, engine: Entity) -> float | Missing:
    """Longest stall of the last 5 min, in seconds; 0 without one."""
    found = stalls(frame, engine)
    return found if isinstance(found, Missing) else max((s.seconds for s in found), default=0.0)


def stall_period(frame: Frame, engine: Entity) -> float | Missing:
    """Mean spacing of at least 5 stalls that varies by less than 20 %, in seconds."""
    found = stalls(frame, engine)
    if isinstance(found, Missing):
        return found
    if len(found) < _MIN_STALLS:
        return Missing.NEVER
    spacing = [b.start - a.start for a, b in pairwise(found)]
    return mean(spacing) if pstdev(spacing) < _REGULAR * mean(spacing) else Missing.NEVER


def stall_in_prefill(frame: Frame, engine: Entity) -> float | Missing:
    """Share of stall time in which prompts were being computed; missing without a stall."""
    found = stalls(frame, engine)
    if isinstance(found, Missing):
        return found
    if not found:
        return Missing.NEVER
    prefills = [s.prefill_s for s in found]
    known = [p for p in prefills if p is not None]
    return sum(known) / sum(s.seconds for s in found) if len(known) == len(prefills) else Missing.NOT_EXPORTED


def stall_growth(frame: Frame, engine: Entity) -> float | Missing:
    """Slope of stall length over the life of the engine (R2 > 0.8), in seconds a second; 0 when there is none.

    Of each 5 min the longest stall counts. They must grow by two polls at the least: no stall is known more exactly.
    """
    now = frame.value(STALL_TIME, engine)
    if isinstance(now, Missing) or now <= 0:
        return now  # while nothing stalls the day is not searched
    track = frame.history.track(STALL_TIME, engine)
    points = _longest(track, frame.t) if track else []
    line = fit(points) if len(points) >= _MIN_STALLS else None
    if line is None or line.r2 <= _GROWS:
        return 0.0
    grown = line.slope * (points[-1][0] - points[0][0])
    return line.slope if grown >= 2 * frame.cadence_s(_tokens(frame, engine), engine) > 0 else 0.0


def _longest(track: Track, end: float) -> list[tuple[float, float]]:
    """(t, longest stall) of each 5 min of this life that had one; a stall that two of them show counts once."""
    i, j = track.minutes.span(max(track.since, end - 86_400.0), end)
    blocks: dict[int, tuple[float, float]] = {}
    for t, high in zip(track.minutes.times(i, j), track.minutes.values(i, j, 1), strict=True):
        block = int(t // _BLOCK_S)
        if not isnan(high) and high > blocks.get(block, (0.0, 0.0))[1]:
            blocks[block] = (t, high)
    return [point for block, point in blocks.items() if blocks.get(block - 1, (0.0, 0.0))[1] != point[1]]


FORMULAS = {
    "engine.stall_time": stall_time,
    "engine.stall_period": stall_period,
    "engine.stall_growth": stall_growth,
    "engine.stall_in_prefill": stall_in_prefill,
}
