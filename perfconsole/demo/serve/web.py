"""HTTP/1.1 on loopback with asyncio streams: a small server and a client with kept connections. Bounded, no TLS.

An answer to a model call is two lines of fixed width, the first one sent with the first token: enough to be measured
on its way, and nothing that could be taken for a real model's text.
"""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

HOST = "127.0.0.1"
TEXT = "text/plain; version=0.0.4; charset=utf-8"
_LINE = 64
_BACKLOG = 256
_MOST_CONNECTIONS = 512
_MOST_BODY = 64 * 1024
_BROKEN = (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError, OSError)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    method: str
    path: str
    body: bytes


class Reply:
    """The way back to who asked."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def whole(self, body: bytes = b"", status: str = "200 OK", kind: str = "application/json") -> None:
        """Everything at once."""
        self._writer.write(_head(status, kind, len(body)) + body)
        await self._writer.drain()

    async def first_line(self, document: dict[str, Any]) -> None:
        """The head and the first of two lines."""
        self._writer.write(_head("200 OK", "application/x-ndjson", 2 * _LINE) + _padded(document))
        await self._writer.drain()

    async def last_line(self, document: dict[str, Any]) -> None:
        """The second of two lines."""
        self._writer.write(_padded(document))
        await self._writer.drain()


def _head(status: str, kind: str, length: int) -> bytes:
    lines = (f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {length}", "Server: perfconsole-demo")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _padded(document: dict[str, Any]) -> bytes:
    return json.dumps(document).encode().ljust(_LINE - 1) + b"\n"


async def listen(port: int, handle: Callable[[Asked, Reply], Awaitable[None]]) -> asyncio.Server:
    """Serve on a loopback port that the stage has reserved."""
    connections = 0

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        try:
            while connections <= _MOST_CONNECTIONS:
                await handle(await _read_request(reader), Reply(writer))
        except _BROKEN:
            pass  # the peer has left, or sends what is no HTTP
        finally:
            connections -= 1
            writer.close()

    with socket.socket() as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        raw.bind((HOST, port))
        return await asyncio.start_server(connected, sock=raw.dup(), backlog=_BACKLOG, limit=16 * 1024)


async def _read_request(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    method, path, _ = head.split("\r\n", 1)[0].split(" ", 2)
    length = _length(head)
    return Asked(method, path.partition("?")[0], await reader.readexactly(length) if length else b"")


def _length(head: str) -> int:
    lines = (line.partition(":") for line in head.lower().split("\r\n"))
    length = next((int(value) for name, _, value in lines if name == "content-length"), 0)
    if not 0 <= length <= _MOST_BODY:
        raise ValueError(f"a body of {length} bytes")
    return length


class Client:
    """Posts JSON to one loopback server; connections are kept and used again."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def post(
        self, path: str, document: dict[str, Any], first: Callable[[], Awaitable[None]] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Status and the last line of the answer; `first` is awaited when its first line is there.

        Raises ConnectionError when there is no complete answer.
        """
        reader, writer = self._idle.pop() if self._idle else await asyncio.open_connection(HOST, self._port)
        try:
            answer = await self._exchange(reader, writer, _posted(path, document), first)
        except BaseException as error:
            writer.close()
            if isinstance(error, _BROKEN):
                raise ConnectionError(str(error)) from None
            raise
        self._idle.append((reader, writer))
        return answer

    async def _exchange(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        request: bytes,
        first: Callable[[], Awaitable[None]] | None,
    ) -> tuple[int, dict[str, Any]]:
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        status, length = int(head.split(" ", 2)[1]), _length(head)
        if length == 2 * _LINE:
            await reader.readexactly(_LINE)
            if first is not None:
                await first()
            length = _LINE
        body = await reader.readexactly(length)
        return status, json.loads(body) if body.strip() else {}

    def close(self) -> None:
        """Give the idle connections up."""
        for _, writer in self._idle:
            with suppress(OSError):
                writer.close()
        self._idle.clear()


def _posted(path: str, document: dict[str, Any]) -> bytes:
    body = json.dumps(document).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
