"""From one target to what polls it: its page, its health, its processes, and its place among the others."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.commands.lognames import logs_of, named_logs
from perfconsole.errors import UsageError
from perfconsole.model.entity import Entity, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfconsole.config import Config, Target
    from perfconsole.runner import Source
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.callers import Callers
    from perfconsole.sources.directory import Member, Place
    from perfconsole.sources.discovery.found import Found
    from perfconsole.sources.discovery.pageport import Doors
    from perfconsole.sources.gpu import GpuSource
    from perfconsole.sources.http import Fetcher
    from perfconsole.sources.identity import Identity
    from perfconsole.sources.layer import Layer
    from perfconsole.sources.targetpage import TargetPage

    Local = Callable[[], Source]
    """Makes a source of this host: those take their time to load."""


def host_name() -> str:
    """Name of this host, as entities carry it."""
    return platform.node() or "localhost"


def host_entity() -> Entity:
    """The host that this process runs on."""
    return Entity(Kind.HOST, host_name())


@dataclass(slots=True)
class Told:
    """What files say of whom a target calls. Written once more when its process becomes known."""

    names: dict[str, Place]
    """By the names on its page."""
    upstreams: tuple[Place, ...] = ()


class Sourcing:
    """Makes the sources of targets and enters each target into one directory. UsageError for what cannot be used."""

    def __init__(self, config: Config) -> None:
        from perfconsole.sources.directory import Directory  # noqa: PLC0415 - not needed for a help text
        from perfconsole.sources.discovery.pageport import Doors  # noqa: PLC0415 - as above
        from perfconsole.sources.exporters.hosts import HostNames  # noqa: PLC0415 - as above

        self._config = config
        self._logs = named_logs(config.logs)
        self.directory = Directory()
        self._hosts = HostNames()
        self._doors = Doors(SystemClock())

    def sources(self, target: Target, found: Found | None = None) -> tuple[list[Source], list[Local]]:
        """What polls its pages, and what makes the sources for its processes; `found` when nobody named it."""
        target = _at_its_door(target)
        if pid_of(target):
            return [self._numbered(target)], []
        layer, adapters = _layer_of(target)
        page = self._page(target, layer, adapters, found)
        told = Told(_named(found.named if found else ()))
        page.places = _shown_places(found.named if found else ())
        member = self._enter(target, page, found, told)
        port = local_port(target.url)
        local = [lambda: self._processes(page, member, port)] if port else []
        if target.layer == "engine" and (port or target.log or self._logs):
            local.append(lambda: self._log(target, page, member))
        identify = lambda: _by_process(target, page, told, self._doors)  # noqa: E731 - both kinds ask alike
        if target.layer == "engine":
            return [self._engine(target, page, identify)], local
        no_page = _pageless(page.adapter) if found and not found.page_url else ""
        return [self._front(target, page, member, identify, no_page)], local

    def exporter(self, target: Target, gpus: Callable[[], GpuSource]) -> Source:
        """What polls the page of an exporter; `gpus` gives what reads the GPUs of this host, for one that is here."""
        from perfconsole.sources.exporters.cards import CardReader  # noqa: PLC0415 - as above
        from perfconsole.sources.exporters.source import ExporterSource, Site  # noqa: PLC0415 - as above
        from perfconsole.sources.web.address import parse_address  # noqa: PLC0415 - as above

        address = parse_address(target.page_url or target.url)
        host = place_of(target.url)[0]
        cards = CardReader() if host else CardReader(lambda: gpus().indices, lambda: gpus().filled)
        site = Site(host, self._hosts, target.name, lambda: self._engines_at(host), host_name(), cards)
        root = f"{address.scheme}://{f'{address.user}@' if address.user else ''}{address.shown}"
        fetcher = _fetcher(target, url=root)
        return ExporterSource(f"exporter {address.shown}", fetcher, address.prefix or "/metrics", site)

    def _engines_at(self, host: str) -> list[Entity]:
        """Engines whose URLs have that host."""
        from perfconsole.sources.layer import ENGINE  # noqa: PLC0415 - as above

        return [m.entity() for m in self.directory.members(ENGINE) if m.settled() and m.place[0] == host]

    def _enter(self, target: Target, page: TargetPage, found: Found | None, told: Told) -> Member:
        from perfconsole.sources.directory import Member  # noqa: PLC0415 - as above

        stated = tuple(place_of(url) for url in target.upstreams)
        return self.directory.add(
            Member(
                page.layer,
                lambda: page.entity,
                lambda: page.settled,
                place_of(target.url),
                _shown(target.url),
                page.source,
                found.how if found else "named by a flag or in the configuration",
                lambda: page.adapter.name if page.adapter else found.adapter if found else "",
                # A Python service beside an engine may have nothing to do with it.
                guessing=found is None or found.layer == "gateway",
                upstreams=lambda: (*stated, *self._known(told.upstreams), *_places(page.upstreams)),
                names=lambda: {**_addresses(page.named), **told.names},
            )
        )

    def _known(self, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """The places if any of them is watched: others may be known here by another address than to the gateway."""
        return places if any(self.directory.at(place) for place in places) else ()

    def _engine(self, target: Target, page: TargetPage, identify: Callable[[], Identity]) -> Source:
        from perfconsole.sources.engine import EngineSource  # noqa: PLC0415 - as above

        root, path = split_page(target.page_url)
        return EngineSource(
            page,
            _fetcher(target),
            elsewhere=(_fetcher(target, url=root), path) if root else None,
            identify=identify,
        )

    def _front(
        self,
        target: Target,
        page: TargetPage,
        member: Member,
        identify: Callable[[], Identity],
        no_page: str,
    ) -> Source:
        """Page and health of a gateway or an orchestrator."""
        from perfconsole.sources.health import UNANSWERED_LIMIT_S  # noqa: PLC0415 - as above
        from perfconsole.sources.pageroutes import PageRoutes  # noqa: PLC0415 - as above
        from perfconsole.sources.service import ServiceSource  # noqa: PLC0415 - as above

        patient = _fetcher(target, total_s=UNANSWERED_LIMIT_S)
        root, path = split_page(target.page_url)
        apart = bool(root) and place_of(root) != place_of(target.url)
        return ServiceSource(
            page,
            patient,
            _fetcher(target, url=root) if root else _fetcher(target),
            lambda now: self.directory.links(member, now),
            routes=PageRoutes(page, path, apart=apart),
            identify=identify,
            no_page=no_page,
        )

    def _numbered(self, target: Target) -> Source:
        """An orchestrator named by the number of its process, which is all there is to watch."""
        from perfconsole.sources.directory import Member  # noqa: PLC0415 - as above
        from perfconsole.sources.layer import ORCHESTRATOR  # noqa: PLC0415 - as above
        from perfconsole.sources.serviceprocess import ServiceProcessSource  # noqa: PLC0415 - as above

        pid = pid_of(target)
        service = Entity(ORCHESTRATOR.kind, target.name or f"pid-{pid}")
        stated = tuple(place_of(url) for url in target.upstreams)
        name = target.name or f"process {pid}"
        member = self.directory.add(Member(ORCHESTRATOR, lambda: service, source=name, upstreams=lambda: stated))
        return ServiceProcessSource(
            name,
            ORCHESTRATOR,
            lambda: service,
            self._config.dictionary,
            pid=pid,
            host=host_entity(),
            links=lambda now: self.directory.links(member, now),
            callers=self._callers(member),
        )

    def _processes(self, page: TargetPage, member: Member, port: int) -> Source:
        """The processes behind a local port."""
        from perfconsole.sources.engines import all_roles, flags_of  # noqa: PLC0415 - as above
        from perfconsole.sources.layer import ENGINE  # noqa: PLC0415 - as above
        from perfconsole.sources.process import ProcessSource  # noqa: PLC0415 - as above
        from perfconsole.sources.serviceprocess import ServiceProcessSource  # noqa: PLC0415 - as above

        name, callers = f"{page.source} processes", self._callers(member)
        if page.layer is ENGINE:
            entity = lambda: page.entity  # noqa: E731 - the name may still change
            return ProcessSource(name, port, entity, all_roles(), flags_of, host=host_entity(), callers=callers)
        return ServiceProcessSource(
            name,
            page.layer,
            lambda: page.entity,
            self._config.dictionary,
            port=port,
            host=host_entity(),
            page_says=page.says,
            callers=callers,
        )

    def _log(self, target: Target, page: TargetPage, member: Member) -> Source:
        """The log of an engine; of one elsewhere only where somebody named a file for it."""
        from perfconsole.sources.enginelog import EngineLogSource  # noqa: PLC0415 - as above

        files = logs_of(member, self.directory, self._logs, target.log)
        return EngineLogSource(f"{page.source} log", lambda: page.entity, lambda: member.pids, files)

    def _callers(self, member: Member) -> Callers:
        from perfconsole.sources.callers import Callers  # noqa: PLC0415 - as above

        return Callers("", self.directory, member)

    def _page(self, target: Target, layer: Layer, adapters: tuple[Adapter, ...], found: Found | None) -> TargetPage:
        from perfconsole.sources.targetpage import TargetPage  # noqa: PLC0415 - as above
        from perfconsole.sources.web.address import parse_address, validate_url  # noqa: PLC0415 - as above

        shown = parse_address(validate_url(target.url)).place
        page = TargetPage(shown, adapters, self._config.dictionary, target.name, _shown(target.url), layer)
        certain = target.adapter or next((a for a in adapters if found and a.metrics and a.name == found.adapter), None)
        if certain is not None:
            page.take(certain)
        return page


def _layer_of(target: Target) -> tuple[Layer, tuple[Adapter, ...]]:
    """The layer of a target, and the adapters that may take its page."""
    from perfconsole.sources.catalogue import LAYERS, adapters_of  # noqa: PLC0415 - as above

    return LAYERS[target.layer], (target.adapter,) if target.adapter is not None else adapters_of(target.layer)


def _at_its_door(target: Target) -> Target:
    """A process that was named by its number, by its port where it has just one: there it has health and a page."""
    from dataclasses import replace  # noqa: PLC0415 - as above

    from perfconsole.sources.discovery.pageport import door_of  # noqa: PLC0415 - as above

    pid = pid_of(target)
    door = door_of(pid) if pid else ""
    return replace(target, url=door, name=target.name or f"pid-{pid}") if door else target


def pid_of(target: Target) -> int:
    """Number of the process that an orchestrator is named by, 0 for a URL."""
    return int(target.url) if target.layer == "orchestration" and target.url.isdecimal() else 0


def local_port(url: str) -> int:
    """Port of a URL on this host, 0 for one elsewhere."""
    host, port = place_of(url)
    return 0 if host else port


def place_of(url: str) -> tuple[str, int]:
    """Host and port of a URL, the host empty for this one."""
    from perfconsole.sources.web.address import parse_address, validate_url  # noqa: PLC0415 - as above

    address = parse_address(validate_url(url))
    _, host, port = address.origin
    return "" if address.loopback or host in _own_names() else host, port


@cache
def _own_names() -> frozenset[str]:
    """Names and addresses of this host, as configurations write them."""
    from perfconsole.sources.linux.namespace import local_addresses  # noqa: PLC0415 - as above

    return frozenset((host_name().lower(), "0.0.0.0", "::", *local_addresses("", "self")))  # noqa: S104 - as above


def _places(urls: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Places of the URLs on a page; what is none says nothing."""
    found: list[tuple[str, int]] = []
    for url in urls:
        with suppress(UsageError):
            found.append(place_of(url))
    return tuple(found)


