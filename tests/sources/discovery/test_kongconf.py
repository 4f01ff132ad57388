"""Settings and declarations of Kong."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.discovery.kongconf import read_kong, read_kong_settings
from perfconsole.sources.discovery.proxyserver import ProxyServer, page_server
from perfconsole.sources.discovery.weblink import base_url

SETTINGS = """
# proxy_listen = 0.0.0.0:1
pg_password = secret
proxy_listen = 0.0.0.0:8000 reuseport backlog=16384, 0.0.0.0:8443 http2 ssl
status_listen = 127.0.0.1:8100  # the page
declarative_config = /kong/kong.yml
"""
DECLARED = """
services:
- name: llm
  host: pool
  routes: [{paths: [/v1]}]
- name: other
  url: http://me:sk-1@10.0.0.9:9000/x
upstreams:
- name: pool
  targets: [{target: "127.0.0.1:8000"}, {target: gpu-07}]
"""


def test_only_what_matters_is_kept_of_its_settings() -> None:
    """A password stands beside."""
    assert set(read_kong_settings(SETTINGS)) == {"proxy_listen", "status_listen", "declarative_config"}


def test_doors_page_and_services() -> None:
    """A service leads to the pool that its host names."""
    found = read_kong(read_kong_settings(SETTINGS), DECLARED)
    urls = ("http://127.0.0.1:8000", "http://gpu-07:8000", "http://10.0.0.9:9000")
    assert found.servers == (
        ProxyServer("127.0.0.1", 8000, tls=False, upstreams=urls, status_path="", serves_models=True),
        ProxyServer("127.0.0.1", 8443, tls=True, upstreams=urls, status_path="", serves_models=True),
        page_server("127.0.0.1", 8100, "/metrics"),
        page_server("127.0.0.1", 8001, "/metrics"),
    )
    assert found.named == (("other", "http://10.0.0.9:9000"),)


def test_without_settings_it_has_its_usual_ports_and_the_page_of_its_admin() -> None:
    """What is switched off listens nowhere."""
    assert [each.port for each in read_kong({}, "").servers] == [8000, 8007, 8001]
    assert [each.port for each in read_kong({"status_listen": "off", "admin_listen": "off"}, "").servers] == [8000]


@given(st.text(alphabet="proxy_listn=:80,# \n", max_size=60), st.text(alphabet="servics:[]{}-h \n", max_size=60))
def test_nothing_makes_it_raise(settings: str, declared: str) -> None:
    """Whatever stands there."""
    assert all(base_url(url) == url for url in read_kong(read_kong_settings(settings), declared).upstreams)
