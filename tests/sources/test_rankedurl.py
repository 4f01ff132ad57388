"""Tests of URLs that end in the rank of a worker."""

from __future__ import annotations

import pytest

from perfconsole.sources.discovery.weblink import base_url
from perfconsole.sources.mapping.upstreamname import upstream_name
from perfconsole.sources.rankedurl import without_rank


@pytest.mark.parametrize(
    ("url", "worker"),
    [
        ("http://10.0.0.1:8000@0", "10.0.0.1:8000"),
        ("http://vllm-0.svc:8000@12", "vllm-0.svc:8000"),
        ("http://[::1]:8000@1", "[::1]:8000"),
    ],
)
def test_a_rank_is_no_host(url: str, worker: str) -> None:
    """Two ranks of one server are at one place, and those of two servers are not."""
    assert without_rank(url) == f"http://{worker}"
    assert upstream_name(url) == worker
    assert base_url(url) == f"http://{worker}"


@pytest.mark.parametrize(
    "url", ["http://u:secret@10.0.0.1:8000", "http://u:1234@gpu1", "http://h:8000", "u:1@2", "http://sk-1@2", ""]
)
def test_what_is_a_user_stays_one(url: str) -> None:
    """Nothing that may be a secret is taken for a place."""
    assert without_rank(url) == url
