"""What a Kong says in `kong.conf` or in the `.kong_env` of its prefix: listeners, its page, declared services. Pure.

Of hundreds of settings only four are looked at: others are passwords of its database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.discovery.configtree import at, list_at, load_tree, text_at
from perfconsole.sources.discovery.configuration import Configuration, of_servers
from perfconsole.sources.discovery.proxyserver import ProxyServer, bound, page_server, server_url, serves_models
from perfconsole.sources.discovery.weblink import base_url, base_urls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PAGE = "/metrics"
_STANDARD = {"http": 80, "https": 443}
_DEFAULTS = {"proxy_listen": "0.0.0.0:8000", "status_listen": "127.0.0.1:8007", "admin_listen": "127.0.0.1:8001"}
"""Up to 2.x the status listener is off by default: then nothing listens there, and the page is that of the admin."""
_MOST_SERVICES = 512
_MOST_TARGETS = 64
_KEYS = frozenset({"proxy_listen", "status_listen", "admin_listen", "declarative_config"})


def read_kong_settings(text: str) -> dict[str, str]:
    """The settings that matter here, by name; comments and all others are left out."""
    found = {}
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if equals and name.strip() in _KEYS:
            found[name.strip()] = value.partition(" #")[0].strip()
    return found


def read_kong(settings: Mapping[str, str], declared: str) -> Configuration:
    """Doors, the page at the status or the admin listener, and the services of a declarative file."""
    tree = load_tree(declared) or {}
    services = list_at(tree, "services")[:_MOST_SERVICES]
    pools = {name: list_at(each, "targets") for each in list_at(tree, "upstreams") if (name := text_at(each, "name"))}
    urls = base_urls(url for each in services for url in _targets(each, pools))
    told = {**_DEFAULTS, **settings}
    models = serves_models(path for each in services for path in _paths(each))
    doors = [
        ProxyServer(host, port, tls, urls, "", models) for host, port, tls in _listeners(told.get("proxy_listen", ""))
    ]
    pages = [*_listeners(told.get("status_listen", "")), *_listeners(told.get("admin_listen", ""))]
    status = [page_server(host, port, _PAGE, tls=tls) for host, port, tls in pages]
    named = ((text_at(each, "name"), url) for each in services for url in _targets(each, pools))
    return of_servers((*doors, *status), named)


def _listeners(text: str) -> Iterator[tuple[str, int, bool]]:
    """`0.0.0.0:8000 reuseport backlog=16384, 0.0.0.0:8443 http2 ssl`; `off` has none."""
    for each in text.split(","):
        words = each.split()
        place = bound(words[0]) if words else None
        if place is not None:
            yield (*place, "ssl" in words[1:])


def _targets(service: object, pools: Mapping[str, list[object]]) -> Iterator[str]:
    """Base URLs of a service: those of the pool that its host names, or its own."""
    url, scheme = text_at(service, "url"), text_at(service, "protocol") or "http"
    own = base_url(url) or server_url(at(service, "host"), at(service, "port") or _STANDARD.get(scheme, 80))
    host = own.partition("://")[2].partition(":")[0]
    members = [text_at(target, "target") for target in pools.get(host, [])[:_MOST_TARGETS]]
    yield from (base_url(f"http://{each if ':' in each else f'{each}:8000'}") for each in members if each)
    if own and not members:
        yield own


def _paths(service: object) -> Iterator[str]:
    for route in list_at(service, "routes"):
        yield from (path for path in list_at(route, "paths") if isinstance(path, str))
