"""What each gateway sends to whom: parts of its counters that carry the name of an upstream. Reads, never writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import rate
from perfconsole.core.formulas.upstreamspread import LABEL, SENT, names
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing
from perfconsole.model.upstream import Upstream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

_HEALTHY = "gateway.upstream_healthy"
_HELD = "gateway.inflight"
_WINDOW_S = 60.0
PLACE = "gateway.upstream."
"""What a text fact about the place of an upstream is called, before its name."""


def upstreams(frame: Frame, entities: Iterable[Entity]) -> Iterator[Upstream]:
    """Every upstream of every gateway whose page names them."""
    for gateway in entities:
        if gateway.kind is Kind.GATEWAY:
            every = sorted({name for n in (SENT, _HEALTHY, _HELD) for name in names(frame, n, gateway)})
            rates = {name: rate(frame, SENT, gateway, _WINDOW_S, ((LABEL, name),)) for name in every}
            whole = sum(r for r in rates.values() if not isinstance(r, Missing))
            targets = {k.role: k.child for k in frame.topology.links if k.parent == gateway and k.role}
            for name, found in rates.items():
                yield Upstream(
                    gateway,
                    name,
                    targets.get(name),
                    frame.store.facts.text(f"{PLACE}{name}", gateway) or "",
                    found,
                    found if isinstance(found, Missing) else found / whole if whole else Missing.NEVER,
                    frame.folded(_HEALTHY, gateway, ((LABEL, name),)),
                    frame.folded(_HELD, gateway, ((LABEL, name),)),
                )
