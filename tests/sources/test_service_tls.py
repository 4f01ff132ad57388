"""A gateway behind TLS whose certificate is not trusted here, against real loopback servers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.clock import ManualClock
from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.gateways import litellm, nginx
from perfconsole.sources.http import Fetcher
from perfconsole.sources.layer import GATEWAY
from perfconsole.sources.pageroutes import PageRoutes
from perfconsole.sources.service import ServiceSource
from perfconsole.sources.targetpage import TargetPage
from tests.sources.enginepages import value
from tests.sources.servers import Server, pages, tls_context
from tests.sources.serviceserver import LIMITS, LITELLM

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Adapter

CERTIFICATE = Path(__file__).with_name("loopback.pem")
STUB = b"Active connections: 3 \nserver accepts handled requests\n 10 10 70 \nReading: 0 Writing: 3 Waiting: 0 \n"


def source(door: Server, adapter: Adapter, page: Server | None = None) -> ServiceSource:
    """What polls a server, and its page where that is served elsewhere."""
    target = TargetPage(f"127.0.0.1:{door.port}", (adapter,), DEFAULT, url=door.url, layer=GATEWAY)
    target.take(adapter)
    routes = PageRoutes(target, "/status" if page else "", apart=page is not None)
    health, figures = (Fetcher(server.url, limits=LIMITS) for server in (door, page or door))
    return ServiceSource(target, health, figures, clock=ManualClock(100.0), routes=routes)


def test_a_certificate_that_is_not_trusted_makes_no_gateway_look_down() -> None:
    """It is up, has no health time, says why its page is not read, and one handshake a poll is enough to know."""
    with Server(pages(b""), tls_context(CERTIFICATE)) as door:
        it = source(door, litellm.ADAPTER)
        polls = [it.poll(t, t) for t in (100.0, 101.0, 140.0)]
        it.close()
        assert door.connections == 3
    for page, health in polls:
        assert [(s.key.indicator, s.value) for s in health.samples] == [("gateway.up", 1.0)]
        assert (health.error, "is not trusted" in health.notes[0]) == (None, True)
        assert "is not trusted" in (page.error or "")


def test_a_plain_page_is_read_beside_a_door_with_tls() -> None:
    """The door says that somebody is there, its page how it does."""
    with Server(pages(b""), tls_context(CERTIFICATE)) as door, Server(pages(LITELLM)) as page:
        it = source(door, litellm.ADAPTER, page)
        figures, health = it.poll(100.0, 100.0)
        it.close()
    assert (value(figures, "gateway.inflight"), value(health, "gateway.up")) == (3.0, 1.0)


def test_the_plain_status_page_of_a_door_with_tls_is_its_health() -> None:
    """Where a page is the health route, TLS is never spoken."""
    with Server(pages(b""), tls_context(CERTIFICATE)) as door, Server(pages(STUB)) as page:
        it = source(door, nginx.ADAPTER, page)
        figures, health = it.poll(100.0, 100.0)
        it.close()
        assert door.connections == 0
    assert (figures.error, health.error, health.notes) == (None, None, ())
