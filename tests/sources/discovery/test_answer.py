"""What came back from a port."""

from __future__ import annotations

from pathlib import Path

import pytest

from perfconsole.sources.discovery.answer import Answer, Shape, of_error, of_reply
from perfconsole.sources.http import FetchError, FetchKind, Reply

CAPTURES = Path(__file__).parent.parent.parent / "captures"


def reply(body: bytes, status: int = 200) -> Answer:
    """The answer in a reply."""
    return of_reply(Reply(status, body, "text/plain", 0.01, "http://127.0.0.1:1/metrics"))


@pytest.mark.parametrize(
    ("page", "layer", "adapter"),
    [
        ("vllm/load.prom", "engine", "vllm"),
        ("vllm_dp2/load.prom", "engine", "vllm"),
        ("vllm_old/0.6.6.prom", "engine", "vllm"),
        ("litellm/idle.prom", "gateway", "litellm"),
        ("vllm-router/after.prom", "gateway", "vllm-router"),
        ("production-stack/router.prom", "gateway", "production-stack"),
        ("node_exporter/idle.prom", "", ""),
        ("haproxy/load.prom", "gateway", "haproxy"),
        ("envoy/after.prom", "gateway", "envoy"),
    ],
)
def test_captured_pages_are_told_apart(page: str, layer: str, adapter: str) -> None:
    """By the series that only one program has."""
    answer = reply((CAPTURES / page).read_bytes())
    assert (answer.layer, answer.adapter) == (layer, adapter)


def test_copies_of_a_router_are_marked() -> None:
    """So that a person learns why it is no engine."""
    assert reply((CAPTURES / "production-stack/router.prom").read_bytes()).copies
    assert not reply((CAPTURES / "vllm/load.prom").read_bytes()).copies


def test_a_node_exporter_watches_others() -> None:
    """By its own series."""
    assert reply((CAPTURES / "node_exporter/idle.prom").read_bytes()).monitor


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"<html>", 200), (b"", 200), (b"vllm:x 1\n", 404), (b"# only a comment\n", 200), (b"\xff\xfe", 200)],
)
def test_an_answer_without_a_page_is_mere_http(body: bytes, status: int) -> None:
    """Whatever its body."""
    assert reply(body, status).shape is Shape.HTTP


def test_a_locked_page_is_said() -> None:
    """A key is missing."""
    assert reply(b"", 401).locked


def test_a_server_that_wants_tls_says_so() -> None:
    """Some answer in plain HTTP that they want something else."""
    assert reply(b"<h1>The plain HTTP request was sent to HTTPS port</h1>", 400).shape is Shape.TLS
    assert (
        of_error(FetchError(FetchKind.BROKEN, "not HTTP: it starts (it speaks TLS: try https://)")).shape is Shape.TLS
    )


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        (FetchKind.TIMEOUT, Shape.SILENT),
        (FetchKind.TIMEOUT_CONNECT, Shape.SILENT),
        (FetchKind.TOO_LARGE, Shape.HTTP),
        (FetchKind.REDIRECTS, Shape.HTTP),
        (FetchKind.REFUSED, Shape.OTHER),
        (FetchKind.RESET, Shape.OTHER),
    ],
)
def test_a_failure_tells_something_too(kind: FetchKind, shape: Shape) -> None:
    """A page that is too large began as HTTP; silence may be a hung program."""
    assert of_error(FetchError(kind, "")).shape is shape
