"""The GPUs of this host as a DCGM exporter sees them: what NVML does not say now, and the profiling figures.

An exporter reads its GPUs every 30 s unless told otherwise, so that NVML's own figures are preferred where there are
any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.model.sample import Batch
from perfconsole.sources import dcgmpage
from perfconsole.sources.exporters.cards import CardReader
from perfconsole.sources.exporters.told import told_batch
from perfconsole.sources.exposition import PageError, PageParser
from perfconsole.sources.health import status_text
from perfconsole.sources.http import FetchError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfconsole.clock import Clock
    from perfconsole.model.entity import Entity
    from perfconsole.sources.exposition import Page
    from perfconsole.sources.http import Fetcher, Reply

DEFAULT_PORT = 9400


class DcgmSource:
    """Polls one exporter on this host.

    `nvml_has` gives the indicators and names of GPUs that NVML fills now, `indices` the names of GPUs by UUID.
    """

    kind = "gpu page"
    cadence_s = 5.0
    """Its figures are 30 s old at most before the poll; every 5 s sees a new one soon and costs next to nothing."""
    deadline_s = 15.0
    brief = False

    def __init__(
        self,
        address: str,
        fetcher: Fetcher,
        *,
        indices: Callable[[], Mapping[str, str]],
        nvml_has: Callable[[], frozenset[tuple[str, str]]],
        host: Entity | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.name = f"dcgm {address}"
        self._fetcher = fetcher
        self._cards = CardReader(indices, nvml_has)
        self._host = host
        self._clock = clock or SystemClock()
        self._parser = PageParser(dcgmpage.wanted)

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One poll, for the monitor: always one batch."""
        reply: Reply | str
        try:
            reply = self._fetcher.get("/metrics")
        except FetchError as error:
            reply = str(error)
        t = self._clock.now()
        found = reply if isinstance(reply, str) else self._page(reply)
        if isinstance(found, str):
            took = t - now
            return (Batch(self.name, self.kind, t, wall + took, self.cadence_s, took_s=took, error=found),)
        told = self._cards.read(found, t, self._host)
        return (told_batch(told, Batch(self.name, self.kind, t, wall + t - now, self.cadence_s, took_s=t - now)),)

    def interrupt(self) -> None:
        """Break a poll in flight; callable from any thread."""
        self._fetcher.interrupt()

    def close(self) -> None:
        """Let go of the connection."""
        self._fetcher.close()

    def _page(self, reply: Reply) -> Page | str:
        """The page, or why it is no page of an exporter."""
        if reply.status != 200:
            return status_text(reply.status, reply.url, "DCGM exporter")
        try:
            page = self._parser.parse(reply.body, openmetrics="openmetrics" in reply.content_type)
        except PageError as error:
            return str(error)
        if not page.series:
            return "its page has no series of a DCGM exporter"
        return page
