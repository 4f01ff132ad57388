"""Readers of configuration files by the name that an adapter gives. Each finds its files and bounds what it reads."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.apisixconf import read_apisix
from perfconsole.sources.discovery.commandline import value_of, values_of
from perfconsole.sources.discovery.configtree import load_tree
from perfconsole.sources.discovery.configuration import Configuration, of_servers
from perfconsole.sources.discovery.envoyconf import read_envoy
from perfconsole.sources.discovery.haproxyconf import read_haproxy
from perfconsole.sources.discovery.kongconf import read_kong, read_kong_settings
from perfconsole.sources.discovery.nginxconf import read_servers
from perfconsole.sources.discovery.traefikconf import from_flags, load_file, provided, read_traefik
from perfconsole.sources.discovery.yamlconf import litellm_upstreams, port_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.discovery.configfile import ProcessFiles
    from perfconsole.sources.discovery.known import Known

    Reader = Callable[[Known, ProcessFiles], Configuration]

_UNREAD = Configuration(remark="its configuration cannot be read")
_NOTHING = Configuration()


def read_configuration(known: Known, files: ProcessFiles) -> Configuration:
    """What the files of a program say; nothing for an adapter that names no reader."""
    reader = READERS.get(known.kind.adapter.config)
    return reader(known, files) if reader else _NOTHING


def _flagged(known: Known) -> str:
    """The file that the command line names; one that is to be fetched from somewhere counts as none."""
    path = value_of(known.argv, known.kind.adapter.config_flags)
    return "" if path.startswith(("http:", "https:")) else path


def _first(known: Known, files: ProcessFiles, folder: str = "", within: tuple[str, ...] = ()) -> tuple[str, str | None]:
    """Path and text of the file named by a flag, else of the first of the usual ones; None where none can be read.

    `folder` is what the named one is relative to; `within` are usual places below the prefix (`-p`) that it was given.
    """
    given = _flagged(known)
    if given:
        return _readable((os.path.join(folder, given),), files)  # noqa: PTH118 - a path below another root
    return _readable((*_prefixed(known, within), *known.kind.adapter.config_files), files)


def _prefixed(known: Known, within: tuple[str, ...]) -> list[str]:
    prefix = value_of(known.argv, ("-p",))
    return [os.path.join(prefix, each) for each in within] if prefix else []  # noqa: PTH118 - as above


def _readable(paths: Iterable[str], files: ProcessFiles) -> tuple[str, str | None]:
    return next(((path, text) for path in paths if (text := files.read(path)) is not None), ("", None))


def _port(known: Known, files: ProcessFiles) -> Configuration:
    """A YAML file with `port` at its top."""
    _, text = _first(known, files)
    return Configuration(port=port_in(text)) if text is not None else _NOTHING


def _litellm(known: Known, files: ProcessFiles) -> Configuration:
    path, text = _first(known, files)
    if not path and not _flagged(known):
        return _NOTHING
    urls = litellm_upstreams(text) if text is not None else None
    return (
        Configuration(remark="its configuration file cannot be read") if urls is None else Configuration(upstreams=urls)
    )


def _nginx(known: Known, files: ProcessFiles) -> Configuration:
    prefix = value_of(known.argv, ("-p",))
    path, text = _first(known, files, prefix or next(iter(_folders(known.kind.adapter)), "/"), ("conf/nginx.conf",))
    if text is None:
        return _UNREAD
    return of_servers(read_servers(text, files.including(os.path.dirname(path))))  # noqa: PTH120 - as above


def _folders(adapter: Adapter) -> Iterator[str]:
    return (os.path.dirname(path) for path in adapter.config_files)  # noqa: PTH120 - as above


def _haproxy(known: Known, files: ProcessFiles) -> Configuration:
    """Any number of files and folders, in their order."""
    given = values_of(known.argv, known.kind.adapter.config_flags) or known.kind.adapter.config_files
    folder = value_of(known.argv, ("-C",))
    paths = [os.path.join(folder, each) for each in given]  # noqa: PTH118 - below another root
    texts = [text for path in paths for text in _texts(path, files)]
    return read_haproxy(texts) if texts else _UNREAD


def _texts(path: str, files: ProcessFiles) -> Iterator[str]:
    text = files.read(path)
    if text is not None:
        yield text
    else:
        yield from files.including(path)("*.cfg")


def _envoy(known: Known, files: ProcessFiles) -> Configuration:
    """A file, and what the command line itself carries."""
    _, text = _first(known, files)
    texts = [text, value_of(known.argv, ("--config-yaml",))]
    trees = [tree for each in texts if each and (tree := load_tree(each)) is not None]
    return read_envoy(trees) if trees else _UNREAD


def _traefik(known: Known, files: ProcessFiles) -> Configuration:
    """Flags or a file, and the files of services that they name."""
    path, text = _first(known, files)
    static = [from_flags(known.argv), (load_file(path, text) if text is not None else None) or {}]
    if not any(static):
        return _UNREAD
    named, folders = provided(static)
    dynamic = [load_file(each, text) for each in named if (text := files.read(each)) is not None]
    for folder in folders:
        for ending in ("yml", "yaml", "toml"):
            dynamic += [load_file(f"x.{ending}", each) for each in files.including(folder)(f"*.{ending}")]
    return read_traefik(static, dynamic)


def _kong(known: Known, files: ProcessFiles) -> Configuration:
    """What it was started with stands in its prefix, variables of the environment among it."""
    _, text = _readable((*_prefixed(known, (".kong_env",)), *known.kind.adapter.config_files), files)
    if text is None:
        return _UNREAD
    settings = read_kong_settings(text)
    declared = settings.get("declarative_config", "")
    return read_kong(settings, (files.read(declared) if declared else None) or "")


def _apisix(known: Known, files: ProcessFiles) -> Configuration:
    """Its routes stand beside its settings where it runs without a database."""
    path, text = _readable((*_prefixed(known, ("conf/config.yaml",)), *known.kind.adapter.config_files), files)
    routes = files.read(os.path.join(os.path.dirname(path), "apisix.yaml")) if path else None  # noqa: PTH118, PTH120
    found = read_apisix(text, routes or "") if text is not None else None
    return found if found is not None else _UNREAD


READERS: Mapping[str, Reader] = {
    "port": _port,
    "litellm": _litellm,
    "nginx": _nginx,
    "haproxy": _haproxy,
    "envoy": _envoy,
    "traefik": _traefik,
    "kong": _kong,
    "apisix": _apisix,
}
"""What `Adapter.config` may be."""
