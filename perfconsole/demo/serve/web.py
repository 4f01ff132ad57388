"""HTTP/1.1 on loopback with asyncio streams: a small server and a client with kept connections. Bounded, no TLS.

An answer to a model call of the simulator's own is two lines of fixed width, the first one sent with the first token:
enough to be measured on its way, and nothing that could be taken for a real model's text. Others get events.
"""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Iterable

HOST = "127.0.0.1"
TEXT = "text/plain; version=0.0.4; charset=utf-8"
_LINE = 64
_BACKLOG = 256
_MOST_CONNECTIONS = 512
_MOST_BODY = 256 * 1024
_LOOK_S = 0.1
"""How often it is looked whether a peer that waits is still there."""
_BROKEN = (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError, OSError)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    method: str
    path: str
    body: bytes


class Reply:
    """The way back to who asked."""

    def __init__(self, writer: asyncio.StreamWriter, reader: asyncio.StreamReader | None = None) -> None:
        self._writer = writer
        self._reader = reader
        self._begun = False

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

    async def stream(self) -> None:
        """The head of an answer in events, at once: engines send it before the first token."""
        self._begun = True
        self._writer.write(_STREAM)
        await self._writer.drain()

    async def piece(self, data: bytes) -> None:
        """The next piece of a stream; one of no bytes would be the end."""
        self._writer.write(b"%x\r\n%b\r\n" % (len(data), data))
        await self._writer.drain()

    async def pieces(self, several: Iterable[bytes]) -> None:
        """The next pieces of a stream, each on its own, and the head before the first of all."""
        for data in several:
            if not self._begun:
                await self.stream()
            await self.piece(data)

    async def end_stream(self) -> None:
        """There are no more pieces."""
        self._begun = False
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()

    async def unless_left(self, work: Coroutine[Any, Any, None]) -> None:
        """Do the work while whoever asked is there; ConnectionResetError, and the work cancelled, once they are not."""
        task = asyncio.ensure_future(work)
        try:
            while not (await asyncio.wait({task}, timeout=_LOOK_S))[0]:
                if self._reader is not None and self._reader.at_eof():
                    raise ConnectionResetError("whoever asked has left")
        finally:
            task.cancel()
        task.result()


def _head(status: str, kind: str, length: int) -> bytes:
    return _lines(f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {length}")


def _lines(*lines: str) -> bytes:
    return ("\r\n".join((*lines, "Server: perfconsole-demo")) + "\r\n\r\n").encode()


_STREAM = _lines("HTTP/1.1 200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")


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
                await handle(await _read_request(reader), Reply(writer, reader))
        except _BROKEN:
            pass  # the peer has left, or sends what is no HTTP
        finally:
            connections -= 1
            writer.close()

    # Of a socket that says it is TCP asyncio turns Nagle's wait off, which holds a token back for 40 ms.
    with socket.socket(proto=socket.IPPROTO_TCP) as raw:
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


class NotStreamedError(Exception):
    """An answer that is no stream: a refusal."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.body = body


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
        async with self._connection() as (reader, writer):
            return await self._exchange(reader, writer, _posted(path, json.dumps(document).encode()), first)

    async def stream(self, path: str, body: bytes) -> AsyncGenerator[bytes, None]:
        """The pieces of a streamed answer; NotStreamedError for any other, ConnectionError for an incomplete one."""
        async with self._connection() as (reader, writer):
            writer.write(_posted(path, body))
            status, length, chunked = await _read_head(reader)
            if not chunked:
                raise NotStreamedError(status, await reader.readexactly(length))
            while size := int(await reader.readuntil(b"\r\n"), 16):
                yield (await reader.readexactly(size + 2))[:-2]
            await reader.readexactly(2)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """One for a single exchange; it is kept when that ended well."""
        try:
            pair = self._idle.pop() if self._idle else await asyncio.open_connection(HOST, self._port)
        except OSError as error:
            raise ConnectionError(str(error)) from None
        try:
            yield pair
        except NotStreamedError:
            self._idle.append(pair)
            raise
        except BaseException as error:
            pair[1].close()
            if isinstance(error, _BROKEN):
                raise ConnectionError(str(error)) from None
            raise
        self._idle.append(pair)

    async def _exchange(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        request: bytes,
        first: Callable[[], Awaitable[None]] | None,
    ) -> tuple[int, dict[str, Any]]:
        writer.write(request)
        status, length, _ = await _read_head(reader)
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


async def _read_head(reader: asyncio.StreamReader) -> tuple[int, int, bool]:
    """Status, length of the body, and whether it comes in chunks instead."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    return int(head.split(" ", 2)[1]), _length(head), "\r\ntransfer-encoding: chunked" in head.lower()


def _posted(path: str, body: bytes) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