def _addresses(names: Iterable[str]) -> dict[str, tuple[str, int]]:
    """Places of those names of upstreams that are addresses."""
    found: dict[str, tuple[str, int]] = {}
    for name in names:
        if name.rpartition(":")[2].isdecimal():
            with suppress(UsageError):
                found[name] = place_of(f"http://{name}")
    return found


def _named(named: Iterable[tuple[str, str]]) -> dict[str, Place]:
    """Places of upstreams by the names that a page gives them."""
    return {name: places[0] for name, url in named if (places := _places([url]))}


def _shown_places(named: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Host and port of upstreams by the names that a page gives them, fit to be shown."""
    from perfconsole.sources.mapping.upstreamname import upstream_name  # noqa: PLC0415 - as above

    return {name: upstream_name(url) for name, url in named}


def _shown(url: str) -> str:
    """The URL without what may be secret in it."""
    from perfconsole.sources.web.address import redact, validate_url  # noqa: PLC0415 - as above

    return redact(validate_url(url))


def split_page(url: str) -> tuple[str, str]:
    """Root and path of the URL of a page, both empty for none."""
    from urllib.parse import urlsplit  # noqa: PLC0415 - as above

    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if url else "", parts.path


def _pageless(adapter: Adapter | None) -> str:
    """Why a proxy that was found without a page has none: whatever is asked at its port of requests goes upstream."""
    if adapter is None or not adapter.proxy:
        return ""
    return adapter.page_hint or f"{adapter.title} shows no page of metrics: its health and its process are watched"


def _by_process(target: Target, page: TargetPage, told: Told, doors: Doors) -> Identity:
    """What listens at the port of a target on this host, where its process says it; enters whom it calls."""
    from perfconsole.sources.identity import NOBODY, Identity  # noqa: PLC0415 - as above

    port = local_port(target.url)
    found = doors.behind(port) if port else None
    if found is None or found.adapter not in page.adapters:
        return NOBODY
    told.names, told.upstreams = _named(found.named), _places(found.upstreams)
    page.places = _shown_places(found.named)
    root, path = split_page("" if target.page_url else found.page_url)
    if not root:
        return Identity(found.adapter)
    return Identity(found.adapter, _fetcher(target, url=root), path, apart=place_of(root) != place_of(target.url))


def _fetcher(target: Target, *, url: str = "", total_s: float | None = None) -> Fetcher:
    """Gets from a target or from another place that is its own; `total_s` is how long an answer may take.

    Its key goes to its own host only.
    """
    from perfconsole.sources.http import Fetcher, Limits  # noqa: PLC0415 - as above
    from perfconsole.sources.web.address import validate_url  # noqa: PLC0415 - as above
    from perfconsole.target import request_headers  # noqa: PLC0415 - as above

    limits = Limits() if total_s is None else Limits(total_s=total_s)
    headers = request_headers(target, os.environ)
    away = bool(url) and place_of(url)[0] != place_of(target.url)[0]
    return Fetcher(validate_url(url or target.url), headers={} if away else headers, limits=limits)
