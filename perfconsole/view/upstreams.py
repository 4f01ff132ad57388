"""Whom a gateway calls, and how evenly: the share of each upstream that its page tells apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.view.canvas import row, width
from perfconsole.view.readings import joined
from perfconsole.view.units import shown
from perfconsole.view.upstreamwords import called, known_share, upstreams_of, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.entity import Entity
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.model.upstream import Upstream
    from perfconsole.view.canvas import Row

UNEVEN = 1.5
"""Share of one upstream / an even share, from which it is marked: the mark of gateway.upstream_spread."""


def upstream_row(snapshot: Snapshot, gateway: Entity, columns: int) -> Row:
    """For a card: name and share of as many as fit, the number of the others behind them."""
    own = upstreams_of(snapshot, gateway)
    for most in range(len(own), 0, -1):
        pieces = [_piece(u, own) for u in own[:most]]
        more = [row((f"and {len(own) - most} more", "dim"))] if most < len(own) else []
        found = joined((row(("to", "dim")), *pieces, *more))
        if width(found) <= columns:
            return found
    return ()


def upstream_rows(snapshot: Snapshot, gateway: Entity, most: int) -> list[Row]:
    """For the page of the layer: one row each, `most` at the most, what is left out counted in the last one."""
    own = upstreams_of(snapshot, gateway)
    kept = own if len(own) <= most else own[: max(most - 1, 0)]
    longest = max((len(called(u)) for u in kept), default=0)
    rows = [
        row(("  to ", "dim"), (f"{called(u):{longest}}  ", ""), (", ".join(words(u)), _style(u, own))) for u in kept
    ]
    more = [row((f"  and {len(own) - len(kept)} more", "dim"))] if len(kept) < len(own) and most else []
    return [*rows, *more]


def _piece(upstream: Upstream, own: Sequence[Upstream]) -> Row:
    said = "unhealthy" if upstream.healthy == 0.0 else shown(upstream.share, "ratio")
    return row((f"{called(upstream)} ", ""), (said, _style(upstream, own)))


def _style(upstream: Upstream, own: Sequence[Upstream]) -> str:
    uneven = len(own) > 1 and known_share(upstream) * len(own) > UNEVEN
    return "warn" if upstream.healthy == 0.0 or uneven else "value"
