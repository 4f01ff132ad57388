"""Nasty loopback servers, written by hand: each test says byte by byte how its server answers.

Owns sockets on 127.0.0.1 and the threads behind them. Must never outlive the `with` block that runs it.
"""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

_GIVE_UP_S = 10.0
"""No conversation lasts longer, so that a fetcher that ignores its deadline fails its test instead of hanging it."""


class Peer:
    """One accepted connection, seen from the server."""

    def __init__(self, sock: socket.socket, server: Server) -> None:
        self._sock = sock
        self._server = server

    def request(self) -> str:
        """Headers of the next request; raises OSError when the client has gone."""
        head = b""
        while b"\r\n\r\n" not in head:
            data = self._sock.recv(65536)
            if not data:
                raise ConnectionAbortedError
            head += data
        text = head.decode("ascii")
        self._server.requests.append(text)
        return text

    def byte(self) -> None:
        """Wait for the first byte, whatever it is."""
        self._sock.recv(1)

    def send(self, data: bytes) -> None:
        """Send bytes and count them."""
        self._sock.sendall(data)
        self._server.sent += len(data)

    def page(self, body: bytes, *headers: str, status: str = "200 OK") -> None:
        """Send a whole answer of known length."""
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
        self.send("\r\n".join([*lines, "", ""]).encode() + body)

    def pause(self, seconds: float = _GIVE_UP_S) -> None:
        """Wait; raises OSError when the test is over."""
        if self._server.over.wait(seconds):
            raise ConnectionAbortedError

    def drip(self, data: bytes, every_s: float = 0.05) -> None:
        """Send one byte at a time for as long as the test lasts."""
        for number in range(int(_GIVE_UP_S / every_s)):
            self.send(data[number % len(data) :][:1])
            self.pause(every_s)

    def reset(self) -> None:
        """End the connection with RST in place of FIN: what a crash or a load balancer does."""
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._sock.close()


class Server:
    """Accepts on a free port and plays one script for each connection, each on a thread."""

    def __init__(self, script: Callable[[Peer], None], tls: ssl.SSLContext | None = None) -> None:
        self._script = script
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._socks: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, name="server", daemon=True)]
        self.port: int = self._listener.getsockname()[1]
        self.over = threading.Event()
        self.connections = 0
        self.requests: list[str] = []
        self.sent = 0

    @property
    def url(self) -> str:
        """Base URL of the server."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.over.set()
        for sock in [self._listener, *self._socks]:
            with suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5.0)
        for sock in [self._listener, *self._socks]:
            sock.close()
        assert not any(thread.is_alive() for thread in self._threads), "a server outlives its test"

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                sock, _ = self._listener.accept()
                sock.settimeout(_GIVE_UP_S)
                # Small, so that what is sent is close to what is read.
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 * 1024)
                self.connections += 1
                self._socks.append(sock)
                thread = threading.Thread(target=self._play, args=(sock,), name="conversation", daemon=True)
                self._threads.append(thread)
                thread.start()

    def _play(self, sock: socket.socket) -> None:
        with suppress(OSError):
            if self._tls is not None:
                sock = self._tls.wrap_socket(sock, server_side=True)
                self._socks.append(sock)
            self._script(Peer(sock, self))
        with suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)
        sock.close()


def pages(body: bytes, *headers: str, status: str = "200 OK") -> Callable[[Peer], None]:
    """Make the script of a healthy server, which gives every request on a connection the same answer."""

    def script(peer: Peer) -> None:
        while True:
            peer.request()
            peer.page(body, *headers, status=status)

    return script


def raw(*parts: bytes) -> Callable[[Peer], None]:
    """Make the script of a server that answers one request with exactly these bytes and then ends the connection."""

    def script(peer: Peer) -> None:
        peer.request()
        for part in parts:
            peer.send(part)

    return script


def hung(first: bytes = b"") -> Callable[[Peer], None]:
    """Make the script of a server that sends these bytes and then nothing more, with the connection open."""

    def script(peer: Peer) -> None:
        peer.request()
        peer.send(first)
        peer.pause()

    return script


def dripping(first: bytes, then: bytes) -> Callable[[Peer], None]:
    """Make the script of a server that sends `first` at once and `then` over and over, a byte at a time."""

    def script(peer: Peer) -> None:
        peer.request()
        peer.send(first)
        peer.drip(then)

    return script


def redirects(table: dict[str, str]) -> Callable[[Peer], None]:
    """Make the script of a server that redirects by path, and gives a page where the table names none."""

    def script(peer: Peer) -> None:
        while True:
            path = peer.request().split(" ")[1]
            if path in table:
                peer.page(b"gone there", f"Location: {table[path]}", status="307 Temporary Redirect")
            else:
                peer.page(b"here")

    return script


def answering(data: bytes) -> Callable[[Peer], None]:
    """Make the script of a server that answers whatever comes first."""

    def script(peer: Peer) -> None:
        peer.byte()
        peer.send(data)
        peer.pause(0.1)

    return script


def tls_context(certificate: Path) -> ssl.SSLContext:
    """Make the context of a server whose key and self-signed certificate (127.0.0.1, localhost) stand in the file."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context
