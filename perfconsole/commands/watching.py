"""From a configuration to the sources that are polled. Heavy imports wait for the thread of each source."""

from __future__ import annotations

import os
import platform
import re
from typing import TYPE_CHECKING

from perfconsole.errors import UsageError
from perfconsole.model.entity import Entity, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from perfconsole.config import Config, Target
    from perfconsole.monitor import Source
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.gpu import GpuSource
    from perfconsole.sources.layer import Layer
    from perfconsole.sources.targetpage import TargetPage

_FRONT_LAYERS = ("gateway", "orchestration")
"""Layers in front of the engines."""


def host_name() -> str:
    """Name of this host, as entities carry it."""
    return platform.node() or "localhost"


def build_sources(config: Config) -> list[Source]:
    """The host, and for each target its pages and its processes; UsageError for a URL or key that cannot be used."""
    pages, local = staged_sources(config)
    return [*pages, *local()]


def staged_sources(config: Config) -> tuple[list[Source], Callable[[], list[Source]]]:
    """The pages of the targets, and what gives the sources of this host: those take their time to load."""
    engines: list[TargetPage] = []
    local: list[Callable[[], Source]] = [_host_source]
    behind = [_engine_source(t, config, engines, local) for t in config.targets if t.layer == "engine"]
    in_front = [_front_source(t, config, engines, local) for t in config.targets if t.layer in _FRONT_LAYERS]
    _refuse_aliases(config.targets)
    pages = [*in_front, *behind]
    names = [s.name for s in pages]
    doubled = next((n for n in names if names.count(n) > 1), None)
    if doubled:
        raise UsageError(f"{doubled} is named twice; name each target once")
    return pages, lambda: [make() for make in local]


def _host_source() -> Source:
    from perfconsole.sources.host import HostSource  # noqa: PLC0415 - not needed for a help text

    return HostSource()


def gpu_source(argv: Sequence[str], sources: Iterable[Source], config: Config) -> GpuSource:
    """The GPUs of this host by a helper program, tied to the engines among these sources. It is still to be started."""
    from perfconsole.sources.engine import EngineSource  # noqa: PLC0415 - not needed for a help text
    from perfconsole.sources.gpu import GpuSource  # noqa: PLC0415 - as above
    from perfconsole.sources.process import ProcessSource  # noqa: PLC0415 - as above

    every = list(sources)
    trees = [source for source in every if isinstance(source, ProcessSource)]
    pages = [source.page for source in every if isinstance(source, EngineSource)]

    def owners() -> dict[Entity, frozenset[int]]:
        """Engines of this host under their final names: a link to a provisional one would outlive it."""
        settled = {page.entity for page in pages if page.settled}
        return {engine: pids for engine, pids in (tree.pids() for tree in trees) if engine in settled}

    return GpuSource(argv, config.dictionary, owners, _host())


def _host() -> Entity:
    return Entity(Kind.HOST, host_name())


def _refuse_aliases(targets: Iterable[Target]) -> None:
    """UsageError for 127.0.0.1:8000 beside localhost:8000: both would fill one target."""
    from perfconsole.sources.web.address import parse_address  # noqa: PLC0415 - not needed for a help text

    seen: dict[int, str] = {}
    for address in (parse_address(t.url) for t in targets if not t.name and not _pid(t)):
        port = address.origin[2]
        if address.loopback and seen.setdefault(port, address.shown) != address.shown:
            raise UsageError(f"{seen[port]} and {address.shown} are one target; name each target once")


def _engine_source(
    target: Target, config: Config, engines: list[TargetPage], local: list[Callable[[], Source]]
) -> Source:
    """The page of an engine, which joins the `engines` that others are linked to; its processes join what is local."""
    from perfconsole.sources.engine import EngineSource  # noqa: PLC0415 - as above
    from perfconsole.sources.engines import adapters  # noqa: PLC0415 - as above
    from perfconsole.sources.http import Fetcher  # noqa: PLC0415 - as above
    from perfconsole.sources.layer import ENGINE  # noqa: PLC0415 - as above
    from perfconsole.sources.web.address import validate_url  # noqa: PLC0415 - not needed for a help text

    fetcher = Fetcher(validate_url(target.url), headers=_headers(target))
    page = _page(target, config, ENGINE, adapters())
    engines.append(page)
    port = _local_port(target)
    if port:
        local.append(lambda: _process_source(page, port))
    return EngineSource(page, fetcher)


