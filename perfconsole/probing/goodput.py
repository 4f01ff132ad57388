"""The highest rate at which users still get what they are promised."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from perfconsole.model.proberesult import Goodput
from perfconsole.probing.ladder import NO_LADDER, ladder
from perfconsole.probing.words import amount, length

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.probeplan import Slo
    from perfconsole.model.proberesult import Spread, StepResult

_Z = 1.959964
"""Two-sided 95%."""
_P90_FROM = 10
"""Samples from which p90 stands in for a withheld p95; below it is the maximum."""


def goodput_of(steps: Sequence[StepResult], slo: Slo) -> Goodput:
    """The best of the valid steps that keep the SLO as a whole: p95 of TTFT, p90 of TPOT."""
    promise = f"TTFT p95 {length(slo.ttft_p95_s)} and TPOT p90 {length(slo.tpot_p90_s)}"
    rungs = ladder(steps)
    if steps and not rungs:
        return Goodput(None, None, why=NO_LADDER)
    valid = [s for s in rungs if s.valid and s.goodput_per_s is not None]
    kept = [s for s in valid if _keeps(s, slo)]
    if not kept:
        return Goodput(None, None, why=f"no step kept {promise}{_broken(valid, slo)}")
    best = max(kept, key=lambda s: s.goodput_per_s or 0.0)
    low, high = _share_interval(best)
    note = (
        "" if best.ttft.p95 is not None else f"; {best.ttft.n} samples are too few for p95, {_stand_in(best.ttft)[0]}"
    )
    return Goodput(best.goodput_per_s, best.step.amount, low, high, f"highest rate of the steps within {promise}{note}")


def wilson(kept: float, n: int) -> tuple[float, float]:
    """95% interval of a share of which `kept` of n were seen; (0, 1) without any."""
    if n <= 0:
        return 0.0, 1.0
    part = min(1.0, max(0.0, kept / n))
    square = _Z * _Z / n
    middle = (part + square / 2) / (1 + square)
    half = _Z / (1 + square) * sqrt(part * (1 - part) / n + square / (4 * n))
    return max(0.0, min(part, middle - half)), min(1.0, max(part, middle + half))


def _share_interval(s: StepResult) -> tuple[float | None, float | None]:
    n = s.ttft.n + s.errors
    return (None, None) if s.goodput_ratio is None else wilson(s.goodput_ratio * n, n)


def _keeps(s: StepResult, slo: Slo) -> bool:
    first = _stand_in(s.ttft)[1]
    return first is not None and first <= slo.ttft_p95_s and (s.tpot.p90 is None or s.tpot.p90 <= slo.tpot_p90_s)


def _stand_in(ttft: Spread) -> tuple[str, float | None]:
    """p95, or what stands in for it where it is withheld, in words and seconds."""
    if ttft.p95 is not None:
        return "p95 counts", ttft.p95
    return ("p90 counts", ttft.p90) if ttft.n >= _P90_FROM else ("the maximum counts", ttft.max)


def _broken(valid: Sequence[StepResult], slo: Slo) -> str:
    """How far the gentlest step was from it."""
    if not valid:
        return ": none is valid"
    s = valid[0]
    first, each = _stand_in(s.ttft)[1], s.tpot.p90
    late = first is None or first > slo.ttft_p95_s
    told = f"TTFT {length(first)}" if late else f"TPOT {length(each)}"
    return f": at {amount(s.step.amount)} already {told}"
