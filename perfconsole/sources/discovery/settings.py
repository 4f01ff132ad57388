"""What a known program was told about ports and upstreams: by its command line and the files named there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.commandline import port_of, value_of, values_of
from perfconsole.sources.discovery.configfile import ProcessFiles
from perfconsole.sources.discovery.found import words_of
from perfconsole.sources.discovery.nginxconf import ProxyServer, read_servers
from perfconsole.sources.discovery.weblink import base_urls
from perfconsole.sources.discovery.yamlconf import litellm_upstreams, port_in

if TYPE_CHECKING:
    from perfconsole.sources.discovery.known import Known

_AGAIN_S = 60.0
"""Between two readings of the files of one process: whoever runs it may change them."""
_CONFIG_FLAGS = ("--config", "-c")
_NGINX_CONFS = tuple(
    f"{folder}/nginx.conf" for folder in ("/etc/nginx", "/usr/local/nginx/conf", "/usr/local/openresty/nginx/conf")
)
"""Where packages, builds by hand and OpenResty have it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Ports are 0 and texts empty where nothing says them."""

    port: int = 0
    page_port: int = 0
    upstreams: tuple[str, ...] = ()
    servers: tuple[ProxyServer, ...] = ()
    """Web servers of an nginx."""
    remark: str = ""
    """What could not be read, as a clause."""


def by_flags(known: Known) -> Settings:
    """What the command line alone says."""
    adapter = known.kind.adapter
    return Settings(
        port_of(known.argv, adapter.port_flags),
        port_of(known.argv, adapter.page_flags) or adapter.page_port,
        base_urls(values_of(known.argv, adapter.upstream_flags)),
    )


def read_settings(base: str, known: Known) -> Settings:
    """What command line and files say."""
    stated = by_flags(known)
    files = ProcessFiles(base, known.pid)
    if known.kind.adapter.name == "nginx":
        return _nginx(files, known)
    path = value_of(known.argv, _CONFIG_FLAGS)
    if not path or path.startswith(("http:", "https:")):
        return stated
    text = files.read(path)
    if known.kind.layer == "engine":
        port = stated.port or (port_in(text) if text is not None else 0)
        return Settings(port, stated.page_port, stated.upstreams)
    found = litellm_upstreams(text) if text is not None else None
    if found is None:
        return Settings(stated.port, stated.page_port, stated.upstreams, remark="its configuration file cannot be read")
    return Settings(stated.port, stated.page_port, tuple(dict.fromkeys((*stated.upstreams, *found))))


def _nginx(files: ProcessFiles, known: Known) -> Settings:
    given = value_of(known.argv, ("-c",))
    paths = (os.path.join(value_of(known.argv, ("-p",)) or "/etc/nginx", given),) if given else _NGINX_CONFS  # noqa: PTH118 - a path below another root
    path, text = next(((path, text) for path in paths if (text := files.read(path)) is not None), ("", None))
    if text is None:
        return Settings(remark="its configuration cannot be read")
    servers = read_servers(text, files.including(os.path.dirname(path)))  # noqa: PTH120 - as above
    return Settings(upstreams=tuple(dict.fromkeys(url for s in servers for url in s.upstreams)), servers=servers)


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
