"""What a person is asked before the first request: the plan, its cost, what runs there now, what speaks against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.probeask import ProbeAsk, Traffic
from perfconsole.probing.precautions import engine_values
from perfconsole.probing.worstcase import worst_case

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.entity import Entity
    from perfconsole.model.probeorders import Arrival
    from perfconsole.model.probeplan import ProbePlan
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.probing.precautions import Precautions


def asked(
    plan: ProbePlan,
    found: Precautions,
    snapshot: Snapshot | None,
    engine: Entity | None,
    arrivals: Sequence[Arrival] = (),
) -> ProbeAsk:
    """All that is to be said; `arrivals` are the sample of a replay."""
    worst = worst_case(plan, arrivals)
    return ProbeAsk(plan, worst, traffic_of(snapshot, engine), found.refusals, found.warnings)


def traffic_of(snapshot: Snapshot | None, engine: Entity | None) -> Traffic:
    """What others send right now, as far as the engine says it."""
    values = engine_values(snapshot, engine)
    if not values:
        return Traffic(unknown="nothing is known of an engine there")
    return Traffic(
        requests_per_s=values.get("engine.request_rate"),
        running=values.get("engine.requests_running"),
        waiting=values.get("engine.requests_waiting"),
        ttft_p95_s=values.get("engine.ttft.p95"),
    )
