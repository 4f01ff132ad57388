"""How evenly a gateway spreads its requests over those that it calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import delta, least
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.core.frame import Frame
    from perfconsole.core.store import Labels
    from perfconsole.model.entity import Entity

LABEL = "upstream"
POOL = "pool"
"""Number of those that stand in for each other, where a page tells several pools apart."""
_OTHERS = "others"
"""What pools beyond the numbered ones are called: of those nobody knows who stands in for whom."""
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
    """Requests of the busiest upstream / mean over its pool, over 5 min, of the most uneven pool.

    1 is even; all to one of them gives their number.
    """
    pools = [pool for pool in _pools(frame, gateway) if len(pool) > 1]
    found = [_spread(frame, gateway, pool) for pool in pools]
    known = [spread for spread in found if not isinstance(spread, Missing)]
    return max(known) if known else found[0] if found else Missing.NOT_EXPORTED


def _pools(frame: Frame, gateway: Entity) -> Iterable[list[Labels]]:
    """Labels of each upstream, those together that stand in for each other."""
    current = frame.store.current(SENT, gateway, frame.t)
    pools: dict[str, dict[Labels, None]] = {}
    for labels in () if isinstance(current, Missing) else current:
        own = tuple(pair for pair in labels if pair[0] in (LABEL, POOL))
        if LABEL in dict(own) and (POOL, _OTHERS) not in own:
            pools.setdefault(dict(own).get(POOL, ""), {})[own] = None
    return map(list, pools.values())


def _spread(frame: Frame, gateway: Entity, pool: list[Labels]) -> float | Missing:
    grown = [delta(frame, SENT, gateway, match=own) for own in pool]
    known = [count for count in grown if not isinstance(count, Missing)]
    whole = least(sum(known), MIN_REQUESTS) if len(known) == len(pool) else Missing.WARMING_UP
    return whole if isinstance(whole, Missing) else max(known) * len(known) / whole


FORMULAS = {"gateway.upstream_spread": upstream_spread}
