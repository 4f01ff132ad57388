"""What an endpoint has left, beside the traffic that was there before the probe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.proberesult import Headroom
from perfconsole.probing.ladder import ladder
from perfconsole.probing.words import amount

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.proberesult import Goodput, Knee, StepResult

_GROWTHS = (1.3, 1.5)
"""Times the traffic: a busy day, and a campaign."""


def headroom_of(traffic_per_s: float | None, goodput: Goodput, knee: Knee, steps: Sequence[StepResult]) -> Headroom:
    """What there was and what came on top, by what there was: requests a second; None where nothing tells them."""
    capacity, what = _capacity(goodput, knee, steps)
    if capacity is None:
        return Headroom(traffic_per_s, None, None, why=what)
    if traffic_per_s is None:
        return Headroom(None, capacity, None, why=f"{what}; nothing tells how much traffic there was before")
    if traffic_per_s <= 0:
        return Headroom(traffic_per_s, capacity, None, why=f"{what}; there was no traffic before")
    ratio = 1 + capacity / traffic_per_s  # it was measured beside that traffic, and came on top of it
    if ratio < max(_GROWTHS) and _rises(goodput, knee, steps):
        return Headroom(traffic_per_s, capacity, None, why=f"{what}; at more load, which was not tried, it may be more")
    why = f"{what}, for requests like the probe's, on top of the traffic that went on beside it"
    return Headroom(traffic_per_s, capacity, ratio, tuple((times, ratio >= times) for times in _GROWTHS), why)


def _rises(goodput: Goodput, knee: Knee, steps: Sequence[StepResult]) -> bool:
    """The best step was the highest one, and nothing bends there: the capacity lies above."""
    return knee.concurrency is None and goodput.concurrency == max(s.step.amount for s in ladder(steps))


def _capacity(goodput: Goodput, knee: Knee, steps: Sequence[StepResult]) -> tuple[float | None, str]:
    if goodput.requests_per_s is not None:
        return goodput.requests_per_s, "the highest rate within the SLO"
    at = next((s for s in ladder(steps) if s.step.amount == knee.concurrency), None)
    if at is not None and at.requests_per_s is not None:
        return at.requests_per_s, f"the rate at the knee ({amount(at.step.amount)}), as no step kept the SLO"
    return None, "no step kept the SLO, and no knee was seen"
