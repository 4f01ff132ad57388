"""What an APISIX says in `config.yaml` and in its standalone `apisix.yaml`: doors, its page, upstreams. Pure.

With etcd its routes are in no file. Keys of its admin interface stand beside what is read here: nothing else is kept.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.configtree import at, list_at, load_tree, text_at
from perfconsole.sources.discovery.configuration import Configuration, of_servers
from perfconsole.sources.discovery.proxyserver import ProxyServer, page_server, place_at, server_url, serves_models
from perfconsole.sources.discovery.weblink import base_url, base_urls

if TYPE_CHECKING:
    from collections.abc import Iterator

_PAGE = "/apisix/prometheus/metrics"
_PAGE_PORT = 9091
_PORT = 9080
_MOST_UPSTREAMS = 512
_MOST_NODES = 64


def read_apisix(text: str, routes: str) -> Configuration | None:
    """Doors, the page and what the routes lead to; None where the first text is no YAML."""
    tree = load_tree(text)
    if tree is None:
        return None
    routing = load_tree(routes) or {}
    upstreams = list(islice(_upstreams(routing), _MOST_UPSTREAMS))
    urls = base_urls(url for each in upstreams for url in _nodes(each))
    models = serves_models(uri for each in list_at(routing, "routes") for uri in _uris(each))
    listens = list_at(tree, "apisix", "node_listen") or [_PORT]
    places = [place for each in listens if (place := _listen(each)) is not None]
    doors = [ProxyServer(*place, False, urls, "", models) for place in places]  # noqa: FBT003 - without TLS
    page = _page(tree, places)
    named = ((text_at(each, "id"), url) for each in upstreams for url in _nodes(each))
    return of_servers((*doors, *([page] if page else [])), named)


def _listen(entry: object) -> tuple[str, int] | None:
    """A port, or a mapping with port and address."""
    return place_at(text_at(entry, "ip"), at(entry, "port") if isinstance(entry, dict) else entry)


def _page(tree: object, places: list[tuple[str, int]]) -> ProxyServer | None:
    """At the exporter's own address, or at the port of requests where that server is switched off."""
    told = at(tree, "plugin_attr", "prometheus")
    path = text_at(told, "export_uri") or _PAGE
    if at(told, "enable_export_server") is False:
        return page_server(*places[0], path) if places else None
    address = at(told, "export_addr")
    place = place_at(text_at(address, "ip") or "127.0.0.1", at(address, "port") or _PAGE_PORT)
    return page_server(*place, path) if place and path.startswith("/") else None


def _upstreams(routing: object) -> Iterator[object]:
    """Those of their own, and those within routes and services."""
    yield from list_at(routing, "upstreams")
    for kind in ("routes", "services"):
        yield from (found for each in list_at(routing, kind) if (found := at(each, "upstream")) is not None)


def _nodes(upstream: object) -> Iterator[str]:
    """Base URLs of the nodes: a mapping of `host:port` to weights, or a list of host and port."""
    scheme = "https" if text_at(upstream, "scheme") == "https" else "http"
    nodes = at(upstream, "nodes")
    if isinstance(nodes, dict):
        yield from (base_url(f"{scheme}://{node}") for node in islice(nodes, _MOST_NODES) if isinstance(node, str))
    elif isinstance(nodes, list):
        yield from (
            server_url(at(each, "host"), at(each, "port"), tls=scheme == "https") for each in nodes[:_MOST_NODES]
        )


def _uris(route: object) -> list[str]:
    return [each for key in ("uri", "uris") for each in list_at(route, key) if isinstance(each, str)]
