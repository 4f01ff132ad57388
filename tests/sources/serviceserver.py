"""A loopback server that answers as a gateway or an orchestrator does, and a source that polls it, for its tests."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.clock import ManualClock
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.sources.gateways import litellm
from perfconsole.sources.http import Fetcher, Limits
from perfconsole.sources.layer import GATEWAY, ORCHESTRATOR, Layer
from perfconsole.sources.orchestrators import fastapi
from perfconsole.sources.service import ServiceSource
from perfconsole.sources.targetpage import TargetPage
from tests.sources.servers import Server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.sample import Batch
    from tests.sources.servers import Peer

LINK = Link(Relation.GATEWAY_TO_ENGINE, Entity(Kind.GATEWAY, "proxy"), Entity(Kind.ENGINE, "vllm:8000"))
"""What the bench says that the service calls."""
LITELLM = b"litellm_in_flight_requests 4.0\nprocess_start_time_seconds 1.7e9\n"
TASKS = b'http_requests_total{handler="/run",method="POST",status="2xx"} 8.0\nhttp_requests_inprogress 3.0\n'
HANG = "hang"
"""Status of a route that takes the request and answers when the test lets it."""
LIMITS = Limits(connect_s=2.0, total_s=8.0)
_ADAPTERS = {GATEWAY: litellm.ADAPTER, ORCHESTRATOR: fastapi.ADAPTER}


@dataclass
class Bench:
    """A source, its server, the clock that the test moves, and what each route answers now."""

    source: ServiceSource
    server: Server
    clock: ManualClock
    answers: dict[str, tuple[str, bytes]]

    def poll(self, after_s: float = 0.0) -> tuple[Batch, Batch]:
        """Move the clock and poll once: the batch of the page and that of its health."""
        self.clock.sleep(after_s)
        page, health = self.source.poll(self.clock.now(), self.clock.wall())
        return page, health

    @property
    def paths(self) -> list[str]:
        """Paths asked for so far."""
        return [request.split(" ")[1] for request in self.server.requests]


@contextmanager
def bench(layer: Layer, answers: dict[str, tuple[str, bytes]], limits: Limits = LIMITS) -> Iterator[Bench]:
    """Serve these routes and 404 for all others, and a source that polls them."""

    def script(peer: Peer) -> None:
        while True:
            path = peer.request().split(" ")[1]
            while answers.get(path, ("",))[0] == HANG:
                peer.pause(0.01)
            status, body = answers.get(path, ("404 Not Found", b"{}"))
            peer.page(body, status=status)

    with Server(script) as server:
        clock = ManualClock(100.0)
        page = TargetPage(f"127.0.0.1:{server.port}", (_ADAPTERS[layer],), DEFAULT, url=server.url, layer=layer)
        fetchers = (Fetcher(server.url, limits=limits), Fetcher(server.url, limits=limits))
        source = ServiceSource(page, *fetchers, lambda _now: (LINK,), clock)
        try:
            yield Bench(source, server, clock, answers)
        finally:
            source.close()
