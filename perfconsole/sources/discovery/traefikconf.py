"""What a Traefik says in flags and files: entry points, its page, routers and the servers of services. Pure.

What its other providers (Docker, Kubernetes) tell it while it runs is in no file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfconsole.sources.discovery.configtree import at, list_at, load_toml, load_tree, table_at, text_at
from perfconsole.sources.discovery.configuration import Configuration, of_servers
from perfconsole.sources.discovery.proxyserver import ProxyServer, bound, page_server, serves_models
from perfconsole.sources.discovery.weblink import base_url, base_urls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PAGE = "/metrics"
_OWN = "traefik"
"""Entry point of its dashboard and of its page, made by itself at this port when a setting needs it."""
_OWN_PORT = 8080
_DEFAULT = {"http": {"address": ":80"}}
_TREES = ("entrypoints", "metrics", "providers")
_MAX_STEPS = 6
_MOST = 64
"""Entry points, and servers of one service, that are looked at."""
_MOST_SERVICES = 512


def load_file(path: str, text: str) -> dict[Any, Any] | None:
    """The tree of a file by the ending of its name; None for what cannot be read."""
    return load_toml(text) if path.endswith(".toml") else load_tree(text)


def from_flags(argv: Iterable[str]) -> dict[str, Any]:
    """The tree that flags write: `--entryPoints.web.address=:80`; a bare flag is true. Others than these are left."""
    tree: dict[str, Any] = {}
    for word in argv:
        name, equals, value = word.lstrip("-").partition("=")
        steps = name.lower().split(".")
        if not word.startswith("-") or steps[0] not in _TREES or len(steps) > _MAX_STEPS:
            continue
        here = tree
        for step in steps[:-1]:
            inner = here.get(step)
            here[step] = here = inner if isinstance(inner, dict) else {}
        here.setdefault(steps[-1], value if equals else "true")
    return tree


def provided(static: Iterable[object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Files and folders that the file provider reads."""
    trees = list(static)
    files, folders = (
        tuple(text for tree in trees if (text := text_at(tree, "providers", "file", key)))
        for key in ("filename", "directory")
    )
    return files, folders


def read_traefik(static: Iterable[object], dynamic: Iterable[object]) -> Configuration:
    """Doors and services; what makes no sense is left out."""
    trees, files = list(static), list(dynamic)
    entries = {name.lower(): each for tree in trees for name, each in table_at(tree, "entrypoints").items()} or _DEFAULT
    every = [pair for tree in files for pair in table_at(tree, "http", "services").items()]
    services = {name: _servers(each)[:_MOST] for name, each in every[:_MOST_SERVICES]}
    resolved = {name: _resolved(name, services) for name in services}
    routers = [each for tree in files for each in table_at(tree, "http", "routers").values()]
    doors = [door for name in list(entries)[:_MOST] if (door := _door(name, entries, routers, resolved)) is not None]
    page = _page(trees, entries)
    names = ((f"{name}@file", url) for name, urls in resolved.items() for url in urls)
    return of_servers((*doors, *([page] if page else [])), names)


def _servers(service: object) -> list[str]:
    """URLs of the servers of a service, and names of services that it hands on to."""
    urls = [text_at(each, "url") for each in list_at(service, "loadbalancer", "servers")[:_MOST]]
    parts = [*list_at(service, "weighted", "services")[:_MOST], at(service, "mirroring"), at(service, "failover")]
    others = [name for each in parts for key in ("name", "service", "fallback") if (name := text_at(each, key))]
    return [*urls, *others]


def _resolved(name: str, services: Mapping[str, list[str]]) -> tuple[str, ...]:
    """Base URLs behind a service, and behind those that it hands on to: each once, so that a circle ends."""
    line, urls = [name], dict[str, None]()
    for each in line:
        parts = services.get(each.partition("@")[0], ())
        urls.update((url, None) for part in parts if (url := base_url(part)))
        room = _MOST - len(line)
        line += [part for part in dict.fromkeys(parts) if "://" not in part and part not in line][:room]
    return tuple(urls)[:_MOST]


def _door(
    name: str, entries: Mapping[str, object], routers: list[object], services: Mapping[str, tuple[str, ...]]
) -> ProxyServer | None:
    place = _address(entries[name])
    if place is None:
        return None
    mine = [each for each in routers if _takes(each, name)]
    targets = [text_at(each, "service").partition("@")[0] for each in mine]
    urls = base_urls(url for target in targets for url in services.get(target, ()))
    tls = at(entries[name], "http", "tls") is not None or any(at(each, "tls") is not None for each in mine)
    return ProxyServer(*place, tls, urls, "", serves_models(text_at(each, "rule") for each in mine))


def _takes(router: object, entry: str) -> bool:
    """Whether a router hears an entry point: those that it names, or all but the own one of Traefik."""
    named = [each.lower() for each in list_at(router, "entrypoints") if isinstance(each, str)]
    return entry in named if named else entry != _OWN


def _address(entry: object) -> tuple[str, int] | None:
    text, _, kind = text_at(entry, "address").partition("/")
    return bound(text) if kind != "udp" else None


def _page(trees: list[object], entries: Mapping[str, object]) -> ProxyServer | None:
    """Its page of metrics, if there is one."""
    told = next((found for tree in trees if (found := at(tree, "metrics", "prometheus")) not in (None, "false")), None)
    if told is None:
        return None
    name = text_at(told, "entrypoint").lower() or _OWN
    place = _address(entries[name]) if name in entries else ("127.0.0.1", _OWN_PORT) if name == _OWN else None
    return page_server(*place, _PAGE) if place else None
