"""How evenly a gateway spreads its requests over those that it calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import delta, least
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

LABEL = "upstream"
SENT = "gateway.upstream_requests"
MIN_REQUESTS = 20
"""Below this many requests a share says nothing."""


def names(frame: Frame, indicator: str, gateway: Entity) -> list[str]:
    """Upstreams that the indicator tells apart now, by name."""
    current = frame.store.current(indicator, gateway, frame.t)
    if isinstance(current, Missing):
        return []
    return sorted({value for labels in current for label, value in labels if label == LABEL})


def upstream_spread(frame: Frame, gateway: Entity) -> float | Missing:
    """Requests of the busiest upstream / mean over all of them, over 5 min; 1 is even, their number is all to one."""
    every = names(frame, SENT, gateway)
    if len(every) < 2:
        return Missing.NOT_EXPORTED
    grown = [delta(frame, SENT, gateway, match=((LABEL, name),)) for name in every]
    known = [count for count in grown if not isinstance(count, Missing)]
    whole = least(sum(known), MIN_REQUESTS) if len(known) == len(every) else Missing.WARMING_UP
    return whole if isinstance(whole, Missing) else max(known) * len(known) / whole


FORMULAS = {"gateway.upstream_spread": upstream_spread}