def _front_source(
    target: Target, config: Config, engines: list[TargetPage], local: list[Callable[[], Source]]
) -> Source:
    """Page and health of a gateway or an orchestrator, in front of all engines whose name is settled."""
    from perfconsole.sources import gateways, orchestrators  # noqa: PLC0415 - as above
    from perfconsole.sources.health import UNANSWERED_LIMIT_S  # noqa: PLC0415 - as above
    from perfconsole.sources.http import Fetcher, Limits  # noqa: PLC0415 - as above
    from perfconsole.sources.layer import GATEWAY, ORCHESTRATOR  # noqa: PLC0415 - as above
    from perfconsole.sources.service import ServiceSource  # noqa: PLC0415 - as above
    from perfconsole.sources.web.address import validate_url  # noqa: PLC0415 - as above

    def known() -> tuple[Entity, ...]:
        return tuple(page.entity for page in engines if page.settled)

    if _pid(target):
        return _numbered_source(target, config, known)
    layer, table = (GATEWAY, gateways) if target.layer == "gateway" else (ORCHESTRATOR, orchestrators)
    url, headers = validate_url(target.url), _headers(target)
    page = _page(target, config, layer, table.adapters())
    patient = Fetcher(url, headers=headers, limits=Limits(total_s=UNANSWERED_LIMIT_S))
    port = _local_port(target)
    if port:
        local.append(lambda: _service_process_source(page, config, port))
    return ServiceSource(page, patient, Fetcher(url, headers=headers), known)


def _service_process_source(page: TargetPage, config: Config, port: int) -> Source:
    """The processes behind the local port of a gateway or an orchestrator."""
    from perfconsole.sources.serviceprocess import ServiceProcessSource  # noqa: PLC0415 - as above

    name = f"{page.source} processes"
    return ServiceProcessSource(
        name, page.layer, lambda: page.entity, config.dictionary, port=port, host=_host(), page_says=page.says
    )


def _numbered_source(target: Target, config: Config, engines: Callable[[], tuple[Entity, ...]]) -> Source:
    """An orchestrator named by the number of its process, which is all there is to watch."""
    from perfconsole.sources.layer import ORCHESTRATOR  # noqa: PLC0415 - as above
    from perfconsole.sources.serviceprocess import ServiceProcessSource  # noqa: PLC0415 - as above

    pid = _pid(target)
    service = Entity(ORCHESTRATOR.kind, target.name or f"pid-{pid}")
    name = target.name or f"process {pid}"
    return ServiceProcessSource(
        name, ORCHESTRATOR, lambda: service, config.dictionary, pid=pid, host=_host(), engines=engines
    )


def _pid(target: Target) -> int:
    """Number of the process that an orchestrator is named by, 0 for a URL."""
    return int(target.url) if target.layer == "orchestration" and target.url.isdecimal() else 0


def _page(target: Target, config: Config, layer: Layer, adapters: tuple[Adapter, ...]) -> TargetPage:
    from perfconsole.sources.http import redact  # noqa: PLC0415 - as above
    from perfconsole.sources.targetpage import TargetPage  # noqa: PLC0415 - as above
    from perfconsole.sources.web.address import parse_address, validate_url  # noqa: PLC0415 - as above

    url = validate_url(target.url)
    _, host, port = parse_address(url).origin
    shown = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return TargetPage(shown, adapters, config.dictionary, target.name, redact(url), layer)


def _local_port(target: Target) -> int:
    """Port of a target on this host, 0 for one elsewhere."""
    from perfconsole.sources.web.address import parse_address, validate_url  # noqa: PLC0415 - as above

    address = parse_address(validate_url(target.url))
    _, host, port = address.origin
    return port if address.loopback or host == host_name() else 0


def _process_source(page: TargetPage, port: int) -> Source:
    """The processes behind a local port, by the roles and flags of every engine that is known here."""
    from perfconsole.sources.engines import all_roles, flags_of  # noqa: PLC0415 - not needed for a help text
    from perfconsole.sources.process import ProcessSource  # noqa: PLC0415 - as above

    name = f"{page.source} processes"
    return ProcessSource(name, port, lambda: page.entity, all_roles(), flags_of, host=_host())


def _headers(target: Target) -> dict[str, str]:
    if not target.token_env:
        return {}
    from perfconsole.sources.web.address import redact  # noqa: PLC0415 - not needed for a help text

    where = f"token_env of {redact(target.url)}"
    if not re.fullmatch(r"[A-Za-z_]\w*", target.token_env):
        raise UsageError(f"{where} must be the name of a variable that holds the key, not the key itself")
    token = os.environ.get(target.token_env)
    if not token:  # what stands there is not repeated: it may be the key after all
        raise UsageError(f"the variable that {where} names is not set; export it")
    return {"Authorization": f"Bearer {token}"}
