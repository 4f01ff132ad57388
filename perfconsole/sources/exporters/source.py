"""Polls the page of an exporter that somebody named: GPUs by a DCGM exporter, a host by its node_exporter.

What it is shows on the page. Hardware elsewhere carries the name of its host, so that nothing of it is taken for this
host's; of this host it fills what the driver and /proc do not say.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Batch
from perfconsole.sources import dcgmpage
from perfconsole.sources.exporters import nodepage
from perfconsole.sources.exporters.cards import CardReader
from perfconsole.sources.exporters.node import NodeReader
from perfconsole.sources.exporters.nodepage import NodePage
from perfconsole.sources.exporters.told import Told, told_batch
from perfconsole.sources.exposition import PageError, PageParser
from perfconsole.sources.health import status_text
from perfconsole.sources.http import FetchError
from perfconsole.sources.web.failure import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from perfconsole.clock import Clock
    from perfconsole.sources.exporters.hosts import HostNames
    from perfconsole.sources.exposition import Page
    from perfconsole.sources.http import Fetcher, Reply

KIND = "hardware page"
"""Kind of the source while nobody knows what the page tells."""
GPU_KIND, HOST_KIND = "gpu page", "host page"
STRANGER = "its page is none of a DCGM exporter or a node_exporter"
_HOST_LABELS = ("Hostname", "hostname")


@dataclass(frozen=True, slots=True)
class Site:
    """Where an exporter stands, and who else is there."""

    place: str
    """Host of its URL, empty for this one."""
    names: HostNames
    name: str = ""
    """What somebody calls the host."""
    engines: Callable[[], Collection[Entity]] = tuple
    """Engines whose URLs have the same host."""
    here: str = ""
    """Name of this host."""
    cards: CardReader = field(default_factory=CardReader)


class ExporterSource:
    """One page at one URL, every 5 s."""

    cadence_s = 5.0
    """An exporter reads GPUs every 30 s and a host at every question, for some 20 ms of its CPU."""
    deadline_s = 15.0
    brief = False

    def __init__(self, name: str, fetcher: Fetcher, path: str, site: Site, clock: Clock | None = None) -> None:
        self.name = name
        self.kind = KIND
        self._fetcher = fetcher
        self._path = path
        self._site = site
        self._clock = clock or SystemClock()
        self._parser = PageParser(lambda name: dcgmpage.wanted(name) or nodepage.wanted(name))
        self._node = NodeReader()

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One poll, for the monitor: always one batch."""
        reply: Reply | str
        try:
            reply = self._fetcher.get(self._path)
        except FetchError as error:
            reply = str(error)
        t = self._clock.now()
        page = reply if isinstance(reply, str) else self._page(reply)
        told = page if isinstance(page, str) else self._told(page, t)
        batch = Batch(self.name, self.kind, t, wall + t - now, self.cadence_s, took_s=t - now)
        return (replace(batch, error=told) if isinstance(told, str) else told_batch(told, batch),)

    def interrupt(self) -> None:
        """Break a poll in flight; callable from any thread."""
        self._fetcher.interrupt()

    def close(self) -> None:
        """Let go of the connection."""
        self._fetcher.close()

    def _page(self, reply: Reply) -> Page | str:
        if reply.status != 200:
            return status_text(reply.status, reply.url, "exporter")
        try:
            return self._parser.parse(reply.body, openmetrics="openmetrics" in reply.content_type)
        except PageError as error:
            return str(error)

    def _told(self, page: Page, t: float) -> Told | str:
        """What the page says, a page of both exporters both."""
        node, gpus = NodePage(page), any(series.name.startswith(dcgmpage.PREFIXES) for series in page.series)
        if not node and not gpus:
            return STRANGER
        self.kind = GPU_KIND if gpus else HOST_KIND
        host = self._host(node.nodename or _named(page))
        found = [self._site.cards.read(page, t, Entity(Kind.HOST, host), elsewhere=self._elsewhere)] if gpus else []
        found += [self._node.read(page, t, host)] if node else []
        whole = found[0] if len(found) == 1 else _together(*found)
        return replace(whole, links=(*whole.links, *self._links(page, whole, host)))

    @property
    def _elsewhere(self) -> bool:
        return bool(self._site.place)

    def _host(self, said: str) -> str:
        site = self._site
        return site.names.settle(site.place, site.name, printable(said)) if site.place else site.here

    def _links(self, page: Page, told: Told, host: str) -> list[Link]:
        """Engines elsewhere have no process that says on which host and on which of its GPUs they run."""
        if not self._elsewhere:
            return []
        engines = sorted(self._site.engines())
        gpus = [entity for entity in told.entities if entity.kind is Kind.GPU]
        links = [Link(Relation.HOST_HAS, Entity(Kind.HOST, host), engine) for engine in engines]
        return links + [Link(Relation.ENGINE_USES_GPU, engine, gpu) for engine, gpu in _uses(page, engines, gpus)]


def _uses(page: Page, engines: list[Entity], gpus: list[Entity]) -> list[tuple[Entity, Entity]]:
    """Which engine uses which GPU: whose name is that of the pod that has it; all of them where it is alone there."""
    lent = {card.number: card.pods for card in dcgmpage.cards(page)[0] if card.pods} if gpus else {}
    named = [
        (engine, gpu)
        for engine in engines
        for gpu in gpus
        if any(
            pod in (engine.name, engine.name.partition("@")[2].partition(":")[0].partition(".")[0])
            for pod in lent.get(gpu.name.rpartition("/")[2], ())
        )
    ]
    return named or ([(engines[0], gpu) for gpu in gpus] if len(engines) == 1 else [])


def _named(page: Page) -> str:
    """Name of the host in the labels of a DCGM exporter."""
    for series in page.series:
        labels = dict(series.labels)
        name = next((labels[label] for label in _HOST_LABELS if labels.get(label)), "")
        if name:
            return name
    return ""


def _together(first: Told, second: Told) -> Told:
    """What two exporters on one page tell."""
    return Told(
        tuple(dict.fromkeys((*first.entities, *second.entities))),
        (*first.samples, *second.samples),
        (*first.absences, *second.absences),
        (*first.facts, *second.facts),
        (*first.links, *second.links),
        (*first.notes, *second.notes),
    )
