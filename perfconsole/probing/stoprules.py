"""When more load has nothing more to say: the rules by which an adaptive probe ends its ladder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.probing.words import change

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.probeplan import Slo
    from perfconsole.model.proberesult import StepResult

LEAST_GAIN = 0.10
MOST_ERRORS = 0.02
MOST_KV = 0.95
_TTFT_GROWN, _TPOT_GROWN = 2.0, 1.5
_WAITING_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Ending:
    """Why the ladder ends here."""

    why: str
    refine: bool
    """The knee lies between the last two levels: one more step between them is worth its time."""


def ending(results: Sequence[StepResult], slo: Slo) -> Ending | None:
    """Why no higher level is worth it, from the levels so far (ascending); None where the next one is."""
    if not results:
        return None
    last = results[-1]
    if last.client_limited:
        return Ending(f"the client itself was the limit at {_level(last)}", refine=False)
    if last.error_ratio > MOST_ERRORS:
        return Ending(f"{last.error_ratio:.0%} of the requests failed at {_level(last)}", refine=False)
    if full := _memory_full(last):
        return Ending(full, refine=False)
    if bend := _bend(results):
        return Ending(bend, refine=True)
    if len(results) > 1 and all(slo_broken(result, slo) for result in results[-2:]):
        return Ending(f"the promise was broken at {_level(results[-2])} and at {_level(last)}", refine=True)
    return None


def slo_broken(result: StepResult, slo: Slo) -> bool:
    """TTFT p95 or TPOT p90 above what is promised; of few requests their highest TTFT counts."""
    ttft = result.ttft.max if result.ttft.p95 is None else result.ttft.p95
    tpot = result.tpot.p90
    return (ttft is not None and ttft > slo.ttft_p95_s) or (tpot is not None and tpot > slo.tpot_p90_s)


def _memory_full(last: StepResult) -> str:
    server = last.server
    if server is None:
        return ""
    if server.kv_usage is not None and server.kv_usage > MOST_KV:
        return f"the KV cache was {server.kv_usage:.0%} full at {_level(last)}"
    if server.preemptions:
        return f"{server.preemptions:.0f} requests were preempted at {_level(last)}"
    return ""


def _bend(results: Sequence[StepResult]) -> str:
    """Tokens/s hardly grew over the last doubling, and it is plain what came instead."""
    last = results[-1]
    half = next((r for r in reversed(results[:-1]) if r.step.amount <= last.step.amount / 2), None)
    if half is None or not half.output_tokens_per_s or last.output_tokens_per_s is None:
        return ""
    gain = last.output_tokens_per_s / half.output_tokens_per_s - 1
    if gain >= LEAST_GAIN:
        return ""
    queued = last.server is not None and (last.server.waiting_share or 0.0) >= _WAITING_SHARE
    late = _grown(half.ttft.p50, last.ttft.p50) > _TTFT_GROWN
    slow = _grown(half.tpot.p50, last.tpot.p50) > _TPOT_GROWN
    signs = (
        ("requests waited", queued),
        ("first tokens came more than twice as late", late),
        ("each token took more than half as long again", slow),
    )
    sign = next((words for words, holds in signs if holds), "")
    return f"{_level(last)} gave {change(gain)} tokens/s over {_level(half)}, and {sign}" if sign else ""


def _grown(before: float | None, after: float | None) -> float:
    return after / before if before and after is not None else 1.0


def _level(result: StepResult) -> str:
    return f"{result.step.amount:g} at a time"
