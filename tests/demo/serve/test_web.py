"""The little server and its client, over a real loopback port."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

import pytest

from perfconsole.demo.serve.web import HOST, Asked, Client, Reply, listen

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Handler = Callable[[Asked, Reply], Awaitable[None]]


NOTICE_S = 0.02
"""The server sees that its client has left."""


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


async def answered(
    handle: Callable[[Asked, Reply], Awaitable[None]],
    first: Callable[[], Awaitable[None]] | None = None,
    times: int = 1,
) -> list[tuple[int, dict[str, object]]]:
    """What the client gets from a server with this handler."""
    port = free_port()
    server = await listen(port, handle)
    client = Client(port)
    found = [await client.post("/x", {"n": i}, first) for i in range(times)]
    client.close()
    server.close()
    await asyncio.sleep(NOTICE_S)
    return found


async def echo(asked: Asked, reply: Reply) -> None:
    """The body back."""
    await reply.whole(asked.body)


def test_json_goes_there_and_back_over_a_kept_connection() -> None:
    """Twice, one after the other."""
    assert asyncio.run(answered(echo, times=2)) == [(200, {"n": 0}), (200, {"n": 1})]


def test_the_first_line_is_seen_before_the_last() -> None:
    """That is the time to the first token."""
    order: list[str] = []
    seen = asyncio.Event()

    async def handle(_: Asked, reply: Reply) -> None:
        await reply.first_line({"generated": 1})
        await seen.wait()
        order.append("last")
        await reply.last_line({"generated": 5})

    async def first() -> None:
        order.append("first")
        seen.set()
        await asyncio.sleep(0)

    assert asyncio.run(answered(handle, first)) == [(200, {"generated": 5})]
    assert order == ["first", "last"]


def test_a_status_is_told() -> None:
    """With an empty document."""

    async def handle(_: Asked, reply: Reply) -> None:
        await reply.whole(b"{}", "503 Service Unavailable")

    assert asyncio.run(answered(handle)) == [(503, {})]


def test_a_server_that_is_not_there_is_a_connection_error() -> None:
    """For whoever calls, one kind of failure."""
    with pytest.raises(ConnectionError):
        asyncio.run(Client(free_port()).post("/x", {}))


def test_a_peer_that_speaks_no_http_is_dropped() -> None:
    """The server goes on."""

    async def talk() -> tuple[bytes, list[tuple[int, dict[str, object]]]]:
        port = free_port()
        server = await listen(port, echo)
        reader, writer = await asyncio.open_connection(HOST, port)
        writer.write(b"nonsense\r\n\r\n")
        rest = await reader.read()
        writer.close()
        client = Client(port)
        found = [await client.post("/x", {})]
        client.close()
        server.close()
        await asyncio.sleep(NOTICE_S)
        return rest, found

    assert asyncio.run(talk()) == (b"", [(200, {})])
