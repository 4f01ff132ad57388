"""Reading nginx configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.discovery.nginxconf import parse, read_servers, tokens
from perfconsole.sources.discovery.weblink import base_url

if TYPE_CHECKING:
    from perfconsole.sources.discovery.proxyserver import ProxyServer


def nothing(_pattern: str) -> tuple[str, ...]:
    """No file is there."""
    return ()


def servers(text: str) -> tuple[ProxyServer, ...]:
    """The servers of a text without includes."""
    return read_servers(text, nothing)


def test_a_proxy_to_a_pool_leads_to_all_its_servers() -> None:
    """By the scheme of the proxy_pass, with the standard port where none is named."""
    text = """
    http {
        upstream llm { least_conn; server 127.0.0.1:8000 weight=2; server gpu-07; }  # two
        server { listen 8080; location / { proxy_pass http://llm/v1; } }
    }"""
    (server,) = servers(text)
    assert server.url == "http://127.0.0.1:8080"
    assert server.upstreams == ("http://127.0.0.1:8000", "http://gpu-07:80")


def test_a_direct_proxy_is_its_own_address() -> None:
    """Users and paths are cut off."""
    (server,) = servers("http { server { location /v1/ { proxy_pass http://u:p@10.0.0.7:8000/v1/?k=1; } } }")
    assert (server.upstreams, server.port, server.serves_models) == (("http://10.0.0.7:8000",), 80, True)


@pytest.mark.parametrize("target", ["http://$backend", "http://unix:/run/a.sock", "llm", "http://"])
def test_what_only_nginx_can_resolve_leads_nowhere(target: str) -> None:
    """Variables, socket files and nonsense."""
    (server,) = servers(f"http {{ server {{ location / {{ proxy_pass {target}; }} }} }}")
    assert server.upstreams == ()


@pytest.mark.parametrize(
    ("listen", "url"),
    [
        ("8080", "http://127.0.0.1:8080"),
        ("*:8080 default_server", "http://127.0.0.1:8080"),
        ("[::]:8080", "http://127.0.0.1:8080"),
        ("10.0.0.5:8080", "http://10.0.0.5:8080"),
        ("10.0.0.5", "http://10.0.0.5:80"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("443 ssl", "https://127.0.0.1:443"),
    ],
)
def test_the_url_is_where_it_listens(listen: str, url: str) -> None:
    """A loopback address stands for every address."""
    assert [server.url for server in servers(f"http {{ server {{ listen {listen}; }} }}")] == [url]


@pytest.mark.parametrize("listen", ["unix:/run/nginx.sock", "99999", "${PORT}", "$host:80", "a b:80", "[::1", "x..y:1"])
def test_where_it_listens_is_not_guessed(listen: str) -> None:
    """A template leaves a port open; the standard one stands for a configuration that says nothing."""
    text = f'http {{ server {{ listen "{listen}"; location /s {{ stub_status; }} }} }}'
    assert [(server.port, server.status_path) for server in servers(text)] == [(0, "")]
    assert [server.port for server in servers("http { server { } }")] == [80]


@pytest.mark.parametrize("route", ["/${x}", '"/a b"', "/s?x", "/a#b", '"/\u202e"'])
def test_a_status_page_with_an_odd_path_is_not_asked(route: str) -> None:
    """No URL can be made of it."""
    assert servers(f"http {{ server {{ location {route} {{ stub_status; }} }} }}")[0].status_path == ""


def test_plain_http_comes_before_tls() -> None:
    """It needs no certificate that is trusted."""
    assert servers("http { server { listen 443 ssl; listen 8080; } }")[0].url == "http://127.0.0.1:8080"


@pytest.mark.parametrize(("location", "path"), [("= /status", "/status"), ("/s", "/s"), ("~ ^/s", ""), ("@s", "")])
def test_the_status_page_is_where_its_location_says(location: str, path: str) -> None:
    """A regular expression is no path to ask."""
    text = f"http {{ server {{ location {location} {{ allow 127.0.0.1; stub_status on; }} }} }}"
    assert servers(text)[0].status_path == path


def test_includes_are_put_in_where_they_stand() -> None:
    """As with the folder of sites of a distribution."""
    files = {"conf.d/*.conf": ("server { listen 1; }", "server { listen 2; }"), "mime.types": ("types { a b; }",)}
    found = read_servers("http { include mime.types; include conf.d/*.conf; }", lambda pattern: files.get(pattern, ()))
    assert [server.port for server in found] == [1, 2]


def test_a_file_that_includes_itself_ends() -> None:
    """After some rounds."""
    text = "http { server { listen 1; } } include self;"
    assert 1 <= len(read_servers(text, lambda _pattern: (text,))) < 20


def test_streams_are_no_web_servers() -> None:
    """They pass on bytes."""
    assert servers("stream { server { listen 8080; proxy_pass 127.0.0.1:8000; } }") == ()


def test_quotes_and_comments_are_read_as_nginx_does() -> None:
    """A brace in quotes is a letter."""
    assert list(tokens("a 'b { \\' c' \"d;\" # e\nf;")) == [
        ("a", False),
        ("b { ' c", True),
        ("d;", True),
        ("f", False),
        (";", False),
    ]


def test_deep_nesting_is_read_without_recursion() -> None:
    """Somebody may try."""
    assert len(parse("a {" * 20_000, nothing)) == 1
    assert servers("http { server {" + "location / {" * 20_000)[0].upstreams == ()


@given(st.text(alphabet="ab;{}#'\"\\$ \n/:=~", max_size=200))
def test_no_text_makes_it_raise(text: str) -> None:
    """And every word of it is one of the text."""
    assert all(word in text or quoted for word, quoted in tokens(text))
    assert servers(f"http {{ server {{ {text} }} }}") is not None


@given(st.text(max_size=30))
def test_every_address_that_is_read_is_one(listen: str) -> None:
    """What comes out is made into URLs."""
    word = listen.replace("\\", "").replace('"', "")
    for server in servers(f'http {{ server {{ listen "{word}"; location /s {{ stub_status; }} }} }}'):
        assert not server.port or base_url(server.url)


FIELD = st.text(alphabet="abcxyz09_-.", min_size=1, max_size=8)


@given(st.lists(st.tuples(FIELD, st.lists(FIELD | st.just("a b;{"), max_size=3)), max_size=8))
def test_directives_come_back_as_they_were_written(directives: list[tuple[str, list[str]]]) -> None:
    """Quoted or not."""
    lines = [" ".join((name, *(f'"{word}"' if " " in word else word for word in words))) for name, words in directives]
    text = ";\n".join([*lines, ""])
    assert [each.words for each in parse(text, lambda _p: [])] == [
        (name, *words) for name, words in directives if name != "include"
    ]


def test_a_page_of_the_module_for_virtual_hosts_comes_first() -> None:
    """It is of another kind than the plain one, at a path below its location."""
    plain, hosts = "location /s { stub_status; }", "location /vts/ { vhost_traffic_status_display; }"
    text = f"http {{ server {{ listen 81; {plain} {hosts} }} server {{ listen 82; {plain} }} }}"
    found = [(each.status_path, each.adapter) for each in read_servers(text, nothing)]
    assert found == [("/vts/format/prometheus", "nginx-vts"), ("/s", "")]
