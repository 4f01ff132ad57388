"""Where a probe sends its requests."""

from __future__ import annotations

import pytest

from perfconsole.errors import UsageError
from perfconsole.model.probeorders import Target
from perfconsole.sources.probetarget import is_unix, probe_target, shown_target


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
