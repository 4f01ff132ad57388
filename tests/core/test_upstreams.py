"""Tests of what a gateway sends to whom, from the parts of its counters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.session import Session
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Batch, Missing, Sample, SeriesKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfconsole.model.snapshot import Snapshot

GATEWAY = Entity(Kind.GATEWAY, "router:30000")
ENGINE = Entity(Kind.ENGINE, "vllm:8000")
SENT = "gateway.upstream_requests"


def batch(t: float, sent: Mapping[str, float], healthy: Mapping[str, float] | None = None) -> Batch:
    """One poll of the gateway's page."""
    counts = [Sample(SeriesKey(SENT, GATEWAY, (("upstream", n),)), v) for n, v in sent.items()]
    states = [
        Sample(SeriesKey("gateway.upstream_healthy", GATEWAY, (("upstream", n),)), v)
        for n, v in (healthy or {}).items()
    ]
    links = (Link(Relation.GATEWAY_TO_ENGINE, GATEWAY, ENGINE, "127.0.0.1:8000"),)
    return Batch("page", "gateway page", t, t, 1.0, samples=(*counts, *states), links=links, took_s=0.01)


def picture(*batches: Batch) -> Snapshot:
    """The picture at the last of them."""
    session = Session([])
    for each in batches:
        session.apply(each)
    return session.tick(batches[-1].t, batches[-1].t)


def test_shares_are_those_of_the_last_minute() -> None:
    """Of 40 requests in 10 s, 30 went to one of two."""
    found = picture(batch(0.0, {"127.0.0.1:8000": 100, "b": 900}), batch(10.0, {"127.0.0.1:8000": 130, "b": 910}))
    shares = {u.name: (u.rate, u.share, u.target) for u in found.upstreams}
    assert shares == {"127.0.0.1:8000": (3.0, 0.75, ENGINE), "b": (1.0, 0.25, None)}


def test_health_is_told_upstream_by_upstream() -> None:
    """The whole is their mean, and the dead one can be named."""
    found = picture(batch(0.0, {"a": 0, "b": 0}, {"a": 1.0, "b": 0.0}))
    assert {u.name: u.healthy for u in found.upstreams} == {"a": 1.0, "b": 0.0}


def test_without_requests_there_are_no_shares() -> None:
    """Nothing was sent, which is not evenly spread."""
    found = picture(batch(0.0, {"a": 5, "b": 5}), batch(10.0, {"a": 5, "b": 5}))
    assert [u.share for u in found.upstreams] == [Missing.NEVER, Missing.NEVER]
