"""Rates and ratios of a gateway, and what it sends on against what arrives at the engines behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.burst import arrival_burst
from perfconsole.core.formulas.common import delta, least, quotient, rate
from perfconsole.core.formulas.perunit import per_unit
from perfconsole.core.formulas.tally import Tally, arrivals, held, shared_stretch, tally
from perfconsole.model.entity import Kind, Relation
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

REQUESTS = "gateway.requests"
UPSTREAM = "gateway.upstream_requests"
INFLIGHT = "gateway.inflight"
_NOT_LAST = (Relation.GATEWAY_TO_GATEWAY, Relation.GATEWAY_TO_ORCHESTRATOR)
MIN_REQUESTS = 20
"""Below this many requests a ratio says nothing."""


def _rate_of(counter: str) -> Callable[[Frame, Entity], float | Missing]:
    return lambda frame, gateway: rate(frame, counter, gateway)


def _share_of_requests(counter: str) -> Callable[[Frame, Entity], float | Missing]:
    """d(counter) / d(requests) over 5 min."""

    def share(frame: Frame, gateway: Entity) -> float | Missing:
        part = delta(frame, counter, gateway)
        return part if isinstance(part, Missing) else quotient(part, _requests(frame, gateway))

    return share


def _requests(frame: Frame, gateway: Entity) -> float | Missing:
    return least(delta(frame, REQUESTS, gateway), MIN_REQUESTS)


def amplification(frame: Frame, gateway: Entity) -> float | Missing:
    """Calls to engines / requests that the gateway accepts, over 5 min.

    A gateway may count a request when it accepts it or when it ends: what it holds is taken into account.
    """
    made = _made(frame, gateway)
    accepted = tally(frame, REQUESTS, gateway)
    if isinstance(made, Missing):
        return made
    if isinstance(accepted, Missing):
        return accepted
    found = per_unit(made, accepted, held(frame, INFLIGHT, gateway), MIN_REQUESTS)
    return found if isinstance(found, Missing) else max(0.0, found)


def _made(frame: Frame, gateway: Entity) -> list[Tally] | Missing:
    """What arrives at the engines, less what other gateways send there."""
    engines = frame.related(gateway, Kind.ENGINE)
    came = arrivals(frame, engines)
    sent = [_sent(frame, each) for each in sorted(_callers(frame, gateway, engines) - {gateway})]
    reason = next((s for s in sent if isinstance(s, Missing)), None)
    if reason is not None or isinstance(came, Missing):
        return came if isinstance(came, Missing) else reason or Missing.NEVER
    return [*came, *(Tally(s.times, [-n for n in s.counts]) for s in sent if not isinstance(s, Missing))]


def bypass_ratio(frame: Frame, gateway: Entity) -> float | Missing:
    """1 - upstream requests / engine arrivals over 5 min, not below 0: at least this share went past the gateway.

    Several gateways count as one: what another one sends is no bypass. A gateway may count an upstream call only when
    it ends, so what it holds more than at the start of the window counts as sent.
    """
    engines = frame.related(gateway, Kind.ENGINE)
    gateways = _callers(frame, gateway, engines)
    if not gateways:
        return Missing.UNSUPPORTED  # agents stand between: their calls are not its requests
    sent = [_sent(frame, each) for each in sorted(gateways)]
    reason = next((s for s in sent if isinstance(s, Missing)), None)
    came = arrivals(frame, engines)
    if reason is not None:
        return reason
    if isinstance(came, Missing):
        return came
    counted = [s for s in sent if not isinstance(s, Missing)]
    stretch = shared_stretch([*counted, *came])
    if isinstance(stretch, Missing):
        return stretch
    on_their_way = [max(0.0, h.growth(*stretch)) for g in gateways if (h := held(frame, INFLIGHT, g)) is not None]
    arrived = least(sum(c.growth(*stretch) for c in came), MIN_REQUESTS)
    share = quotient(sum(s.growth(*stretch) for s in counted) + sum(on_their_way), arrived)
    return share if isinstance(share, Missing) else max(0.0, 1.0 - share)


def _callers(frame: Frame, gateway: Entity, engines: Iterable[Entity]) -> set[Entity]:
    """Gateways that call these engines themselves: none in front of another gateway or of agents, and no dead one."""
    every = {gateway, *(g for engine in engines for g in frame.related(engine, Kind.GATEWAY))}
    fronts = {link.parent for link in frame.topology.links if link.relation in _NOT_LAST}
    return {g for g in every - fronts if frame.value("gateway.up", g) != 0 or g == gateway}


def _sent(frame: Frame, gateway: Entity) -> Tally | Missing:
    """Calls to engines; a gateway that does not count them is taken to send each request on once."""
    counted = tally(frame, UPSTREAM, gateway)
    return tally(frame, REQUESTS, gateway) if counted is Missing.NOT_EXPORTED else counted


FORMULAS = {
    "gateway.request_rate": _rate_of(REQUESTS),
    "gateway.generation_rate": _rate_of("gateway.tokens_out"),
    "gateway.error_ratio": _share_of_requests("gateway.errors"),
    "gateway.rate_limited_ratio": _share_of_requests("gateway.rate_limited"),
    "gateway.retry_ratio": _share_of_requests("gateway.retries"),
    "gateway.client_gone_ratio": _share_of_requests("gateway.client_gone"),
    "gateway.amplification": amplification,
    "gateway.arrival_burst": arrival_burst,
    "gateway.bypass_ratio": bypass_ratio,
}
