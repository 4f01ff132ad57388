"""A load process made of arithmetic: it takes orders and gives the events that a server of some slots would cause.

Requests wait for a slot in turn, then take prefill and one gap a token. Time moves only when the test moves it.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

from perfconsole.model.enginestretch import EngineStretch
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.probeload import LoadEnd, LoadTick, Part, RequestRecord, StepRecord, Trouble
from perfconsole.model.probeorders import Finish, LoadOrder, Open, Run, Stop, Target, Warm
from perfconsole.model.probeplan import Caps, ProbePlan, Shape, Step

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.probeload import LoadEvent
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.probing.conductor import Conductor

OFFSET = 1_700_000_000.0
"""Epoch seconds minus monotonic seconds."""
ENGINE = Entity(Kind.ENGINE, "vllm:8000")
TOKENS = 64


def plan(*levels: float, adaptive: bool = True, **changes: object) -> ProbePlan:
    """A ladder of so many at a time."""
    steps = tuple(Step(Shape.CONCURRENCY, float(level)) for level in levels)
    made = ProbePlan(
        "step-load", ("http://127.0.0.1:8000",), steps, "m", adaptive=adaptive, output_tokens=TOKENS, warmup=2
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # names of fields, checked by replace itself


def opening(caps: Caps | None = None) -> Open:
    """The first order."""
    target = Target("http", "127.0.0.1", 8000)
    return Open((target,), "chat", "m", "short-chat", (3, 4, 3), 128, TOKENS, 60.0, caps or Caps(), 0)


def request(
    step: int, began: float, ttft: float, e2e: float, part: Part = Part.COUNTED, **changes: object
) -> RequestRecord:
    """One request that ended well; moments are monotonic here and epoch in the record."""
    t = OFFSET + began
    made = RequestRecord(
        step=step,
        part=part,
        burst=False,
        kind="short-chat",
        task=0,
        intended=t,
        sent=t,
        connect_s=None,
        resolve_s=None,
        first=t + ttft,
        first_answer=None,
        last=t + e2e,
        ended=t + e2e,
        tokens=TOKENS,
        events=TOKENS,
        usage=True,
        prompt_tokens=128,
        cached_tokens=0,
        close_behind=0,
        itl_first=0.005,
        itl_last=0.005,
        trouble=None,
        detail="",
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # names of fields, checked by replace itself


def failed(record: RequestRecord, trouble: Trouble = Trouble.STATUS, detail: str = "503") -> RequestRecord:
    """The same request, which did not end well."""
    return replace(record, first=None, last=None, tokens=None, events=0, trouble=trouble, detail=detail)


def tick(t: float, step: int = 0, inflight: int = 1, tokens: int = 50, seconds: float = 0.5) -> LoadTick:
    """One sign of life."""
    return LoadTick(
        OFFSET + t, step, inflight, inflight * seconds, tokens, 0, ((5_000, max(tokens, 1)),), ((50, 9),), 9, 0, 0.01
    )


@dataclass
class FakeLoad:
    """Takes orders at a moment, gives events up to a moment."""

    slots: int = 16
    prefill_s: float = 0.05
    itl_s: float = 0.005
    fails: int = 0
    """Every so-manieth request fails."""
    hangs_at: float = float("inf")
    """From this moment on nothing ends, and no token comes."""
    mute_at: float = float("inf")
    """From this moment on it says nothing at all."""
    lingers: bool = False
    """Its last requests never end."""
    orders: list[LoadOrder] = field(default_factory=list)
    _events: list[tuple[float, int, LoadEvent]] = field(default_factory=list)
    _numbers: count[int] = field(default_factory=count)
    _loads: list[tuple[float, int]] = field(default_factory=list)
    """(from when, how many at a time)."""
    _requests: int = 0
    _tokens: int = 0
    _ticked: float = 0.0

    def order(self, orders: Iterable[LoadOrder], now: float) -> None:
        """Take orders."""
        for order in orders:
            self.orders.append(order)
            match order:
                case Warm():
                    self._warm(order.requests, now)
                case Run():
                    self._run(order, now)
                case Finish() if not self.lingers:
                    self._end(now + self._e2e_s(self._now()), None)
                case Stop():
                    self._events.clear()
                    self._end(now + 0.01, None)

    def until(self, now: float) -> list[LoadEvent]:
        """What it has said by now and nobody has heard."""
        while self._ticked + 0.5 <= now:
            self._ticked += 0.5
            self._push(self._ticked, self._tick(self._ticked))
        found = []
        while self._events and self._events[0][0] <= now:
            t, _, event = heapq.heappop(self._events)
            if t < self.mute_at and (t < self.hangs_at or isinstance(event, (LoadTick, LoadEnd))):
                found.append(event)
        return found

    def runs(self) -> list[Run]:
        """The steps that were ordered."""
        return [order for order in self.orders if isinstance(order, Run)]

    def stretch(self, _engine: Entity, start: float, end: float) -> EngineStretch | None:
        """The engine as it is polled once a second."""
        polls = [float(t) for t in range(int(start) + 1, int(end) + 1)]
        if len(polls) < 2:
            return None
        loads = [(t, self._at(t)) for t in polls]
        rate = sum(self._rate(n) for _, n in loads[:-1])
        return EngineStretch(
            polls[0],
            polls[-1],
            len(polls),
            output_tokens=rate,
            running=tuple((t, float(min(n, self.slots))) for t, n in loads),
            waiting=tuple((t, float(max(0, n - self.slots))) for t, n in loads),
            max_num_seqs=float(self.slots),
        )

    def _warm(self, requests: int, now: float) -> None:
        for turn in range(requests):
            record = request(-1, now + turn * self._e2e_s(1), self.prefill_s, self._e2e_s(1), Part.WARM_UP)
            self._say(record)

    def _run(self, order: Run, now: float) -> None:
        number = int(order.amount)
        self._loads.append((now, number))
        if not number:
            end = now + (order.seconds or 0.0)
            self._push(end, self._record(order, now, now, end))
            return
        ttft, e2e = self._ttft_s(number), self._e2e_s(number)
        turns = max(1, round(order.requests / number) if order.requests else int((order.seconds or 1.0) / e2e) + 1)
        for turn in range(turns):
            for _ in range(number):
                self._say(replace(request(order.index, now + turn * e2e, ttft, e2e), burst=turn == 0))
        end = now + turns * e2e
        self._push(end + 1e-6, self._record(order, now, end - e2e, end))

    def _record(self, order: Run, now: float, closed: float, end: float) -> StepRecord:
        full = now + self._ttft_s(int(order.amount))
        return StepRecord(
            order.index, OFFSET + now, OFFSET + full, OFFSET + closed, OFFSET + end, order.amount, "kernel", 0, ()
        )

    def _say(self, record: RequestRecord) -> None:
        self._requests += 1
        self._tokens += record.tokens or 0
        fails = self.fails and self._requests % self.fails == 0
        self._push(record.ended - OFFSET, failed(record) if fails else record)

    def _end(self, t: float, stopped: str | None) -> None:
        self._push(t, LoadEnd(OFFSET + t, stopped, self._requests, self._tokens, 128 * self._requests, ()))
        self._loads.append((t, 0))

    def _push(self, t: float, event: LoadEvent) -> None:
        heapq.heappush(self._events, (t, next(self._numbers), event))

    def _tick(self, t: float) -> LoadTick:
        number = self._at(t)
        tokens = 0 if t >= self.hangs_at else int(self._rate(number) / 2)
        return tick(t, len(self.runs()) - 1, number, tokens)

    def _at(self, t: float) -> int:
        return next((number for since, number in reversed(self._loads) if since <= t), 0)

    def _now(self) -> int:
        return self._loads[-1][1] if self._loads else 1

    def _rate(self, number: int) -> float:
        return number * TOKENS / self._e2e_s(number) if number else 0.0

    def _ttft_s(self, number: int) -> float:
        return self.prefill_s + max(0, number - self.slots) / self.slots * self._served_s()

    def _e2e_s(self, number: int) -> float:
        return self._ttft_s(max(1, number)) + self.itl_s * (TOKENS - 1)

    def _served_s(self) -> float:
        return self.prefill_s + self.itl_s * (TOKENS - 1)


def conduct(
    conductor: Conductor, load: FakeLoad, snapshots: Iterable[Snapshot] = (), most_s: float = 400.0, start: float = 0.0
) -> float:
    """Drive a probe to its end, a snapshot a second; when it ended."""
    pictures = iter(snapshots)
    picture: Snapshot | None = None
    now = start
    load.order(conductor.start(), now)
    while conductor.phase != "done" and now < most_s:
        now = round(now + 0.1, 6)
        if now % 1.0 < 1e-6:
            picture = next(pictures, picture)
        for event in load.until(now):
            conductor.take(event, now)
        load.order(conductor.look(picture, load.stretch, now), now)
    return now
