"""Events and results of a probe by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.model.probeload import LoadTick, Part, RequestRecord, StepRecord
from perfconsole.model.probeplan import STEP_LOAD, ProbePlan, Shape, Step
from perfconsole.model.proberesult import (
    ClientSide,
    Goodput,
    Headroom,
    Knee,
    ProbeResult,
    ServerSide,
    Spread,
    StepResult,
    Thresholds,
)
from perfconsole.probing.stepfold import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.probeload import Counts

T0 = 1000.0
CLEAN = ClientSide(0.1, 0.0001, 0.0005, 0.0002, 0.0, 0.999, 0, "kernel", 0.0)


def request(
    intended: float = T0, ttft: float = 0.05, e2e: float = 0.685, tokens: int = 128, **more: object
) -> RequestRecord:
    """A counted request that ended well on an open connection."""
    first, last = intended + ttft, intended + e2e
    plain: dict[str, object] = {
        "step": 0, "part": Part.COUNTED, "burst": False, "kind": "short-chat", "task": 0, "intended": intended,
        "sent": intended + 0.0001, "connect_s": None, "resolve_s": None, "first": first, "first_answer": None,
        "last": last, "ended": last, "tokens": tokens, "events": tokens, "usage": True, "prompt_tokens": 100,
        "cached_tokens": 0, "close_behind": 0, "itl_first": 0.005, "itl_last": 0.005, "trouble": None, "detail": "",
    }  # fmt: skip
    return RequestRecord(**{**plain, **more})  # type: ignore[arg-type]  # fields by name


def tick(t: float, tokens: int = 1000, **more: object) -> LoadTick:
    """Half a second of eight busy streams; the client is hardly there."""
    plain: dict[str, object] = {
        "step": 0, "inflight": 8, "busy_s": 4.0, "prompt_tokens": 0, "gaps": ((5000, tokens),),
        "lag": ((100, tokens),), "reads": tokens, "merged": 0, "cpu_s": 0.05,
    }  # fmt: skip
    return LoadTick(t=t, tokens=tokens, **{**plain, **more})  # type: ignore[arg-type]  # fields by name


def record(began: float = T0, ended: float = T0 + 3.0, **more: object) -> StepRecord:
    """A step of eight streams whose load stayed up behind its last request."""
    plain: dict[str, object] = {
        "step": 0, "full": began + 0.05, "closed": ended - 0.7, "asked": 8.0, "stamps": "kernel", "queued": 0,
        "connect": ((300, 8),),
    }  # fmt: skip
    return StepRecord(began=began, ended=ended, **{**plain, **more})  # type: ignore[arg-type]  # fields by name


def ticks(seconds: float = 3.0, **more: object) -> list[LoadTick]:
    """Ticks twice a second from the beginning of a step on."""
    return [tick(T0 + 0.5 * (i + 1), **more) for i in range(round(seconds * 2))]  # type: ignore[arg-type]  # as tick


def step(amount: float = 8.0, **more: object) -> Step:
    """A closed loop."""
    plain: dict[str, object] = {"shape": Shape.CONCURRENCY, **more}
    return Step(amount=amount, **plain)  # type: ignore[arg-type]  # fields by name


PLAN = ProbePlan(STEP_LOAD, ("http://127.0.0.1:8000",), (Step(Shape.CONCURRENCY, 8.0),))


def folded(
    records: Sequence[RequestRecord] | None = None,
    beats: Sequence[LoadTick] | None = None,
    told: StepRecord | None = None,
    server: ServerSide | None = None,
    asked: Step | None = None,
    plan: ProbePlan = PLAN,
) -> StepResult:
    """A quiet step of eight streams, with some of it replaced."""
    usual = [request(T0 + 0.7 * i, burst=i == 0) for i in range(4) for _ in range(8)]
    return fold(
        asked or step(),
        0,
        1,
        usual if records is None else records,
        ticks() if beats is None else beats,
        told or record(),
        server,
        plan,
    )


def spread(p50: float, n: int = 100, tail: float = 1.2) -> Spread:
    """A distribution around its median, which the mean is too."""
    rare = p50 * tail
    return Spread(n, p50, p50, rare, rare if n >= 20 else None, rare if n >= 100 else None, rare)


def rung(
    amount: float, speed: float | None, first: float = 0.05, each: float = 0.005, tokens: int = 128, **more: object
) -> StepResult:
    """A step of a ladder: tokens a second, time to first token, time per token."""
    e2e = first + each * (tokens - 1)
    rate = None if speed is None else speed / tokens
    plain: dict[str, object] = {
        "index": int(amount), "step": step(amount), "run": 1, "requests": 100, "errors": 0, "timeouts": 0,
        "valid": True, "why": "", "ttft": spread(first), "ttfo": Spread(), "itl": spread(each, 10_000),
        "tpot": spread(each), "e2e": spread(e2e), "burst": Spread(), "connect": Spread(),
        "output_tokens_per_s": speed, "total_tokens_per_s": speed, "requests_per_s": rate, "goodput_per_s": rate,
        "goodput_ratio": 1.0, "tokens_per_event": 1.0, "output_tokens": float(tokens), "prompt_tokens": 100.0,
        "window_s": 3.0, "client": CLEAN, "server": None,
    }  # fmt: skip
    return StepResult(**{**plain, **more})  # type: ignore[arg-type]  # fields by name


def server(queue: float | None = None, prefill: float | None = None, **more: object) -> ServerSide:
    """Means of the engine's queue and prefill time, in seconds."""
    plain: dict[str, object] = {
        "queue": Spread() if queue is None else spread(queue),
        "prefill": Spread() if prefill is None else spread(prefill),
    }
    return ServerSide(3.0, **{**plain, **more})  # type: ignore[arg-type]  # fields by name


def result(*steps: StepResult, recipe: str = STEP_LOAD, **more: object) -> ProbeResult:
    """A result of these steps from which nothing was read yet."""
    plain: dict[str, object] = {
        "plan": replace(PLAN, recipe=recipe), "environment": {}, "began": T0, "took_s": 60.0,
        "knee": Knee(None, "none", ""), "thresholds": Thresholds(), "goodput": Goodput(None, None),
        "headroom": Headroom(None, None, None), "stopped": None, "requests": 100, "output_tokens": 12_800,
        "prompt_tokens": 10_000,
    }  # fmt: skip
    return ProbeResult(steps=steps, **{**plain, **more})  # type: ignore[arg-type]  # fields by name


def counts(*pairs: tuple[int, int]) -> Counts:
    """Microseconds and how many."""
    return pairs
