"""What a configuration file comes to, of whatever format. Must never hold more than ports, URLs and names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.sources.discovery.proxyserver import ProxyServer

Named = tuple[tuple[str, str], ...]
"""Upstreams by the name that a page gives them: the name and a base URL."""
_MAX_NAMES = 256
_MAX_LENGTH = 128


@dataclass(frozen=True, slots=True)
class Configuration:
    """Ports are 0 and tuples empty where nothing says them."""

    port: int = 0
    upstreams: tuple[str, ...] = ()
    servers: tuple[ProxyServer, ...] = ()
    """Doors of a proxy."""
    named: Named = ()
    remark: str = ""
    """What could not be read, as a clause."""


def of_servers(servers: Iterable[ProxyServer], named: Iterable[tuple[str, str]] = ()) -> Configuration:
    """The configuration of a proxy, from its doors and the names of what is behind them."""
    doors = tuple(servers)
    upstreams = dict.fromkeys(url for door in doors for url in door.upstreams)
    return Configuration(upstreams=tuple(upstreams), servers=doors, named=certain(named))


def certain(named: Iterable[tuple[str, str]]) -> Named:
    """The names that mean one place only, and that may be kept: short ones of printable characters."""
    places: dict[str, set[str]] = {}
    for name, url in named:
        if url and name.isprintable() and 0 < len(name) <= _MAX_LENGTH:
            places.setdefault(name, set()).add(url)
    return tuple((name, next(iter(urls))) for name, urls in places.items() if len(urls) == 1)[:_MAX_NAMES]
