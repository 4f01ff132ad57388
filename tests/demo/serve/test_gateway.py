"""The routes of the gateway, with no engine behind it."""

from __future__ import annotations

import asyncio

import pytest

from perfconsole.clock import ManualClock
from perfconsole.demo.model.chat import DONE, MODELS, Words
from perfconsole.demo.scenarios import chosen
from perfconsole.demo.serve.engine import CHAT
from perfconsole.demo.serve.gateway import Gateway
from perfconsole.demo.serve.own import Cue
from perfconsole.demo.serve.web import Asked, Client, Reply, listen
from tests.demo.serve.replying import reply, status
from tests.demo.serve.test_web import NOTICE_S, free_port

WORDS = Words(1, 1_800_000_000)


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


async def asked_through(scene: str, times: int = 1) -> tuple[list[list[bytes]], list[bytes]]:
    """The pieces that a client of the gateway gets of each stream, and what the engine was asked."""
    bodies: list[bytes] = []

    async def engine(asked: Asked, upstream: Reply) -> None:
        bodies.append(asked.body)
        await upstream.pieces([WORDS.first, WORDS.next, WORDS.end() + WORDS.usage(20, 2) + DONE])
        await upstream.end_stream()

    cue = Cue(chosen(scene))
    cue.begin(90.0)
    ports = free_port(), free_port()
    gateway = Gateway(cue, ManualClock(100.0), ports[0])
    servers = [await listen(ports[0], engine), await listen(ports[1], gateway.handle)]
    client = Client(ports[1])
    found = [[piece async for piece in client.stream(CHAT, b'{"model": "m"}')] for _ in range(times)]
    client.close()
    gateway.close()
    for server in servers:
        server.close()
    await asyncio.sleep(NOTICE_S)
    return found, bodies


@pytest.mark.parametrize("scene", ["healthy", "buffered-stream"])
def test_a_stream_goes_through_piece_by_piece(scene: str) -> None:
    """As the engine made it, whatever is kept back; and what was asked goes to the engine as it came."""
    found, bodies = asyncio.run(asked_through(scene, times=2))
    assert found == [[WORDS.first, WORDS.next, WORDS.end() + WORDS.usage(20, 2) + DONE]] * 2
    assert bodies == [b'{"model": "m"}'] * 2


def test_its_models_are_the_engines() -> None:
    """Whoever probes asks for them first."""
    code, sent = asked("GET", "/v1/models")
    assert code == 200
    assert MODELS in sent


def test_a_stream_without_an_engine_is_a_connection_that_ends() -> None:
    """There is nothing to answer with."""
    with pytest.raises(ConnectionError):
        asked("POST", "/v1/chat/completions", b'{"messages": []}')
