"""A small engine on paper: so many slots, a prefill, a time per token that may grow with the batch; and its load."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING

from perfconsole.model.probeload import LoadTick, Part, StepRecord, Trouble
from perfconsole.model.proberesult import ServerSide
from perfconsole.probing.spread import spread_of
from perfconsole.probing.stepfold import fold
from tests.probing.building import PLAN, T0, request, step

if TYPE_CHECKING:
    from perfconsole.model.probeload import RequestRecord
    from perfconsole.model.proberesult import StepResult

_TICK_S = 0.5


@dataclass(frozen=True, slots=True)
class Engine:
    """How it serves; times in seconds."""

    slots: int = 1_000
    prefill_s: float = 0.05
    itl_s: float = 0.005
    per_running_s: float = 0.0
    tokens: int = 32
    fails_every: int = 0
    """Each so-many-th request is refused at once; 0 for none."""
    counts: bool = True
    """It tells its own numbers."""


@dataclass(slots=True)
class _Call:
    begun: float
    counted: bool
    burst: bool
    admitted: float = 0.0
    token_times: list[float] = field(default_factory=list)


class _Run:
    """A closed loop against the engine until all counted requests have ended."""

    def __init__(self, engine: Engine, concurrency: int, requests: int) -> None:
        self.engine, self.requests = engine, requests
        self.events: list[tuple[float, int, _Call]] = []
        self.waiting: deque[_Call] = deque()
        self.running = self.sent = self.open = self.seq = 0
        self.done: list[tuple[_Call, float, bool]] = []
        self.calls: list[_Call] = []
        self.polls: list[tuple[float, int, int]] = []
        self.now, self.left = T0, requests
        for _ in range(concurrency):
            self._submit(burst=True)
        while self.left:
            self.now, _, call = heappop(self.events)
            self._step(call)
        self.full = max((c.token_times[0] for c in self.calls if c.burst and c.token_times), default=T0)

    def _later(self, delay: float, call: _Call) -> None:
        self.seq += 1
        heappush(self.events, (self.now + delay, self.seq, call))

    def _submit(self, *, burst: bool = False) -> None:
        self.sent += 1
        call = _Call(self.now, self.sent <= self.requests, burst)
        self.calls.append(call)
        if self.engine.fails_every and self.sent % self.engine.fails_every == 0:
            call.admitted = -1.0
            self._later(0.001, call)
        else:
            self.waiting.append(call)
            self._admit()

    def _admit(self) -> None:
        while self.waiting and self.running < self.engine.slots:
            call = self.waiting.popleft()
            call.admitted = self.now
            self.running += 1
            self._later(self.engine.prefill_s, call)
        self.polls.append((self.now, self.running, len(self.waiting)))

    def _step(self, call: _Call) -> None:
        if call.admitted < 0:
            self._end(call, failed=True)
            return
        call.token_times.append(self.now)
        if len(call.token_times) == self.engine.tokens:
            self.running -= 1
            self._end(call, failed=False)
        else:
            self._later(self.engine.itl_s + self.engine.per_running_s * self.running, call)

    def _end(self, call: _Call, *, failed: bool) -> None:
        self.done.append((call, self.now, failed))
        self.left -= call.counted
        if self.left:
            self._submit()


def ladder(engine: Engine, *loads: int, rounds: int = 3) -> list[StepResult]:
    """Each load as a step of so many requests a slot."""
    return [served(engine, load, max(12, rounds * load), index) for index, load in enumerate(loads)]


def served(engine: Engine, concurrency: int, requests: int, index: int = 0) -> StepResult:
    """One step against the engine."""
    run = _Run(engine, concurrency, requests)
    closed = max(call.begun for call in run.calls if call.counted)
    told = StepRecord(index, T0, run.full, closed, run.now, float(concurrency), "kernel", 0, ((200, concurrency),))
    server = _server(run, engine) if engine.counts else None
    plan = replace(PLAN, output_tokens=engine.tokens)
    return fold(
        step(float(concurrency)), index, 1, _records(run, index), _ticks(run, index, concurrency), told, server, plan
    )


def _records(run: _Run, index: int) -> list[RequestRecord]:
    return [_record(call, ended, failed, index) for call, ended, failed in run.done]


def _record(call: _Call, ended: float, failed: bool, index: int) -> RequestRecord:  # noqa: FBT001 - as it is kept
    part = Part.COUNTED if call.counted else Part.FILLER
    if failed:
        return request(
            call.begun, step=index, part=part, burst=call.burst, first=None, last=None, ended=ended, tokens=0,
            events=0, trouble=Trouble.STATUS, detail="500",
        )  # fmt: skip
    first, last = call.token_times[0] - call.begun, call.token_times[-1] - call.begun
    return request(call.begun, first, last, len(call.token_times), step=index, part=part, burst=call.burst)


def _ticks(run: _Run, index: int, concurrency: int) -> list[LoadTick]:
    """Twice a second, and one at the end; the client is as good as not there."""
    edges = [T0]
    while edges[-1] < run.now:
        edges.append(min(run.now, edges[-1] + _TICK_S))
    tokens = [t for call in run.calls for t in call.token_times]
    return [
        LoadTick(
            t=end,
            step=index,
            inflight=concurrency,
            busy_s=concurrency * (end - start),
            tokens=(fresh := sum(start < t <= end for t in tokens)),
            prompt_tokens=0,
            gaps=_gaps(run, start, end),
            lag=((80, fresh),),
            reads=fresh,
            merged=0,
            cpu_s=fresh * 8e-6,
        )
        for start, end in pairwise(edges)
    ]


def _gaps(run: _Run, start: float, end: float) -> tuple[tuple[int, int], ...]:
    """Of the counted requests that ended in between."""
    found: dict[int, int] = {}
    for call, ended, failed in run.done:
        if call.counted and not failed and start < ended <= end:
            for before, after in pairwise(call.token_times):
                micros = round((after - before) * 1e6)
                found[micros] = found.get(micros, 0) + 1
    return tuple(sorted(found.items()))


def _server(run: _Run, engine: Engine) -> ServerSide:
    """As polls of the engine would tell it."""
    moments = [T0 + 0.1 * i for i in range(1, round((run.now - T0) / 0.1))]
    seen = [max((p for p in run.polls if p[0] <= t), default=(T0, 0, 0), key=lambda p: p[0]) for t in moments]
    admitted = [call for call in run.calls if call.admitted > 0]
    return ServerSide(
        seconds=run.now - T0,
        queue=spread_of(call.admitted - call.begun for call in admitted),
        prefill=spread_of(engine.prefill_s for _ in admitted),
        waiting_share=sum(waiting > 0 for _, _, waiting in seen) / len(seen) if seen else None,
        max_num_seqs=float(engine.slots),
    )
