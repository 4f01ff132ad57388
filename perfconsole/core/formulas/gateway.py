"""Rates and ratios of a gateway, and what it sends on against what arrives at the engines behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import RATIO_WINDOW_S, arrivals, delta, least, number, quotient, rate
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

REQUESTS = "gateway.requests"
UPSTREAM = "gateway.upstream_requests"
INFLIGHT = "gateway.inflight"
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
    """Requests that arrive at the engines / requests that the gateway accepts, over 5 min."""
    return quotient(_arrivals(frame, gateway), _requests(frame, gateway))


def bypass_ratio(frame: Frame, gateway: Entity) -> float | Missing:
    """1 - upstream requests / engine arrivals over 5 min, not below 0.

    Several gateways count as one: what another one sends is no bypass. A gateway may count an upstream call only when
    it ends, so what it holds more than at the start of the window counts as sent.
    """
    engines = frame.related(gateway, Kind.ENGINE)
    gateways = {gateway, *(g for engine in engines for g in frame.related(engine, Kind.GATEWAY))}
    sent = [_sent(frame, each) for each in sorted(gateways)]
    reason = next((s for s in sent if isinstance(s, Missing)), None)
    if reason is not None:
        return reason
    share = quotient(sum(number(s, 0.0) for s in sent), least(_arrivals(frame, gateway), MIN_REQUESTS))
    return share if isinstance(share, Missing) else max(0.0, 1.0 - share)


def _arrivals(frame: Frame, gateway: Entity) -> float | Missing:
    return arrivals(frame, frame.related(gateway, Kind.ENGINE), RATIO_WINDOW_S)


def _sent(frame: Frame, gateway: Entity) -> float | Missing:
    counted = delta(frame, UPSTREAM, gateway)
    held = frame.store.points(INFLIGHT, gateway, frame.t - RATIO_WINDOW_S, frame.t)
    return counted if isinstance(counted, Missing) or not held else counted + max(0.0, held[-1][1] - held[0][1])


FORMULAS = {
    "gateway.request_rate": _rate_of(REQUESTS),
    "gateway.generation_rate": _rate_of("gateway.tokens_out"),
    "gateway.error_ratio": _share_of_requests("gateway.errors"),
    "gateway.rate_limited_ratio": _share_of_requests("gateway.rate_limited"),
    "gateway.retry_ratio": _share_of_requests("gateway.retries"),
    "gateway.client_gone_ratio": _share_of_requests("gateway.client_gone"),
    "gateway.amplification": amplification,
    "gateway.bypass_ratio": bypass_ratio,
}
