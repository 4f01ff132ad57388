"""Results of steps by hand, for what is decided on them."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.model.probeplan import Shape, Step
from perfconsole.model.proberesult import ClientSide, ServerSide, Spread, StepResult

CLIENT = ClientSide(0.05, 0.0001, 0.0004, 0.0005, 0.0, 1.0, 0, "kernel")
SERVER = ServerSide(10.0, running=4.0, waiting=0.0, waiting_share=0.0, kv_usage=0.2, preemptions=0.0)


def spread(value: float, n: int = 40) -> Spread:
    """Samples that are all alike."""
    return Spread(n, value, value, value, value if n >= 20 else None, None, value)


def result(amount: float, tokens_per_s: float | None = None, **changes: object) -> StepResult:
    """One good step: by default a server that gives 200 tokens/s to each of so many at a time."""
    made = StepResult(
        index=0,
        step=Step(Shape.CONCURRENCY, float(amount), seconds=10.0),
        run=0,
        requests=40,
        errors=0,
        timeouts=0,
        valid=True,
        why="",
        ttft=spread(0.05),
        ttfo=Spread(),
        itl=spread(0.005),
        tpot=spread(0.005),
        e2e=spread(0.7),
        burst=spread(0.05),
        connect=Spread(),
        output_tokens_per_s=200.0 * amount if tokens_per_s is None else tokens_per_s,
        total_tokens_per_s=None,
        requests_per_s=1.5 * amount,
        goodput_per_s=1.5 * amount,
        goodput_ratio=1.0,
        tokens_per_event=1.0,
        output_tokens=128.0,
        prompt_tokens=128.0,
        window_s=9.0,
        client=CLIENT,
        server=SERVER,
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # names of fields, checked by replace itself
