"""The first order of a probe: its plan as the load process needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.probeorders import Open

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.probeorders import Target
    from perfconsole.model.probeplan import ProbePlan


def opening_of(plan: ProbePlan, targets: Iterable[Target]) -> Open:
    """The order; `targets` are the plan's URLs as they are connected to, in their order."""
    return Open(
        targets=tuple(targets),
        api=plan.api,
        model=plan.model,
        scenario=plan.scenario,
        mix=plan.mix,
        prompt_tokens=plan.prompt_tokens,
        output_tokens=plan.output_tokens,
        timeout_s=plan.caps.e2e_s,
        caps=plan.caps,
        seed=plan.seed,
    )
