"""From a configuration to the sources that are polled. Heavy imports wait for the thread of each source."""

from __future__ import annotations

import os
import platform
import re
from typing import TYPE_CHECKING

from perfconsole.errors import UsageError
from perfconsole.model.entity import Entity, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.config import Config, Target
    from perfconsole.monitor import Source
    from perfconsole.sources.enginepage import EnginePage


def host_name() -> str:
    """Name of this host, as entities carry it."""
    return platform.node() or "localhost"


def build_sources(config: Config) -> list[Source]:
    """The host, and for each engine its pages and its processes; UsageError for a URL or key that cannot be used."""
    from perfconsole.sources.host import HostSource  # noqa: PLC0415 - not needed for a help text

    sources: list[Source] = [HostSource()]
    for target in config.targets:
        sources.extend(_engine_sources(target, config))
    _refuse_aliases(config.targets)
    names = [s.name for s in sources]
    doubled = next((n for n in names if names.count(n) > 1), None)
    if doubled:
        raise UsageError(f"{doubled} is named twice; name each target once")
    return sources


def _refuse_aliases(targets: Iterable[Target]) -> None:
    """UsageError for 127.0.0.1:8000 beside localhost:8000: both would fill one engine."""
    from perfconsole.sources.web.address import parse_address  # noqa: PLC0415 - not needed for a help text

    seen: dict[int, str] = {}
    for address in (parse_address(t.url) for t in targets if not t.name):
        port = address.origin[2]
        if address.loopback and seen.setdefault(port, address.shown) != address.shown:
            raise UsageError(f"{seen[port]} and {address.shown} are one engine; name each target once")


def _engine_sources(target: Target, config: Config) -> list[Source]:
    from perfconsole.sources.engine import EngineSource  # noqa: PLC0415 - as above
    from perfconsole.sources.enginepage import EnginePage  # noqa: PLC0415 - as above
    from perfconsole.sources.engines import adapters  # noqa: PLC0415 - as above
    from perfconsole.sources.http import Fetcher, redact  # noqa: PLC0415 - as above
    from perfconsole.sources.web.address import parse_address, validate_url  # noqa: PLC0415 - not needed for a help text

    url = validate_url(target.url)
    fetcher = Fetcher(url, headers=_headers(target))
    _, host, port = parse_address(url).origin
    shown = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    page = EnginePage(shown, adapters(), config.dictionary, target.name, redact(url))
    sources: list[Source] = [EngineSource(page, fetcher)]
    if parse_address(url).loopback or host == host_name():
        sources.append(_process_source(page, port))
    return sources


def _process_source(page: EnginePage, port: int) -> Source:
    """The processes behind a local port, by the roles and flags of every engine that is known here."""
    from perfconsole.sources.engines import all_roles, flags_of  # noqa: PLC0415 - not needed for a help text
    from perfconsole.sources.process import ProcessSource  # noqa: PLC0415 - as above

    host = Entity(Kind.HOST, host_name())
    name = f"{page.source} processes"
    return ProcessSource(name, port, lambda: page.entity, all_roles(), flags_of, host=host)


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
