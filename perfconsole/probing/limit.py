"""What a step is limited by: the wait for a slot, the prompt's prefill, or the decode of its tokens.

In a closed loop throughput is concurrency by time of a request, so what the time of a request grew by from the knee to
a step above it is what holds the throughput down. Its parts are the time to the first token, which the engine parts
again into queue and prefill, and the time from there on, which is decode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.probing.words import amount, length, share

if TYPE_CHECKING:
    from perfconsole.model.proberesult import Spread, StepResult

QUEUE, PREFILL, DECODE, CLIENT, NONE = "queue", "prefill", "decode", "client", "none"

_MOST = 0.5
"""Share of a growth that explains it."""
_GREW = 0.1
"""Growth of the time of a request below which times explain nothing."""
GROWN = 1.5
"""Times a single request's value at which it counts as grown."""
WAITS = 0.5
"""Share of the polls at which something must wait."""
_LONG_PROMPT, _LONGER_THAN_ANSWER = 1000.0, 4.0
_REFUSED = 0.02
_OVERLOAD = ("timeout", "status 429", "status 503", "refused")


def limit_of(single: StepResult, knee: StepResult, above: StepResult) -> tuple[str, str]:
    """queue, prefill, decode or none, and how that is known.

    `single` is the step of lowest load, `above` one behind the bend.
    """
    whole, first = _growth(knee.e2e, above.e2e), _growth(knee.ttft, above.ttft)
    if whole is None or first is None or whole <= _GREW * (knee.e2e.mean or 0.0):
        return _failing(knee, above)
    if first >= _MOST * whole:
        return _before_first(single, knee, above, first)
    return _decode(single, above, 1 - max(0.0, first) / whole)


def _growth(before: Spread, after: Spread) -> float | None:
    """Of means, because these add up."""
    return None if before.mean is None or after.mean is None else after.mean - before.mean


def _failing(knee: StepResult, above: StepResult) -> tuple[str, str]:
    """An engine that is full may send requests away instead of letting them wait."""
    if above.error_ratio - knee.error_ratio <= _REFUSED:
        return NONE, "the time of a request did not grow with it"
    full = sum(count for kind, count in above.error_kinds if kind in _OVERLOAD)
    kinds = ", ".join(f"{count} {kind}" for kind, count in above.error_kinds)
    failed = f"{share(above.error_ratio)} of the requests failed ({kinds})"
    if full >= _MOST * above.errors:
        return QUEUE, f"requests are sent away or time out: {failed}"
    return NONE, failed


def _before_first(single: StepResult, knee: StepResult, above: StepResult, first: float) -> tuple[str, str]:
    grew = f"TTFT grew from {length(knee.ttft.mean)} to {length(above.ttft.mean)} (mean)"
    told = _by_engine(knee, above, first)
    if told is not None:
        return told[0], f"{grew}; {told[1]}"
    if _prefills(single, knee):
        return PREFILL, (
            f"{grew}, it rose with the load before the knee already, and prompts have "
            f"{amount(knee.prompt_tokens or 0.0)} tokens; probable, the engine tells no queue or prefill time"
        )
    decoding = f"time per token {length(knee.tpot.p50)} and {length(above.tpot.p50)}"
    return QUEUE, f"{grew} as for a slot ({decoding}); probable, the engine tells no queue or prefill time"


def _by_engine(knee: StepResult, above: StepResult, first: float) -> tuple[str, str] | None:
    """What the engine's own numbers say; None where it has none."""
    server, before = above.server, knee.server
    if server is None:
        return None
    queue = _engine_growth(before.queue if before else None, server.queue)
    prefill = _engine_growth(before.prefill if before else None, server.prefill)
    for name, grown in ((QUEUE, queue), (PREFILL, prefill)):
        if grown is not None and grown >= _MOST * first:
            return name, f"the engine's own {name} time accounts for {share(min(1.0, grown / first))} of it"
    if server.waiting_share is not None and server.waiting_share >= WAITS:
        return QUEUE, f"requests wait in the engine in {share(server.waiting_share)} of the polls"
    if queue is None or prefill is None:
        return None
    return QUEUE, "neither queue nor prefill time of the engine accounts for it: they wait in front of the engine"


def _engine_growth(before: Spread | None, after: Spread) -> float | None:
    """An engine that had not yet anything to time had no wait."""
    return None if after.mean is None else after.mean - ((before.mean if before else None) or 0.0)


def _prefills(single: StepResult, knee: StepResult) -> bool:
    """Long prompts whose first token came later with every step: slots come free at once until there are none."""
    prompt, answer = knee.prompt_tokens, knee.output_tokens
    alone, now = single.ttft.p50, knee.ttft.p50
    if prompt is None or not alone or now is None:
        return False
    long = prompt >= _LONG_PROMPT or prompt >= _LONGER_THAN_ANSWER * (answer or prompt)
    return long and now >= GROWN * alone


def _decode(single: StepResult, above: StepResult, part: float) -> tuple[str, str]:
    alone, now = single.tpot.p50, above.tpot.p50
    told = f"time per token {length(alone)} alone, {length(now)} at {amount(above.step.amount)}"
    if not alone or now is None or now < GROWN * alone:
        return NONE, f"{told}: too little for the cause"
    return DECODE, f"{told}; it is {share(min(1.0, part))} of what a request takes longer"
