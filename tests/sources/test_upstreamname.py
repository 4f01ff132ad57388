"""Tests of the names that parts of a gateway keep: addresses and names of a configuration, never a secret."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.upstreamname import upstream_name


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("http://127.0.0.1:8000/v1", "127.0.0.1:8000"),
        ("https://api.example.com/v1", "api.example.com:443"),
        ("http://user:secret@h:8000/v1?key=secret", "h:8000"),
        ("http://[::1]:8000", "[::1]:8000"),
        ("10.0.0.1:8000", "10.0.0.1:8000"),
        ("engines/vllm1", "engines/vllm1"),
        ("user:secret@h:8000", "h:8000"),
        ("grpc://user:secret@h:9000/x", "h:9000"),
        ("None", ""),
        ("", ""),
        (" - ", ""),
    ],
)
def test_a_label_becomes_a_name(label: str, name: str) -> None:
    """Place of a URL, or the name as it stands."""
    assert upstream_name(label) == name


@given(st.text(max_size=200))
def test_a_name_is_short_and_fit_to_be_shown(label: str) -> None:
    """Whatever a page has there."""
    name = upstream_name(label)
    assert len(name) <= 64 or name.startswith("[")
    assert name.isprintable()


@given(st.text("abcXYZ0189-_.~", min_size=8, max_size=20))
def test_no_password_is_kept(secret: str) -> None:
    """Of a URL as of a bare address."""
    assert secret not in upstream_name(f"http://u:{secret}@host:8000/v1")
    assert secret not in upstream_name(f"u:{secret}@host:8000")
