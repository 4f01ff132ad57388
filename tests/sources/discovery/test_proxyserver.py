"""Doors of proxies."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.discovery.proxyserver import bound, place_at, server_url
from perfconsole.sources.discovery.weblink import base_url


def test_listening_addresses() -> None:
    """All addresses are reached at the loopback address."""
    forms = {"8080": 8080, ":8080": 8080, "*:8080": 8080, "[::]:8080": 8080, "0.0.0.0:8080": 8080}
    assert {text: bound(text) for text in forms} == {text: ("127.0.0.1", port) for text, port in forms.items()}
    assert (bound("10.0.0.1:1"), bound("[::1]:2"), bound("h", "80")) == (("10.0.0.1", 1), ("[::1]", 2), ("h", 80))
    assert [bound(text) for text in ("unix:/x", "/x", "", "h", ":", ":x", ":0", ":70000", "a b:1")] == [None] * 9


def test_upstreams_of_two_parts() -> None:
    """What makes no sense is none."""
    assert (server_url("h", 1, tls=True), server_url("::1", "2")) == ("https://h:1", "http://[::1]:2")
    nonsense: list[tuple[object, object]] = [("", 1), (None, 1), ("h", None), ("h", True), ([], 1)]
    assert [server_url(host, port) for host, port in nonsense] == [""] * 5


@given(st.text(max_size=20), st.integers() | st.text(max_size=8) | st.none())
def test_nothing_makes_them_raise(host: str, port: object) -> None:
    """Whatever stands there."""
    url, place = server_url(host, port), place_at(host, port)
    assert url == "" or base_url(url) == url
    assert place is None or 0 < place[1] < 65536
    bound(host)
