"""Tests of the names of what a gateway calls: places and names, and never a user or a key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.mapping.upstreamname import upstream_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("http://10.0.0.11:8000/v1?key=secret", "10.0.0.11:8000"),
        ("http://user:secret@10.0.0.11:8000/v1", "10.0.0.11:8000"),
        ("http://[::1]:8000", "[::1]:8000"),
        ("user:secret@gpu1", "gpu1"),
        ("secret@gpu1:8000", "gpu1:8000"),
        ("secret@gpu1.example.org", "gpu1.example.org"),
        ("llm@docker", "llm@docker"),
        ("10.0.0.11:8000", "10.0.0.11:8000"),
        ("outbound|8000||llm.default.svc", "outbound|8000||llm.default.svc"),
        ("10.0.0.11:8000/v1?api_key=secret", "10.0.0.11:8000/v1"),
        ("https://api.example.org/v1?api_key=secret", "api.example.org:443"),
        ("http://no port:99999?api_key=secret", "no port:99999"),
        ("None", ""),
        (" ", ""),
    ],
)
def test_a_name_says_whom_and_nothing_secret(text: str, name: str) -> None:
    """Of an address host and port, of a name all of it."""
    assert upstream_name(text) == name


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="@"), min_size=1), st.text(max_size=9))
def test_a_password_before_a_host_is_never_kept(secret: str, host: str) -> None:
    """Whatever it looks like."""
    assert "SECRET" not in upstream_name(f"u:{secret}SECRET@{host.replace('@', '')}")


@given(st.text())
def test_a_name_is_short_and_fit_to_be_shown(text: str) -> None:
    """Labels come from anywhere."""
    name = upstream_name(text)
    assert len(name) <= 300
    assert name.isprintable()


@given(st.text("abcXYZ0189-_.~", min_size=8, max_size=20))
def test_no_password_is_kept(secret: str) -> None:
    """Of a URL as of a bare address."""
    assert secret not in upstream_name(f"http://u:{secret}@host:8000/v1")
    assert secret not in upstream_name(f"u:{secret}@host:8000")
