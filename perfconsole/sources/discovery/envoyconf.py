"""What the bootstrap of an Envoy says: its admin page, listeners, clusters and their endpoints. Pure.

What comes to it while it runs (xDS) is in no file. A listener whose routes come that way leads to any of its clusters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.discovery.configtree import at, below, list_at, text_at
from perfconsole.sources.discovery.configuration import Configuration, of_servers
from perfconsole.sources.discovery.proxyserver import ProxyServer, page_server, place_at, server_url, serves_models
from perfconsole.sources.discovery.weblink import base_urls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PAGE = "/stats/prometheus"
_MOST_LISTENERS = 64
_MOST_CLUSTERS = 512
"""Each is walked through, and aliases make many of little text."""
_MATCHES = frozenset({"prefix", "path", "path_separated_prefix", "safe_regex", "regex"})
_ROUTES = frozenset({"cluster", "weighted_clusters", "weightedClusters"})


def read_envoy(documents: Iterable[object]) -> Configuration:
    """Doors and clusters of the documents together; what makes no sense is left out."""
    trees = [each for each in documents if isinstance(each, dict)]
    every = [each for tree in trees for each in list_at(tree, "static_resources", "clusters")][:_MOST_CLUSTERS]
    clusters = [(name, _endpoints(each)) for each in every if (name := text_at(each, "name"))]
    listeners = [each for tree in trees for each in list_at(tree, "static_resources", "listeners")][:_MOST_LISTENERS]
    doors = [door for each in listeners if (door := _door(each, dict(clusters))) is not None]
    pages = [page for tree in trees if (page := _admin(tree)) is not None]
    return of_servers((*doors, *pages), ((name, url) for name, urls in clusters for url in urls))


def _endpoints(cluster: object) -> tuple[str, ...]:
    """Base URLs of the members of a cluster."""
    tls = _has_tls(cluster)
    assigned = at(cluster, "load_assignment")
    sockets = [
        value for key, value in below(assigned or at(cluster, "hosts")) if key in ("socket_address", "socketAddress")
    ]
    return base_urls(server_url(at(each, "address"), at(each, "port_value"), tls=tls) for each in sockets)


def _has_tls(tree: object) -> bool:
    """Whether a transport of its own carries it, which is TLS but for rare exceptions that say so."""
    if at(tree, "tls_context") is not None:
        return True
    name = text_at(tree, "transport_socket", "name")
    return "tls" in name or "tls" in text_at(tree, "transport_socket", "typed_config", "@type").lower()


def _place(address: object) -> tuple[str, int] | None:
    socket = at(address, "socket_address")
    return place_at(at(socket, "address"), at(socket, "port_value"))


def _admin(tree: object) -> ProxyServer | None:
    place = _place(at(tree, "admin", "address"))
    return page_server(*place, _PAGE) if place else None


def _door(listener: object, clusters: dict[str, tuple[str, ...]]) -> ProxyServer | None:
    place = _place(at(listener, "address"))
    if place is None:
        return None
    chains = [*list_at(listener, "filter_chains"), *list_at(listener, "default_filter_chain")]
    named = [name for name in _clusters_in(chains) if name in clusters]
    told = named or (clusters if _routes_later(chains) else ())
    urls = base_urls(url for name in told for url in clusters[name])
    tls = any(_has_tls(chain) for chain in chains)
    return ProxyServer(*place, tls, urls, "", serves_models(_matches(chains)))


def _clusters_in(chains: list[object]) -> Iterator[str]:
    """Names of clusters that routes and filters lead to."""
    for key, value in below(chains):
        if key == "cluster" and isinstance(value, str):
            yield value
        elif key in _ROUTES:
            yield from (name for each in list_at(value, "clusters") if (name := text_at(each, "name")))


def _routes_later(chains: list[object]) -> bool:
    return any(key in ("rds", "scoped_routes", "scopedRoutes", "cluster_header") for key, _ in below(chains))


def _matches(chains: list[object]) -> list[str]:
    return [value for key, value in below(chains) if key in _MATCHES and isinstance(value, str)]
