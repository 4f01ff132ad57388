"""What a known program was told about ports and upstreams: by its command line and the files named there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.commandline import port_of, values_of
from perfconsole.sources.discovery.configfile import ProcessFiles
from perfconsole.sources.discovery.found import words_of
from perfconsole.sources.discovery.readers import read_configuration
from perfconsole.sources.discovery.weblink import base_urls

if TYPE_CHECKING:
    from perfconsole.sources.discovery.configuration import Named
    from perfconsole.sources.discovery.known import Known
    from perfconsole.sources.discovery.proxyserver import ProxyServer

_AGAIN_S = 60.0
"""Between two readings of the files of one process: whoever runs it may change them."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Ports are 0 and texts empty where nothing says them."""

    port: int = 0
    page_port: int = 0
    upstreams: tuple[str, ...] = ()
    servers: tuple[ProxyServer, ...] = ()
    """Doors of a proxy."""
    remark: str = ""
    """What could not be read, as a clause."""
    named: Named = ()
    """Upstreams by the names that its page gives them."""


def by_flags(known: Known) -> Settings:
    """What the command line alone says."""
    adapter = known.kind.adapter
    return Settings(
        port_of(known.argv, adapter.port_flags),
        port_of(known.argv, adapter.page_flags) or adapter.page_port,
        base_urls(values_of(known.argv, adapter.upstream_flags)),
    )


def read_settings(base: str, known: Known) -> Settings:
    """What command line and files say; the command line holds over the files."""
    stated, files = by_flags(known), read_configuration(known, ProcessFiles(base, known.pid))
    return Settings(
        stated.port or files.port,
        stated.page_port,
        tuple(dict.fromkeys((*stated.upstreams, *files.upstreams))),
        files.servers,
        files.remark,
        files.named,
    )


class SettingsShelf:
    """Settings of the programs that run, read anew now and then. Only one thread calls it."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._read: dict[tuple[int, int, tuple[str, ...]], tuple[float, Settings]] = {}

    def look(self, known: tuple[Known, ...], now: float) -> dict[int, Settings]:
        """Settings by first process."""
        there = {}
        for each in known:
            key = (each.pid, each.start_ticks, each.argv)
            at, settings = self._read.get(key, (float("-inf"), Settings()))
            there[key] = (at, settings) if now - at < _AGAIN_S else (now, self._guarded(each))
        self._read = there
        return {key[0]: settings for key, (_, settings) in there.items()}

    def _guarded(self, known: Known) -> Settings:
        try:
            return read_settings(self._base, known)
        except Exception as error:  # noqa: BLE001 - an odd file of one program must not hide the others
            return Settings(remark=f"its configuration cannot be read ({words_of(error)})")
