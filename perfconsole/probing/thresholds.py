"""The first steps at which something passes: TTFT or TPOT half as long again, a long tail, a queue beyond hope."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.proberesult import Thresholds
from perfconsole.probing.ladder import ladder
from perfconsole.probing.limit import GROWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from perfconsole.model.proberesult import Spread, StepResult

_TAIL = 3.0
_QUEUE = 2.0


def thresholds_of(steps: Sequence[StepResult]) -> Thresholds:
    """Against the step of lowest load; steps that are not valid are looked past."""
    rungs = [s for s in ladder(steps) if s.valid]
    if not rungs:
        return Thresholds()
    single = rungs[0]
    return Thresholds(
        ttft_grown=_first(rungs, lambda s: _grown(single.ttft, s.ttft)),
        tpot_grown=_first(rungs, lambda s: _grown(single.tpot, s.tpot)),
        tail=_first(rungs, lambda s: _tailed(s.ttft)),
        waiting=_first(rungs, _waits),
    )


def _first(rungs: Iterable[StepResult], passes: Callable[[StepResult], bool]) -> float | None:
    return next((s.step.amount for s in rungs if passes(s)), None)


def _grown(alone: Spread, now: Spread) -> bool:
    return alone.p50 is not None and now.p50 is not None and now.p50 >= GROWN * alone.p50 > 0


def _tailed(ttft: Spread) -> bool:
    return ttft.p95 is not None and ttft.p50 is not None and ttft.p95 > _TAIL * ttft.p50


def _waits(s: StepResult) -> bool:
    if s.server is None or s.server.waiting is None or not s.server.max_num_seqs:
        return False
    return s.server.waiting > _QUEUE * s.server.max_num_seqs
