"""Discovery as a whole, on fake hosts: proxies of every kind in front of engines, by their files and without them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sources.discovery.hosts import VLLM, Host, Look
from tests.sources.servers import Server, pages

if TYPE_CHECKING:
    from pathlib import Path

ENGINE = b'vllm:num_requests_running{model_name="m",engine="0"} 3.0\n'
LLAMA = ("/opt/bin/llama-server", "-m", "m.gguf", "--metrics")
HAPROXY = """
frontend llm
  bind :8083
  default_backend engines
backend engines
  server e0 127.0.0.1:8000
  server e1 127.0.0.1:8001
frontend page
  bind 127.0.0.1:8405
  http-request use-service prometheus-exporter if { path /prom }
"""
ENVOY = """
admin: {address: {socket_address: {address: 127.0.0.1, port_value: 9902}}}
static_resources:
  listeners:
  - address: {socket_address: {address: 0.0.0.0, port_value: 8081}}
    filter_chains: [{filters: [{typed_config: {routes: [{route: {cluster: one}}]}}]}]
  clusters:
  - name: one
    load_assignment: {endpoints: [{endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: 8000}}}}]}
"""
TRAEFIK = (
    "http: {routers: {r: {service: s}}, services: {s: {loadBalancer: {servers: [{url: 'http://127.0.0.1:8000'}]}}}}"
)
FLAGS = ("--entryPoints.web.address=:8082", "--metrics.prometheus", "--providers.file.filename=/etc/s.yml")


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A host on which nothing but init runs."""
    return Host(tmp_path)


def test_two_engines_of_one_kind_are_two_targets(host: Host) -> None:
    """Each by its own command line."""
    for pid, port in ((10, 8000), (11, 8001)):
        host.run(pid, *LLAMA, "--port", str(port), ports=[port])
    look = Look(host)
    look.again(2)
    assert [(found.adapter, found.url, found.pid) for found in look.taken] == [
        ("llamacpp", "http://127.0.0.1:8000", 10),
        ("llamacpp", "http://127.0.0.1:8001", 11),
    ]


def test_proxies_are_found_by_their_files_with_their_pages_and_the_names_of_engines(host: Host) -> None:
    """Whatever the number of their ports; none of them is asked."""
    host.root.put("etc/haproxy/haproxy.cfg", HAPROXY)
    host.root.put("e.yaml", ENVOY)
    host.root.put("etc/s.yml", TRAEFIK)
    host.run(10, *VLLM, ports=[8000])
    host.run(20, "/usr/sbin/haproxy", "-Ws", "-f", "/etc/haproxy/haproxy.cfg")
    host.run(21, "/usr/sbin/haproxy", "-sf", "7", "-f", "/etc/haproxy/haproxy.cfg", parent=20, ports=[8083, 8405])
    host.run(30, "/usr/bin/envoy", "-c", "/e.yaml", ports=[8081, 9902, 8443, 8444, 8445])
    host.run(40, "/usr/bin/traefik", *FLAGS, ports=[8082, 8090])
    look = Look(host)
    look.again(2)
    found = [(each.adapter, each.url, each.page_url, each.pid) for each in look.taken[1:]]
    assert found == [
        ("haproxy", "http://127.0.0.1:8083", "http://127.0.0.1:8405/prom", 20),
        ("envoy", "http://127.0.0.1:8081", "http://127.0.0.1:9902/stats/prometheus", 30),
        ("traefik", "http://127.0.0.1:8082", "http://127.0.0.1:8080/metrics", 40),
    ]
    names = [dict(each.named) for each in look.taken[1:]]
    engine = "http://127.0.0.1:8000"
    assert names == [{"e0": engine, "e1": "http://127.0.0.1:8001"}, {"one": engine}, {"s@file": engine}]
    assert look.untaken == ()


def test_a_proxy_without_a_readable_file_is_found_by_its_connections(host: Host) -> None:
    """Once they were seen twice; its ports are told apart by the page of an engine that comes through one of them."""
    host.root.put("proc/sys/net/ipv4/ip_local_port_range", "1 2\n")
    with Server(pages(ENGINE)) as door, Server(pages(b"no such command\n")) as admin:
        host.run(10, *VLLM, ports=[8000])
        host.run(30, "/usr/bin/envoy", "-c", "/gone.yaml", ports=[door.port, admin.port])
        look = Look(host)
        look.again(2)
        assert (door.connections, admin.connections) == (0, 0)
        host.connect(30, 8000)
        look.again(5)
        assert [(found.url, found.page_url) for found in look.taken[1:]] == [
            (door.url, f"{admin.url}/stats/prometheus")
        ]
    assert look.taken[1].how == "it holds connections to port 8000; its configuration cannot be read"


def test_a_proxy_that_calls_nobody_is_never_asked(host: Host) -> None:
    """It may lead to a web site."""
    with Server(pages(ENGINE)) as door:
        host.run(10, *VLLM, ports=[8000])
        host.run(30, "/usr/bin/envoy", "-c", "/gone.yaml", ports=[door.port])
        look = Look(host)
        look.again(5)
        assert door.connections == 0
        assert look.reason(door.port) == (
            "its configuration cannot be read; name it with --gateway URL if it leads to engines"
        )
