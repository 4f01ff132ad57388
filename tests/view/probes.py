"""Results of probes by hand: bound by the queue, by decode and by the client, an empty and an aborted one."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.model.probeplan import ProbePlan, Shape, Step
from perfconsole.model.proberesult import (
    P95_FROM,
    P99_FROM,
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
from perfconsole.model.probeview import LayerNow, ProbeView, StepNow
from perfconsole.model.sample import Missing

URL = "http://127.0.0.1:8000"
MODEL = "Qwen/Qwen2.5-7B-Instruct"
CLIENT = ClientSide(0.04, 0.00004, 0.0003, 0.0004, 0.0, 1.0, 0, "kernel")
BEGAN = 1_760_000_000.0


def spread(p50: float, n: int, tail: float = 1.6) -> Spread:
    """A distribution around its median, with the percentiles that so many samples allow."""
    p95 = p50 * (1 + (tail - 1) * 0.7) if n >= P95_FROM else None
    p99 = p50 * tail if n >= P99_FROM else None
    return Spread(n, p50 * 1.05, p50, p50 * (1 + (tail - 1) * 0.5), p95, p99, p50 * tail * 1.1)


def server(amount: float, waiting: float = 0.0) -> ServerSide:
    """An engine of 16 slots that agrees with the client but for 2 ms."""
    return ServerSide(
        seconds=10.0,
        output_tokens=10_000,
        client_output_tokens=10_000,
        prompt_tokens=9_000,
        ttft=spread(0.05, 200),
        client_ttft=spread(0.052, 200),
        itl=spread(0.005, 10_000),
        queue=spread(0.001 + waiting * 0.05, 200),
        prefill=spread(0.045, 200),
        running=amount - waiting,
        waiting=waiting,
        waiting_max=waiting,
        waiting_share=1.0 if waiting else 0.0,
        client_inflight=amount,
        kv_usage=min(1.0, amount * 0.03),
        preemptions=0.0,
        prefix_hit_ratio=0.0,
        max_num_seqs=16.0,
    )


def result(
    index: int, amount: float, rate: float, ttft: float = 0.052, itl: float = 0.005, **changes: object
) -> StepResult:
    """One step; any field can be changed."""
    requests = int(max(8, amount * 4))
    step = StepResult(
        index=index,
        step=Step(Shape.CONCURRENCY, amount, requests=requests, seconds=15.0),
        run=0,
        requests=requests,
        errors=0,
        timeouts=0,
        valid=True,
        why="",
        ttft=spread(ttft, requests),
        ttfo=Spread(),
        itl=spread(itl, requests * 127),
        tpot=spread(itl, requests),
        e2e=spread(ttft + 127 * itl, requests),
        burst=spread(ttft * 1.2, int(amount)),
        connect=spread(0.0004, int(amount)),
        output_tokens_per_s=rate,
        total_tokens_per_s=rate * 2,
        requests_per_s=rate / 128,
        goodput_per_s=rate / 128,
        goodput_ratio=1.0,
        tokens_per_event=1.0,
        output_tokens=128.0,
        prompt_tokens=127.4,
        window_s=10.0,
        client=CLIENT,
        server=server(amount, max(0.0, amount - 16)),
    )
    return replace(step, **changes)  # type: ignore[arg-type]  # names of fields, checked by replace itself


def plan(*amounts: float, **changes: object) -> ProbePlan:
    """Steps of so many at a time."""
    steps = tuple(Step(Shape.CONCURRENCY, amount, requests=32, seconds=15.0) for amount in amounts)
    made = ProbePlan("step-load", (URL,), steps, MODEL, why="Requests wait although memory is free")
    return replace(made, **changes)  # type: ignore[arg-type]  # names of fields, checked by replace itself


def whole(steps: tuple[StepResult, ...], knee: Knee, **changes: object) -> ProbeResult:
    """A result of these steps."""
    made = ProbeResult(
        plan=plan(*(r.step.amount for r in steps)),
        environment={"engine.version": "0.32.0", "gpu.0.name": "NVIDIA H200", "host.cpus": "16"},
        began=BEGAN,
        took_s=96.0,
        steps=steps,
        knee=knee,
        thresholds=Thresholds(ttft_grown=32.0, tail=64.0, waiting=64.0),
        goodput=Goodput(23.4, 16.0, 0.94, 1.0, "highest rate of the steps within what is promised"),
        headroom=Headroom(4.9, 23.4, 4.78, ((1.3, True), (1.5, True)), "for requests like the probe's"),
        stopped=None,
        requests=sum(r.requests for r in steps) + 2,
        output_tokens=61_696,
        prompt_tokens=61_404,
        notes=("the server took ignore_eos",),
        indicators={"probe.knee": 16.0},
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # names of fields, checked by replace itself


AMOUNTS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
QUEUED = tuple(
    result(i, amount, min(amount, 16) * 187.0, 0.052 if amount <= 16 else 0.052 + (amount - 16) * 0.04)
    for i, amount in enumerate(AMOUNTS)
)
"""16 slots: throughput bends, and TTFT jumps behind them."""
KNEE = Knee(16.0, "queue", "2,992 tokens/s at 16 at a time, +0% at 64 at a time; TTFT p50 went from 52 ms to 1.97 s")
QUEUE_BOUND = whole(QUEUED, KNEE)

DECODE_BOUND = whole(
    tuple(
        result(i, amount, 187.0 * amount / (1 + amount / 16), itl=0.005 * (1 + amount / 16), server=server(amount))
        for i, amount in enumerate(AMOUNTS)
    ),
    Knee(16.0, "decode", "ITL grew by 45% while nothing waited"),
)

_SLOW = ClientSide(0.98, 0.004, 0.045, 0.08, 0.31, 0.83, 90_112, "kernel")
CLIENT_BOUND = whole(
    (
        *QUEUED[:4],
        result(
            4,
            16,
            2100.0,
            valid=False,
            why="the client was the limit: it read 45 ms late (p99) where half a gap is 2.5 ms",
            client=_SLOW,
        ),
        result(
            5,
            32,
            2050.0,
            valid=False,
            why="the client was the limit: it read 61 ms late (p99) where half a gap is 2.5 ms",
            client=_SLOW,
        ),
    ),
    Knee(None, "client", "from 16 on this host could not keep up"),
    thresholds=Thresholds(),
    goodput=Goodput(None, None, why="no valid step is at its limit"),
    headroom=Headroom(None, None, None, why="the traffic before the probe is not known"),
)

_NOTHING = replace(
    result(0, 1, 0.0),
    valid=False,
    why="no request ended",
    requests=0,
    ttft=Spread(),
    itl=Spread(),
    tpot=Spread(),
    e2e=Spread(),
    burst=Spread(),
    connect=Spread(),
    output_tokens_per_s=None,
    total_tokens_per_s=None,
    requests_per_s=None,
    goodput_per_s=None,
    goodput_ratio=None,
    tokens_per_event=None,
    client=ClientSide(0.0, None, None, None, 0.0, None, 0, ""),
    server=None,
)
EMPTY = whole(
    (_NOTHING,),
    Knee(None, "none", ""),
    thresholds=Thresholds(),
    goodput=Goodput(None, None),
    headroom=Headroom(None, None, None),
    environment={},
    notes=(),
    requests=0,
    output_tokens=0,
    prompt_tokens=0,
)

ABORTED = whole(
    (*QUEUED[:2], result(2, 4, 700.0, errors=5, timeouts=2, error_kinds=(("status", 3), ("timeout", 2)))),
    Knee(None, "none", "it was stopped before"),
    thresholds=Thresholds(),
    goodput=Goodput(11.7, 2.0, 0.63, 1.0),
    stopped="31% of the last requests failed",
)

LAYERS = (
    LayerNow("engine", (("running", 16.0, "requests"), ("waiting", 16.0, "requests"), ("KV", 0.48, "ratio"))),
    LayerNow("hardware", (("GPU busy", 0.97, "ratio"), ("host CPU", Missing.STALE, "ratio"))),
)


def running(**changes: object) -> ProbeView:
    """The sixth of nine steps is under way."""
    view = ProbeView(
        plan=plan(1, 2, 4, 8, 16, 32, 64, 128, 256),
        phase="step 6 of 9: 32 at a time",
        took_s=38.2,
        left_s=80.4,
        steps=QUEUED[:5],
        now=StepNow(plan(32).steps[0], 12, 0, 32, 2980.0, 0.31),
        layers=LAYERS,
    )
    return replace(view, **changes)  # type: ignore[arg-type]  # names of fields, checked by replace itself


def named(text: str) -> ProbeResult:
    """A result in which everything that comes from outside is this text."""
    step = replace(QUEUED[0], why=text, valid=False, error_kinds=((text, 2),), step=replace(QUEUED[0].step, label=text))
    made = plan(1.0, urls=(text,), model=text, why=text, scenario=text, vary=text)
    return replace(
        QUEUE_BOUND,
        plan=made,
        steps=(step, *QUEUED[1:]),
        knee=Knee(16.0, "queue", text),
        goodput=Goodput(None, None, why=text),
        headroom=Headroom(None, None, None, why=text),
        stopped=text,
        notes=(text,),
        environment={text: text},
    )


RESULTS = {
    "queue": QUEUE_BOUND,
    "decode": DECODE_BOUND,
    "client": CLIENT_BOUND,
    "empty": EMPTY,
    "aborted": ABORTED,
}
