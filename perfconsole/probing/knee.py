"""The knee: the last step before more load stops to pay, confirmed by what requests wait for.

A bend of the throughput alone is no knee: a disturbed step bends it too. What the client limited is none either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.probeplan import Shape
from perfconsole.model.proberesult import Knee
from perfconsole.probing.ladder import NO_LADDER, bend_of, ladder, pays, throughput
from perfconsole.probing.limit import CLIENT, NONE, QUEUE, WAITS, limit_of
from perfconsole.probing.words import amount, change, length, share, speed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.proberesult import StepResult

_DOUBLED = 2.0
_NEAR = 4.0
"""A step up to so many times the knee's load tells what limits it; far above everything waits."""
_HALF_LOST = 0.5
"""A doubling that gives less than half of itself is on its way to the bend."""


def knee_of(steps: Sequence[StepResult]) -> Knee:
    """The knee of the steps of a probe, in any order."""
    rungs = tuple(s for s in ladder(steps) if not s.cut)
    if steps and not ladder(steps):
        return Knee(None, NONE, NO_LADDER)
    sound = tuple(s for s in rungs if not s.client_limited)
    bend = bend_of(sound)
    if bend is not None:
        return _told(sound, bend)
    if rungs and rungs[-1].client_limited:
        return Knee(None, CLIENT, _client_words(rungs, sound))
    if len(sound) < 2:
        return Knee(None, NONE, "two steps of different load are the least that can show one")
    return _rising(sound)


def _told(rungs: Sequence[StepResult], bend: int) -> Knee:
    at, above = rungs[bend], _above(rungs, bend)
    speeds, unit = throughput(rungs), _unit(rungs)
    high = rungs.index(above)
    gain = change(speeds[high] / speeds[bend] - 1) if speeds[bend] else "nothing"
    flat = f"{speed(speeds[bend], unit)} at {_load(at)}, {gain} at {_load(above)}"
    limit, why = limit_of(rungs[0], at, above)
    if limit != NONE:
        return Knee(at.step.amount, limit, f"{flat}; {why}")
    signal = _queue_signal(at, above)
    if signal:
        return Knee(at.step.amount, QUEUE, f"{flat}; {signal}")
    return Knee(None, NONE, f"{flat}, but nothing confirms a knee there: TTFT has not doubled, {why}")


def _above(rungs: Sequence[StepResult], bend: int) -> StepResult:
    """The highest step near the bend; where none is, the next one."""
    near = [s for s in rungs[bend + 1 :] if s.step.amount <= _NEAR * rungs[bend].step.amount]
    return near[-1] if near else rungs[bend + 1]


def _queue_signal(at: StepResult, above: StepResult) -> str:
    """TTFT that doubled, or an engine in which something waits half of the time."""
    before, after = at.ttft.p50, above.ttft.p50
    waits = above.server.waiting_share if above.server else None
    if before and after is not None and after > _DOUBLED * before:
        return f"TTFT p50 went from {length(before)} to {length(after)}"
    return f"requests wait in {share(waits)} of the polls" if waits is not None and waits >= WAITS else ""


def _rising(rungs: Sequence[StepResult]) -> Knee:
    """No bend; where the last doubling gave little already, what is about to be the limit is said."""
    top, speeds = rungs[-1], throughput(rungs)
    told = f"throughput rises up to {_load(top)}, the highest that was measured ({speed(speeds[-1], _unit(rungs))})"
    half = [i for i, s in enumerate(rungs) if _DOUBLED * s.step.amount <= top.step.amount]
    if not half:
        return Knee(None, NONE, told)
    low = rungs[half[-1]]
    if pays((low.step.amount, top.step.amount), (speeds[half[-1]], speeds[-1]), _HALF_LOST):
        return Knee(None, NONE, told)
    limit, why = limit_of(rungs[0], low, top)
    gain = change(speeds[-1] / speeds[half[-1]] - 1)
    return Knee(None, limit, told if limit == NONE else f"{told}, {gain} over {_load(low)}; {why}")


def _client_words(rungs: Sequence[StepResult], sound: Sequence[StepResult]) -> str:
    """Whatever bends above the last sound step, the client may have bent."""
    first = next(s for s in rungs if s.client_limited and (not sound or s.step.amount > sound[-1].step.amount))
    seen = f"throughput rises up to {_load(sound[-1])}; " if sound else ""
    return f"{seen}at {_load(first)} {first.why}"


def _unit(rungs: Sequence[StepResult]) -> str:
    return "tokens" if any(s.output_tokens_per_s is not None for s in rungs) else "requests"


def _load(s: StepResult) -> str:
    """`16`, `4 requests/s`."""
    return f"{amount(s.step.amount)}{' requests/s' if s.step.shape is Shape.RATE else ''}"
