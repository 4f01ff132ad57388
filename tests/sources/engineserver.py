"""A loopback server that answers as vLLM does, path by path, and a source that polls it, for the tests of it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfconsole.clock import ManualClock
from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.engine import EngineSource
from perfconsole.sources.engines.vllm import ADAPTER
from perfconsole.sources.http import Fetcher, Limits
from perfconsole.sources.targetpage import TargetPage
from tests.sources.enginepages import LITTLE
from tests.sources.servers import Server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.sample import Batch
    from tests.sources.servers import Peer

HANG = "hang"
"""Status of a route that takes the request and never answers."""
IMPATIENT = Limits(connect_s=2.0, total_s=0.15)
PATIENT = Limits(connect_s=5.0, total_s=5.0)


@dataclass
class Routes:
    """What each path answers now: status and body. A test changes it between polls."""

    answers: dict[str, tuple[str, bytes]] = field(
        default_factory=lambda: {
            "/metrics": ("200 OK", LITTLE),
            "/health": ("200 OK", b""),
            "/version": ("200 OK", b'{"version": "0.32.0"}'),
            "/v1/models": ("200 OK", b'{"data": [{"id": "tiny", "max_model_len": 512}]}'),
        }
    )

    def script(self, peer: Peer) -> None:
        """Answer request after request on one connection."""
        while True:
            path = peer.request().split(" ")[1]
            status, body = self.answers.get(path, ("404 Not Found", b"{}"))
            if status == HANG:
                peer.pause()
            peer.page(body, status=status)


@dataclass
class Bench:
    """A source, its server, and the clock that the test moves."""

    source: EngineSource
    server: Server
    clock: ManualClock
    routes: Routes

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
def bench(limits: Limits = PATIENT, start: float = 100.0, **answers: tuple[str, bytes]) -> Iterator[Bench]:
    """Serve vLLM with other answers for some routes (`metrics=`, `health=`, `version=`), and a source that polls it."""
    routes = Routes()
    routes.answers |= {f"/{name}": answer for name, answer in answers.items()}
    with Server(routes.script) as server:
        clock = ManualClock(start)
        fetcher = Fetcher(server.url, limits=limits)
        page = TargetPage(f"127.0.0.1:{server.port}", (ADAPTER,), DEFAULT)
        source = EngineSource(page, fetcher, clock)
        try:
            yield Bench(source, server, clock, routes)
        finally:
            source.close()
