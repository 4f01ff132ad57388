"""Bootstraps of Envoy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.discovery.configtree import load_tree
from perfconsole.sources.discovery.envoyconf import read_envoy
from perfconsole.sources.discovery.proxyserver import ProxyServer, page_server
from perfconsole.sources.discovery.weblink import base_url

if TYPE_CHECKING:
    from perfconsole.sources.discovery.configuration import Configuration

LAB = """
admin: {address: {socket_address: {address: 127.0.0.1, port_value: 9901}}}
static_resources:
  listeners:
  - name: llm
    address: {socket_address: {address: 0.0.0.0, port_value: 8080}}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              routes: [ROUTES]
  clusters:
  - name: engines
    load_assignment:
      cluster_name: engines
      endpoints:
      - lb_endpoints:
        - endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: 8000}}}
        - endpoint: {address: {socket_address: {address: 10.0.0.7, port_value: 8001}}}
  - name: spare
    transport_socket:
      name: envoy.transport_sockets.tls
    load_assignment:
      endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: h, port_value: 1}}}}]}]
"""
BOTH = ("http://127.0.0.1:8000", "http://10.0.0.7:8001")


def read(routes: str) -> Configuration:
    """The bootstrap with these routes, and the same as JSON with the other spelling of its keys."""
    tree = load_tree(LAB.replace("ROUTES", routes))
    assert tree is not None
    camel = json.dumps(tree).replace("socket_address", "socketAddress").replace("port_value", "portValue")
    found = read_envoy([tree])
    assert read_envoy([load_tree(camel)]) == found
    return found


def test_a_listener_leads_to_the_cluster_of_its_route_and_the_admin_port_has_the_page() -> None:
    """A cluster with one endpoint is that endpoint by its name."""
    found = read('{match: {prefix: "/v1/"}, route: {cluster: engines}}')
    door = ProxyServer("127.0.0.1", 8080, tls=False, upstreams=BOTH, status_path="", serves_models=True)
    assert found.servers == (door, page_server("127.0.0.1", 9901, "/stats/prometheus"))
    assert (found.upstreams, found.named) == (BOTH, (("spare", "https://h:1"),))


def test_weights_name_clusters_too() -> None:
    """One that is not in the file is not known."""
    found = read("{route: {weighted_clusters: {clusters: [{name: spare, weight: 1}, {name: other, weight: 1}]}}}")
    assert found.upstreams == ("https://h:1",)


def test_a_listener_that_learns_its_routes_later_leads_to_any_cluster() -> None:
    """One that has no routes at all to none."""
    later = LAB.replace("route_config", "rds: {}\n          other")
    assert read_envoy([load_tree(later)]).upstreams == (*BOTH, "https://h:1")
    assert read("").upstreams == ()


def test_what_is_on_the_command_line_is_added() -> None:
    """As its own option does."""
    found = read_envoy([load_tree(LAB), load_tree("admin: {}\nstatic_resources: {clusters: [{name: x}]}")])
    assert len(found.servers) == 2


def test_a_door_with_tls() -> None:
    """By the transport of its filter chain."""
    text = LAB.replace("- filters:", "- transport_socket: {name: envoy.transport_sockets.tls}\n      filters:")
    assert [door.tls for door in read_envoy([load_tree(text)]).servers] == [True, False]


NAMES = (
    "static_resources listeners clusters address socket_address port_value name load_assignment endpoints cluster "
    "admin filter_chains rds weighted_clusters transport_socket prefix hosts"
)
KEYS = st.sampled_from(NAMES.split())
TREES = st.recursive(
    st.none() | st.integers() | st.text(max_size=6) | st.sampled_from(["a", "127.0.0.1", "u:p@h"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(TREES)
def test_no_tree_makes_it_raise_or_keep_more_than_places(tree: object) -> None:
    """Whatever stands there."""
    found = read_envoy([tree])
    assert all(base_url(url) == url for url in found.upstreams)
