"""The whole result of a probe, from its steps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.model.probeplan import STEP_LOAD
from perfconsole.model.proberesult import Goodput, Headroom, Knee, ProbeResult, Thresholds
from perfconsole.probing.goodput import goodput_of
from perfconsole.probing.headroom import headroom_of
from perfconsole.probing.indicators import indicators_of
from perfconsole.probing.knee import knee_of
from perfconsole.probing.limit import NONE
from perfconsole.probing.runs import marked, medians
from perfconsole.probing.thresholds import thresholds_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfconsole.model.probeload import LoadEnd
    from perfconsole.model.probeplan import ProbePlan
    from perfconsole.model.proberesult import StepResult


def concluded(
    plan: ProbePlan,
    environment: Mapping[str, str],
    ran: Sequence[StepResult],
    began: float,
    took_s: float,
    end: LoadEnd | None,
    traffic_per_s: float | None,
) -> ProbeResult:
    """Everything that follows from the steps, in every run as they were run.

    Without an `end`, of a load process that was killed, the totals are what the steps counted and `stopped` says so.
    """
    steps = medians(ran)
    result = ProbeResult(
        plan=plan,
        environment=dict(environment),
        began=began,
        took_s=took_s,
        steps=steps,
        knee=Knee(None, NONE, f"{plan.recipe} looks for none"),
        thresholds=Thresholds(),
        goodput=Goodput(None, None, why=f"{plan.recipe} looks for none"),
        headroom=Headroom(traffic_per_s, None, None, why=f"{plan.recipe} looks for none"),
        stopped=end.stopped if end else "the load process ended before its time",
        requests=end.requests if end else sum(s.requests for s in ran),
        output_tokens=end.output_tokens if end else round(sum(_tokens(s, s.output_tokens) for s in ran)),
        prompt_tokens=end.prompt_tokens if end else round(sum(_tokens(s, s.prompt_tokens) for s in ran)),
        notes=end.notes if end else (),
        runs=marked(ran) if len(steps) < len(ran) else (),
    )
    found = _read(result, traffic_per_s) if plan.recipe == STEP_LOAD else result
    return replace(found, indicators=indicators_of(found))


def _read(result: ProbeResult, traffic_per_s: float | None) -> ProbeResult:
    """With what only rising load shows."""
    knee, goodput = knee_of(result.steps), goodput_of(result.steps, result.plan.slo)
    return replace(
        result,
        knee=knee,
        thresholds=thresholds_of(result.steps),
        goodput=goodput,
        headroom=headroom_of(traffic_per_s, goodput, knee, result.steps),
    )


def _tokens(s: StepResult, mean: float | None) -> float:
    return (s.requests - s.errors) * (mean or 0.0)
