"""HAProxy configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.discovery.haproxyconf import read_haproxy
from perfconsole.sources.discovery.proxyserver import ProxyServer, page_server
from perfconsole.sources.discovery.weblink import base_url

if TYPE_CHECKING:
    from perfconsole.sources.discovery.configuration import Configuration

LAB = """
global
  maxconn 512
  stats socket /run/admin.sock mode 600 level user
defaults
  mode http
frontend llm
  bind 127.0.0.1:8080
  default_backend engines
backend engines
  balance leastconn
  server e0 127.0.0.1:8000 check inter 1s
  server e1 10.0.0.7:8001 check ssl verify none
frontend prom
  bind 127.0.0.1:8405
  http-request use-service prometheus-exporter if { path /metrics }
  stats enable
  stats uri /stats
"""
E0, E1 = "http://127.0.0.1:8000", "https://10.0.0.7:8001"


def read(text: str) -> Configuration:
    """One file."""
    return read_haproxy([text])


def test_a_frontend_leads_to_the_servers_of_its_backend_and_the_exporter_has_a_door_of_its_own() -> None:
    """Servers are known by the names on its page."""
    found = read(LAB)
    door = ProxyServer("127.0.0.1", 8080, tls=False, upstreams=(E0, E1), status_path="", serves_models=False)
    assert found.servers == (door, page_server("127.0.0.1", 8405, "/metrics"))
    assert found.upstreams == (E0, E1)
    assert dict(found.named) == {"e0": E0, "e1": E1}


def test_a_section_may_be_both_and_choose_among_backends() -> None:
    """Conditions tell nothing of which one it will be."""
    found = read("""
listen all
  bind *:80,[::]:443 ssl crt /etc/key.pem
  acl models path_beg /v1/
  use_backend a if models
  default_backend b
  server own 10.0.0.1:7000
backend a
  server e0 10.0.0.2:8000
backend b
  server e0 10.0.0.3:8000
""")
    assert [(door.host, door.port, door.tls) for door in found.servers] == [
        ("127.0.0.1", 80, True),
        ("127.0.0.1", 443, True),
    ]
    assert found.servers[0].upstreams == ("http://10.0.0.3:8000", "http://10.0.0.2:8000", "http://10.0.0.1:7000")
    assert found.servers[0].serves_models
    assert [name for name, _ in found.named] == ["own", "a/e0", "b/e0"], "one name alone means two places"


def test_the_path_of_the_exporter_may_stand_in_a_named_condition() -> None:
    """Or nowhere: then every path has the page."""
    named = "frontend s\n bind :8404\n acl page path /prom\n http-request use-service prometheus-exporter if page\n"
    bare = "frontend s\n bind :8404\n http-request use-service prometheus-exporter\n"
    assert [read(text).servers[0].status_path for text in (named, bare)] == ["/prom", "/metrics"]


def test_the_forms_of_addresses() -> None:
    """What is no port of TCP, or left to the environment, is not known."""
    binds = {
        ":8080": 8080,
        "8080": 0,
        "ipv4@10.0.0.1:81": 81,
        "10.0.0.1:7000-7010": 7000,
        "[::1]:82": 82,
        ":::83": 83,
        "unix@/run/x.sock": 0,
        "/run/x.sock": 0,
        '"${ADDRESS}:80"': 0,
        ":${PORT}": 0,
        ":0": 0,
        ":99999": 0,
    }
    for text, port in binds.items():
        (door,) = read(f"frontend a\n bind {text}\n").servers
        assert (text, door.port) == (text, port)


def test_servers_without_a_port_or_behind_a_variable_lead_nowhere_that_is_known() -> None:
    """Those of a template are as many as it says, within bounds."""
    found = read("""
listen a
  bind :80
  server x 10.0.0.1 check
  server y unix@/run/y.sock
  server z "${HOST}:80"
  server-template e 2 llm.local:8000 check
  server-template n 1-9999 other.local:8000 check
""")
    assert found.upstreams == ("http://llm.local:8000", "http://other.local:8000")
    assert [name for name, _ in found.named if name.startswith("e")] == ["e1", "e2"]
    assert len([name for name, _ in found.named if name.startswith("n")]) == 64


def test_comments_quotes_and_backslashes() -> None:
    """As its own reader takes them."""
    text = "frontend \"a b\" # not \\\n bind :80 # :81\n default_backend 'x#y'\nbackend x\\#y\n server s 10.0.0.1:1#2\n"
    assert read(text).servers[0].upstreams == ("http://10.0.0.1:1",)


def test_several_files_are_one_configuration() -> None:
    """Whatever stands in which, as with folders of files; a default backend is passed down."""
    texts = ["defaults\n default_backend b\nfrontend a\n bind :80\n", "backend b\n server s 10.0.0.1:8000\n"]
    assert read_haproxy(texts).upstreams == ("http://10.0.0.1:8000",)


TEXT = (
    "frontend backend listen defaults bind server server-template acl use_backend default_backend http-request "
    "use-service prometheus-exporter if path /x a b :80 10.0.0.1:8000 user:pw@h:1 \" ' \\ # { } $X 9-9999999999999 ssl"
)
WORDS = st.sampled_from(TEXT.split())
LINES = st.lists(st.lists(WORDS, max_size=6).map(" ".join), max_size=12)


@given(LINES.map("\n".join) | st.text(max_size=80))
def test_no_text_makes_it_raise_or_keep_more_than_places(text: str) -> None:
    """Whatever stands there."""
    found = read(text)
    urls = [*found.upstreams, *(url for _, url in found.named)]
    assert all(base_url(url) == url for url in urls)
    assert all(0 <= door.port < 65536 for door in found.servers)
