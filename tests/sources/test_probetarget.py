"""Where a probe sends its requests."""

from __future__ import annotations

import pytest

from perfconsole.errors import UsageError
from perfconsole.model.probeorders import Target
from perfconsole.sources.probetarget import is_unix, keyless_target, plain_url, probe_target, shown_target, with_user


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("localhost:8000", Target("http", "localhost", 8000)),
        ("http://h:8000/metrics", Target("http", "h", 8000)),
        ("https://api.example.com/team/v1", Target("https", "api.example.com", 443, prefix="/team")),
        ("http://[::1]:9", Target("http", "::1", 9)),
        ("http://0.0.0.0:8000", Target("http", "127.0.0.1", 8000)),
        ("unix:/run/vllm.sock", Target("http", "localhost", 80, unix="/run/vllm.sock")),
        ("unix:///run/vllm.sock", Target("http", "localhost", 80, unix="/run/vllm.sock")),
    ],
)
def test_addresses(text: str, target: Target) -> None:
    """Scheme, host, port, what stands before /v1, and a socket of this host."""
    assert probe_target(text, {}) == target


def test_a_key() -> None:
    """Travels as a header; a user and a password in the URL do too, and are never shown."""
    assert probe_target("h:1", {"Authorization": "Bearer k"}).headers == (("Authorization", "Bearer k"),)
    assert probe_target("http://a:b%21@h:1", {}).headers == (("Authorization", "Basic YTpiIQ=="),)
    assert probe_target("http://a:b@h:1", {"authorization": "Bearer k"}).headers == (("authorization", "Bearer k"),)


def test_what_is_shown() -> None:
    """The base URL without anything secret."""
    assert shown_target("http://a:b@h:1/v1") == "http://***@h:1"
    assert shown_target("unix:///run/s") == "unix:/run/s"


@pytest.mark.parametrize("text", ["", "ftp://h", "h:99999", "unix:", "unix:run/s", "unix:/" + "x" * 200])
def test_what_is_no_target(text: str) -> None:
    """A sentence about it."""
    with pytest.raises(UsageError):
        probe_target(text, {})


def test_sockets_are_told_apart() -> None:
    """By the way they are written."""
    assert is_unix(" unix:/run/s")
    assert not is_unix("http://unix:80")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("http://a:b@h:1/team/v1", "http://h:1/team"),
        ("https://h", "https://h:443"),
        ("http://[::1]:9", "http://[::1]:9"),
    ],
)
def test_an_address_as_a_url(text: str, plain: str) -> None:
    """The key is in its headers, and nowhere else."""
    assert plain_url(probe_target(text, {})) == plain


@pytest.mark.parametrize(
    ("text", "user", "whole"),
    [
        ("http://***@h:1/team", "a:b%21", "http://a:b%21@h:1/team"),
        ("h:1", "a:b", "http://a:b@h:1"),
        ("http://c:d@h:1", "a:b", "http://c:d@h:1"),
        ("http://***@h:1", "", "http://h:1"),
        ("https://[::1]:9", "u", "https://u@[::1]:9"),
    ],
)
def test_a_url_as_it_was_shown_gets_its_user_back(text: str, user: str, whole: str) -> None:
    """One that was given stays; three stars are nobody's name."""
    assert with_user(text, user) == whole


def test_an_address_that_nobody_has_a_key_for() -> None:
    """What stands in a URL in place of a password is not sent; a socket has none."""
    assert keyless_target("http://***@h:1").headers == ()
    assert keyless_target("unix:/run/s").unix == "/run/s"
