"""How far a probe is, in what a line or a page shows of it."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from perfconsole.model.probeplan import Shape
from perfconsole.model.probeview import ProbeView, StepNow
from perfconsole.probing.conductor import Phase
from perfconsole.probing.steplength import UNKNOWN_S, likely_s, seconds_left

if TYPE_CHECKING:
    from perfconsole.model.probeplan import Step
    from perfconsole.probing.conductor import Conductor


def probe_view(conductor: Conductor, now: float) -> ProbeView:
    """Where a probe stands; `now` is monotonic seconds. What only the end can say is left out."""
    return ProbeView(
        plan=conductor.plan,
        phase=phase_words(conductor),
        took_s=now - conductor.began,
        left_s=left_s(conductor, now),
        steps=tuple(conductor.results),
        now=step_now(conductor),
        done=conductor.phase is Phase.DONE,
        stopped=None if conductor.stopped is None else conductor.stopped.why,
        notes=tuple(conductor.notes),
    )


def step_now(conductor: Conductor) -> StepNow | None:
    """The step under way; None between steps, and in a pause."""
    stage, ledger = conductor.stage, conductor.ledger
    if stage is None or stage.pause or conductor.phase is not Phase.STEP:
        return None
    counted = ledger.counted(conductor.number)
    times = [r.ttft for r in counted if r.trouble is None and r.ttft is not None]
    return StepNow(
        step=stage.step,
        done=len(counted),
        errors=sum(r.trouble is not None for r in counted),
        inflight=ledger.inflight(),
        tokens_per_s=ledger.tokens_per_s(),
        ttft_p50=median(times) if times else None,
    )


def phase_words(conductor: Conductor) -> str:
    """The phase, as a person reads it."""
    stage, plan = conductor.stage, conductor.plan
    if conductor.phase is not Phase.STEP or stage is None:
        return str(conductor.phase)
    if stage.pause:
        return f"a pause of {stage.step.seconds:.0f} s"
    run = f", run {stage.run + 1} of {plan.runs}" if plan.runs > 1 else ""
    of = max(len(plan.steps), stage.index + 1)
    return f"step {stage.index + 1} of {of}: {step_words(stage.step)}{run}"


def step_words(step: Step) -> str:
    """What a step sends: `8 at a time`, `2.5/s`, `32 at once`."""
    words = {
        Shape.CONCURRENCY: f"{step.amount:g} at a time",
        Shape.RATE: f"{step.amount:g}/s",
        Shape.BURST: f"{step.amount:g} at once",
        Shape.REPLAY: f"a sample at {step.amount:g} times its speed",
    }[step.shape]
    return f"{step.label}, {words}" if step.label else words


def left_s(conductor: Conductor, now: float) -> float:
    """Seconds that are left at most."""
    if conductor.phase is Phase.DONE:
        return 0.0
    plan, stage = conductor.plan, conductor.stage
    measured = [r.e2e.p50 for r in conductor.results if r.e2e.p50 is not None]
    e2e_s = measured[-1] if measured else conductor.ledger.first_e2e_s(plan) or UNKNOWN_S
    left = seconds_left(plan, -1 if stage is None else stage.index, 0 if stage is None else stage.run, e2e_s)
    if stage is not None and conductor.phase is Phase.STEP:
        left += max(0.0, likely_s(stage.step, e2e_s) - (now - conductor.ordered))
    return max(0.0, min(left, plan.caps.seconds - (now - conductor.began)))
