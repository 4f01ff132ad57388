"""The little server and its client, over a real loopback port."""

from __future__ import annotations

import asyncio
import socket
from contextlib import aclosing
from typing import TYPE_CHECKING

import pytest

from perfconsole.demo.serve.web import HOST, Asked, Client, NotStreamedError, Reply, listen

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


async def streamed(handle: Handler, *, pause: asyncio.Event | None = None) -> list[bytes]:
    """The pieces that a client gets of a stream; with a pause it leaves after the first of them."""
    port = free_port()
    server = await listen(port, handle)
    client = Client(port)
    found = []
    async with aclosing(client.stream("/x", b"{}")) as pieces:
        async for piece in pieces:
            found.append(piece)
            if pause is not None:
                break
    if pause is not None:
        await asyncio.wait_for(pause.wait(), 5.0)
    client.close()
    server.close()
    await asyncio.sleep(NOTICE_S)
    return found


async def count(_: Asked, reply: Reply) -> None:
    """Two pieces."""
    await reply.pieces([b"one", b"two"])
    await reply.end_stream()


def test_a_stream_comes_piece_by_piece() -> None:
    """To the end."""
    assert asyncio.run(streamed(count)) == [b"one", b"two"]


def test_a_refusal_is_no_stream() -> None:
    """Its status and body are told, and the connection serves on."""

    async def talk() -> tuple[int, bytes, list[bytes]]:
        async def handle(asked: Asked, reply: Reply) -> None:
            await (reply.whole(b"no", "404 Not Found") if asked.path == "/y" else count(asked, reply))

        port = free_port()
        server = await listen(port, handle)
        client = Client(port)
        with pytest.raises(NotStreamedError) as refused:
            await anext(client.stream("/y", b"{}"))
        pieces = [piece async for piece in client.stream("/x", b"{}")]
        client.close()
        server.close()
        await asyncio.sleep(NOTICE_S)
        return refused.value.status, refused.value.body, pieces

    assert asyncio.run(talk()) == (404, b"no", [b"one", b"two"])


def test_work_for_a_peer_that_has_left_is_broken_off() -> None:
    """Although it would never have written a word."""

    async def talk() -> list[bytes]:
        left = asyncio.Event()

        async def work(reply: Reply) -> None:
            await reply.pieces([b"one"])
            try:
                await asyncio.sleep(60.0)
            except asyncio.CancelledError:
                left.set()
                raise

        async def handle(_: Asked, reply: Reply) -> None:
            await reply.unless_left(work(reply))

        return await streamed(handle, pause=left)

    assert asyncio.run(talk()) == [b"one"]


def test_small_pieces_are_not_held_back() -> None:
    """Nagle's wait for an acknowledgement would add 40 ms to a token; asyncio turns it off for what is known as TCP."""

    async def talk() -> int:
        server = await listen(free_port(), echo)
        proto = server.sockets[0].proto
        server.close()
        return proto

    assert asyncio.run(talk()) == socket.IPPROTO_TCP
