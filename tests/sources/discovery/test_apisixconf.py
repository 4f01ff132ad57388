"""Settings and standalone routes of APISIX."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.discovery.apisixconf import read_apisix
from perfconsole.sources.discovery.proxyserver import ProxyServer, page_server

SETTINGS = """
apisix: {node_listen: [9080, {ip: 10.0.0.5, port: 9081}]}
deployment: {admin: {admin_key: [{key: secret}]}}
plugin_attr: {prometheus: {export_addr: {ip: 0.0.0.0, port: 9099}, export_uri: /page}}
"""
ROUTES = """
upstreams: [{id: pool, nodes: {"127.0.0.1:8000": 1}}]
routes:
- uri: /v1/*
  upstream: {nodes: [{host: gpu-07, port: 8001, weight: 1}], scheme: https}
#END
"""


def test_doors_page_and_nodes() -> None:
    """Keys of its admin interface are not looked at."""
    found = read_apisix(SETTINGS, ROUTES)
    assert found is not None
    urls = ("http://127.0.0.1:8000", "https://gpu-07:8001")
    assert found.servers == (
        ProxyServer("127.0.0.1", 9080, tls=False, upstreams=urls, status_path="", serves_models=True),
        ProxyServer("10.0.0.5", 9081, tls=False, upstreams=urls, status_path="", serves_models=True),
        page_server("127.0.0.1", 9099, "/page"),
    )
    assert found.named == (("pool", "http://127.0.0.1:8000"),)


def test_without_settings_it_has_its_usual_ports() -> None:
    """The page is at the port of requests where its own server is switched off."""
    found = read_apisix("apisix: {}", "")
    assert found is not None
    assert [each.url for each in found.servers] == ["http://127.0.0.1:9080", "http://127.0.0.1:9091"]
    found = read_apisix("plugin_attr: {prometheus: {enable_export_server: false}}", "")
    assert found is not None
    assert found.servers[-1] == page_server("127.0.0.1", 9080, "/apisix/prometheus/metrics")
    assert read_apisix("- no mapping", "") is None


@given(st.text(alphabet="apisx:_lten[]{}-, 90\n", max_size=60), st.text(alphabet="routes:[]{}-h \n", max_size=60))
def test_nothing_makes_it_raise(settings: str, routes: str) -> None:
    """Whatever stands there."""
    found = read_apisix(settings, routes)
    assert found is None or all(0 < each.port < 65536 for each in found.servers)
