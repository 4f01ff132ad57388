"""Flags and files of Traefik."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.discovery.configtree import load_toml, load_tree
from perfconsole.sources.discovery.proxyserver import ProxyServer, page_server
from perfconsole.sources.discovery.traefikconf import from_flags, load_file, provided, read_traefik
from perfconsole.sources.discovery.weblink import base_url

if TYPE_CHECKING:
    from perfconsole.sources.discovery.configuration import Configuration

SERVICES = """
http:
  routers:
    models: {rule: "PathPrefix(`/v1`)", service: llm, entryPoints: [web]}
  services:
    llm: {loadBalancer: {servers: [{url: "http://127.0.0.1:8000"}, {url: "http://me:sk-1@10.0.0.7:8001/x"}]}}
    one: {loadBalancer: {servers: [{url: "http://10.0.0.8:8000"}]}}
    mix: {weighted: {services: [{name: one, weight: 1}, {name: "llm@file", weight: 3}, {name: mix}]}}
"""
BOTH = ("http://127.0.0.1:8000", "http://10.0.0.7:8001")


def read(*argv: str, dynamic: str = SERVICES) -> Configuration:
    """What these flags and that file of services come to."""
    return read_traefik([from_flags(argv)], [load_tree(dynamic)])


def test_an_entry_point_leads_to_the_services_of_its_routers() -> None:
    """A service with one server is that server by the name on the page."""
    found = read("--entryPoints.web.address=:8080", "--entrypoints.metrics.address=127.0.0.1:8082/tcp")
    door = ProxyServer("127.0.0.1", 8080, tls=False, upstreams=BOTH, status_path="", serves_models=True)
    assert found.servers[0] == door
    assert [each.upstreams for each in found.servers[1:]] == [()]
    assert found.named == (("one@file", "http://10.0.0.8:8000"),)


def test_a_router_that_names_no_entry_point_hears_all() -> None:
    """But for Traefik's own; services may be mixed of others, and of themselves."""
    flags = ("--entryPoints.web.address=:80", "--entryPoints.traefik.address=:9000")
    found = read(*flags, dynamic=SERVICES.replace("service: llm, entryPoints: [web]", "service: mix"))
    assert [each.upstreams for each in found.servers] == [("http://10.0.0.8:8000", *BOTH), ()]


def test_services_that_hand_on_to_each_other_end() -> None:
    """However many of them there are."""
    every = ", ".join(f"{{name: s{number}}}" for number in range(40))
    text = "\n".join(f"    s{number}: {{weighted: {{services: [{every}]}}}}" for number in range(40))
    assert read(dynamic=f"http:\n  services:\n{text}\n").named == ()


def test_the_page_is_at_the_entry_point_that_is_named_for_it() -> None:
    """Else at the own one, which is made for it."""
    named = read("--metrics.prometheus.entryPoint=mon", "--entryPoints.mon.address=:8082")
    assert named.servers[-1] == page_server("127.0.0.1", 8082, "/metrics")
    assert read("--metrics.prometheus=true").servers[-1] == page_server("127.0.0.1", 8080, "/metrics")
    moved = read("--metrics.prometheus", "--entryPoints.traefik.address=:9000")
    assert moved.servers[-1] == page_server("127.0.0.1", 9000, "/metrics")
    for none in (("--metrics.prometheus=false",), ("--metrics.prometheus.entrypoint=gone",), ("--api.insecure",)):
        assert [each.status_path for each in read(*none).servers] == [""]


def test_files_say_the_same_in_toml() -> None:
    """And name the files of services."""
    text = """
[entryPoints.web]
address = ":8443"
[entryPoints.web.http.tls]
[metrics.prometheus]
[providers.file]
directory = "/etc/traefik/d"
filename = "/etc/traefik/s.yml"
"""
    static = load_file("t.toml", text)
    assert provided([static]) == (("/etc/traefik/s.yml",), ("/etc/traefik/d",))
    found = read_traefik([static], [load_tree(SERVICES)])
    assert [(each.port, each.tls, each.status_path) for each in found.servers] == [
        (8443, True, ""),
        (8080, False, "/metrics"),
    ]
    assert load_file("t.yml", text) is None


def test_without_an_entry_point_there_is_one_at_port_80() -> None:
    """One for UDP takes no requests."""
    assert [each.port for each in read().servers] == [80]
    assert read("--entryPoints.dns.address=:53/udp").servers == ()


STEPS = st.sampled_from(["entryPoints", "web", "address", "metrics", "prometheus", "entryPoint", "http", "tls"])
NAMES = st.lists(STEPS, max_size=7).map(".".join)
FLAGS = st.lists(st.tuples(NAMES, st.sampled_from(["--{}", "--{}=:80", "--{}=x", "{}"])), max_size=6)


@given(FLAGS, st.text(alphabet='htpservics:{}[]@.- \n"=', max_size=60))
def test_nothing_makes_it_raise_or_keep_more_than_places(flags: list[tuple[str, str]], text: str) -> None:
    """Whatever stands there."""
    found = read_traefik([from_flags(form.format(name) for name, form in flags), load_toml(text)], [load_tree(text)])
    assert all(base_url(url) == url for url in found.upstreams)
