"""Readers of configurations, each with its own files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.sources.catalogue import LAYERS, adapters_of
from perfconsole.sources.discovery.configfile import ProcessFiles
from perfconsole.sources.discovery.known import Kind, Known
from perfconsole.sources.discovery.readers import READERS, read_configuration
from perfconsole.sources.gateways import nginx
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path

    from perfconsole.sources.discovery.configuration import Configuration

UNREAD = "its configuration cannot be read"


def read(
    root: FakeRoot, config: str, *argv: str, flags: tuple[str, ...] = ("-c", "--config"), usual: tuple[str, ...] = ()
) -> Configuration:
    """What the files of a program come to that is read so."""
    adapter = replace(nginx.ADAPTER, config=config, config_flags=flags, config_files=usual)
    known = Known(Kind("gateway", adapter), 7, 1, argv, frozenset({7}), frozenset({7}))
    return read_configuration(known, ProcessFiles(root.base, 7))


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """A host without files."""
    return FakeRoot(tmp_path)


def test_every_adapter_names_a_reader_that_there_is() -> None:
    """A name with a fault in it would read nothing, silently."""
    named = {adapter.config for layer in LAYERS for adapter in adapters_of(layer)}
    assert named - {""} <= READERS.keys()


def test_an_adapter_without_a_reader_reads_nothing(root: FakeRoot) -> None:
    """Nor is that worth a remark."""
    assert (read(root, "").remark, read(root, "port").remark, read(root, "litellm").remark) == ("", "", "")


@pytest.mark.parametrize("config", ["nginx", "haproxy", "envoy", "traefik", "kong", "apisix"])
def test_a_proxy_without_a_file_is_a_remark(root: FakeRoot, config: str) -> None:
    """Its connections may still tell where it leads."""
    assert read(root, config, "program", "-c", "/gone", "-f", "/gone").remark == UNREAD


def test_haproxy_reads_files_and_folders_in_its_own_folder(root: FakeRoot) -> None:
    """In the order of the command line."""
    root.put("srv/a.cfg", "frontend a\n bind :80\n default_backend b\n")
    root.put("srv/d/1.cfg", "backend b\n server s 10.0.0.1:8000\n")
    root.put("srv/d/notes.txt", "backend b\n server t 10.0.0.2:8000\n")
    found = read(root, "haproxy", "haproxy", "-C", "/srv", "-f", "a.cfg", "-f", "d", flags=("-f",))
    assert found.upstreams == ("http://10.0.0.1:8000",)
    usual = read(root, "haproxy", "haproxy", "-D", flags=("-f",), usual=("/srv/a.cfg",))
    assert [door.port for door in usual.servers] == [80]


def test_envoy_reads_its_file_and_its_command_line(root: FakeRoot) -> None:
    """The one adds to the other."""
    root.put("e.json", '{"admin": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": 9901}}}}')
    more = "static_resources: {listeners: [{address: {socket_address: {address: 0.0.0.0, port_value: 80}}}]}"
    found = read(root, "envoy", "envoy", "-c", "/e.json", "--config-yaml", more)
    assert [door.port for door in found.servers] == [80, 9901]


def test_traefik_reads_flags_files_and_folders_of_services(root: FakeRoot) -> None:
    """Whatever the format of each."""
    root.put("etc/traefik/traefik.yml", "providers: {file: {directory: /etc/traefik/d}}")
    root.put("etc/traefik/d/a.yml", "http: {services: {a: {loadBalancer: {servers: [{url: 'http://a:8000'}]}}}}")
    root.put("etc/traefik/d/b.toml", "[[http.services.b.loadBalancer.servers]]\nurl = 'http://b:8000'\n")
    found = read(root, "traefik", "traefik", "--entryPoints.web.address=:80", usual=("/etc/traefik/traefik.yml",))
    assert dict(found.named) == {"a@file": "http://a:8000", "b@file": "http://b:8000"}


def test_kong_and_apisix_are_read_in_their_prefix(root: FakeRoot) -> None:
    """Their processes are those of an nginx, whose own file says nothing."""
    root.put("usr/local/kong/.kong_env", "proxy_listen = 0.0.0.0:8010\ndeclarative_config = /k.yml\n")
    root.put("k.yml", "services: [{name: a, url: 'http://10.0.0.1:8000'}]")
    kong = read(root, "kong", "nginx", "-p", "/usr/local/kong", "-c", "nginx.conf")
    assert (kong.servers[0].port, kong.upstreams) == (8010, ("http://10.0.0.1:8000",))
    root.put("usr/local/apisix/conf/config.yaml", "apisix: {node_listen: 9085}")
    root.put("usr/local/apisix/conf/apisix.yaml", "upstreams: [{id: a, nodes: {'10.0.0.1:8000': 1}}]")
    apisix = read(root, "apisix", "openresty", "-p", "/usr/local/apisix")
    assert (apisix.servers[0].port, apisix.upstreams) == (9085, ("http://10.0.0.1:8000",))


def test_nginx_is_read_in_its_prefix(root: FakeRoot) -> None:
    """Where it is when no file is named."""
    root.put("srv/n/conf/nginx.conf", "http { server { listen 82; } }")
    assert [door.port for door in read(root, "nginx", "nginx", "-p", "/srv/n").servers] == [82]
