"""What a probe cannot say: told beside every result, so that nobody reads more out of it than there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.view.probetable import step_names, withheld
from perfconsole.view.probewords import WITHHELD
from perfconsole.view.units import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.proberesult import ProbeResult

_KERNEL = "kernel"


def limits(result: ProbeResult) -> list[str]:
    """In sentences, what weighs most first."""
    return [*_of_steps(result), *_of_traffic(result), *_of_plan(result)]


def _of_steps(result: ProbeResult) -> Iterator[str]:
    steps, names = result.steps, step_names(result.steps)
    if result.stopped:
        yield f"it ended before its time: {result.stopped}"
    void = [name for name, step in zip(names, steps, strict=True) if not step.valid]
    if void:
        yield f"these steps say nothing of the server: {', '.join(void)}"
    late = [n for n, s in zip(names, steps, strict=True) if s.client.stamps not in ("", _KERNEL)]
    if late:
        yield f"arrival times are this program's own, not the kernel's, in these steps: {', '.join(late)}"
    if steps and all(step.server is None for step in steps):
        yield "the engine's own numbers were not seen: what the limit is rests on the client's numbers alone"
    if withheld(steps):
        yield f"percentiles of few requests are left out: {WITHHELD}"


def _of_traffic(result: ProbeResult) -> Iterator[str]:
    traffic = result.headroom.traffic_per_s
    if traffic is None:
        yield "what others sent meanwhile is not known; it is in these numbers"
    elif traffic > 0:
        yield f"others sent about {number(traffic)} requests/s meanwhile: their load is in these numbers"


def _of_plan(result: ProbeResult) -> Iterator[str]:
    plan = result.plan
    if plan.runs < 2:
        yield "it is one run: how much runs differ among themselves is not known"
    if all(step.prompt == "unique" for step in plan.steps) and plan.scenario != "shared-prefix":
        yield "no two prompts begin alike: users whose prompts do may be served faster by a prefix cache"
