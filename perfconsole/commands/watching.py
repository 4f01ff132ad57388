"""From a configuration to the sources that are polled. Heavy imports wait for the thread of each source."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING

from perfconsole.errors import UsageError

if TYPE_CHECKING:
    from perfconsole.config import Config, Target
    from perfconsole.monitor import Source


def host_name() -> str:
    """Name of this host, as entities carry it."""
    return platform.node() or "localhost"


def build_sources(config: Config) -> list[Source]:
    """The host, and for each engine its pages and its processes; UsageError for a URL or key that cannot be used."""
    from perfconsole.sources.host import HostSource  # noqa: PLC0415 - not needed for a help text

    sources: list[Source] = [HostSource()]
    for target in config.targets:
        sources.extend(_engine_sources(target, config))
    names = [s.name for s in sources]
    doubled = next((n for n in names if names.count(n) > 1), None)
    if doubled:
        raise UsageError(f"{doubled} is named twice; name each target once")
    return sources


def _engine_sources(target: Target, config: Config) -> list[Source]:
    from perfconsole.sources.engine import EngineSource  # noqa: PLC0415 - as above
    from perfconsole.sources.enginepage import EnginePage  # noqa: PLC0415 - as above
    from perfconsole.sources.engines import adapters  # noqa: PLC0415 - as above
    from perfconsole.sources.http import Fetcher, validate_url  # noqa: PLC0415 - as above

    url = validate_url(target.url)
    fetcher = Fetcher(url, headers=_headers(target))
    page = EnginePage(url.partition("://")[2], adapters(), config.dictionary, target.name)
    return [EngineSource(page, fetcher)]


def _headers(target: Target) -> dict[str, str]:
    if not target.token_env:
        return {}
    token = os.environ.get(target.token_env)
    if not token:
        raise UsageError(f"the variable {target.token_env} (token_env of {target.url}) is not set; export it")
    return {"Authorization": f"Bearer {token}"}
