"""The routes of the gateway, with no engine behind it."""

from __future__ import annotations

import asyncio

import pytest

from perfconsole.clock import ManualClock
from perfconsole.demo.scenarios import chosen
from perfconsole.demo.serve.gateway import Gateway
from perfconsole.demo.serve.own import Cue
from perfconsole.demo.serve.web import Asked
from tests.demo.serve.replying import reply, status
from tests.demo.serve.test_web import free_port


def asked(method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
    """Status and all that was sent."""
    gateway = Gateway(Cue(chosen("healthy")), ManualClock(1.0), free_port())
    answer, kept = reply()
    asyncio.run(gateway.handle(Asked(method, path, body), answer))
    return status(kept), kept.sent


@pytest.mark.parametrize(
    ("path", "expected"), [("/metrics", 307), ("/metrics/", 200), ("/health/liveliness", 200), ("/nowhere", 404)]
)
def test_routes_are_those_of_litellm(path: str, expected: int) -> None:
    """The page redirects to where it really is."""
    assert asked("GET", path)[0] == expected


def test_an_engine_that_is_gone_is_a_failed_request() -> None:
    """500 for the caller."""
    assert asked("POST", "/v1/chat/completions", b'{"prompt_tokens": 5, "max_tokens": 5}')[0] == 500
