"""Whom a gateway calls, in words: the share of each upstream that its page tells apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.view.units import shown

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.model.finding import Finding
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.model.upstream import Upstream


def upstreams_of(snapshot: Snapshot, gateway: Entity) -> list[Upstream]:
    """Those of one gateway: unhealthy ones first, then the busiest."""
    own = [u for u in snapshot.upstreams if u.gateway == gateway]
    return sorted(own, key=lambda u: (u.healthy != 0.0, -known_share(u), u.name))


def upstream_lines(snapshot: Snapshot, gateway: Entity) -> list[str]:
    """For a report: `to vllm:8000 62% 1.2 requests/s, vllm:8001 38% ...`; empty where the page names none."""
    own = upstreams_of(snapshot, gateway)
    return [f"to {', '.join(' '.join((called(u), *words(u))) for u in own)}"] if own else []


def called(upstream: Upstream) -> str:
    """The target that is watched, else its place, with the name that the gateway has for it where that is another."""
    own = upstream.target.name if upstream.target else upstream.place
    if not own:
        return upstream.name
    return own if own.endswith(f":{upstream.name.rpartition(':')[2]}") else f"{own} ({upstream.name})"


def lost_words(snapshot: Snapshot, gateway: Entity) -> str:
    """Those that a gateway takes for unhealthy: `llamacpp:28080 (e1) unhealthy`; empty where there are none."""
    own = [(u, u.healthy) for u in upstreams_of(snapshot, gateway) if not isinstance(u.healthy, Missing)]
    return ", ".join(f"{called(u)} {_health(healthy)}" for u, healthy in own if healthy < 1)


def which_words(snapshot: Snapshot, finding: Finding) -> str:
    """Whom a finding about the health of upstreams means; empty for any other one."""
    told = {name for reading in finding.readings for name, _ in reading.operands}
    return lost_words(snapshot, finding.entity) if "gateway.upstream_healthy" in told else ""


def words(upstream: Upstream) -> list[str]:
    """Share, rate, health, requests held: what is known."""
    found = []
    if not isinstance(upstream.share, Missing):
        found.append(shown(upstream.share, "ratio"))
    if not isinstance(upstream.rate, Missing):
        found.append(shown(upstream.rate, "requests/s"))
    if not isinstance(upstream.healthy, Missing):
        found.append(_health(upstream.healthy))
    if not isinstance(upstream.inflight, Missing):
        found.append(f"{shown(upstream.inflight, 'requests')} in flight")
    return found or ["nothing sent yet"]


def _health(ratio: float) -> str:
    """A name may stand for several hosts, of which some are healthy."""
    if ratio == 0.0:
        return "unhealthy"
    return "healthy" if ratio == 1.0 else f"{shown(ratio, 'ratio')} healthy"


def known_share(upstream: Upstream) -> float:
    """Its share, 0 where nobody knows it."""
    return 0.0 if isinstance(upstream.share, Missing) else upstream.share
