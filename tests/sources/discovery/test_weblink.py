"""URLs of upstreams."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.discovery.weblink import base_url, base_urls, place_of


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://h:8000/v1", "http://h:8000"),
        ("https://user:sk-1@h/v1?key=sk-2#sk-3", "https://h"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("h:8000", ""),
        ("os.environ/BASE", ""),
        ("ftp://h:21", ""),
        ("http://h:99999", ""),
        ("http://", ""),
    ],
)
def test_only_scheme_host_and_port_are_kept(text: str, url: str) -> None:
    """What is no URL is nothing."""
    assert base_url(text) == url


def test_each_is_kept_once_and_not_too_many() -> None:
    """A configuration may be anything."""
    assert base_urls(["http://a:1", "x", "http://a:1/v1"]) == ("http://a:1",)
    assert len(base_urls(f"http://a:{port}" for port in range(1, 500))) == 64


def test_a_list_in_one_word_is_taken_apart() -> None:
    """The production stack's router has its engines on the command line so; a comma of a password parts nothing."""
    assert base_urls(["http://a:1,http://b:2, https://c/v1"]) == ("http://a:1", "http://b:2", "https://c")
    assert base_urls(["http://u:sk-1,sk-2@a:1"]) == ("http://a:1",)


def test_this_host_has_one_name() -> None:
    """However it is written."""
    places = {place_of(url) for url in ("http://localhost:80", "http://127.0.0.1", "http://[::1]", "http://0.0.0.0:80")}
    assert places == {("127.0.0.1", 80)}


@given(st.text(max_size=30))
def test_no_text_makes_it_raise(text: str) -> None:
    """And no key gets through in the place of a user."""
    assert "sk-secret" not in base_url(f"http://sk-secret:sk-secret@{text}")
