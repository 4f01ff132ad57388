"""One accepted connection: what came and was not used, what was to go and did not fit, and TLS between them."""

from __future__ import annotations

import socket
import ssl
import struct
import time  # noqa: TID251 - the moments of arrival are part of the truth
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.load.exactserver.live import Live

_CHUNK = 1 << 18


class Connection:
    """A socket that never blocks. `came` holds what was read and not yet used."""

    def __init__(self, sock: socket.socket, number: int, tls: ssl.SSLContext | None) -> None:
        sock.settimeout(0.0)
        if sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.number = number
        self.fd = sock.fileno()
        self.came = bytearray()
        self.going = bytearray()
        self.requests = 0
        self.read_ns = self.read_mono = 0
        """When something was read last, by both clocks."""
        self.live: Live | None = None
        """The request that is being answered."""
        self.closing = False
        """To be closed as soon as everything has gone out."""
        self.closed = False
        self._sock = sock
        self._sealed = _Sealed(tls) if tls is not None else None

    def read(self) -> bool:
        """Take what is there; False when the client has gone."""
        try:
            while data := self._sock.recv(_CHUNK):
                self.read_ns, self.read_mono = time.time_ns(), time.monotonic_ns()
                self.came += self._opened(data) if self._sealed is not None else data
                if len(data) < _CHUNK:
                    return True
        except BlockingIOError:
            return True
        except (OSError, ssl.SSLError):
            return False
        return False

    def send(self, data: bytes) -> None:
        """Hand bytes to the kernel, or keep them until it takes more."""
        if self.closed:
            return
        if self._sealed is not None:
            data = self._sealed.seal(data)
        if self.going:
            self.going += data
            return
        self._hand_over(data)

    def flush(self) -> None:
        """Try again with what did not fit."""
        data, self.going = bytes(self.going), bytearray()
        self._hand_over(data)

    def close(self) -> None:
        """End it."""
        self.closed = True
        self._sock.close()

    def reset(self) -> None:
        """End it with RST."""
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def _hand_over(self, data: bytes) -> None:
        try:
            sent = self._sock.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            return  # the end of the connection is seen where it is read
        if sent < len(data):
            self.going += data[sent:]

    def _opened(self, data: bytes) -> bytes:
        sealed = self._sealed
        assert sealed is not None
        plain, answer = sealed.open(data)
        if answer:
            self.going += answer
            self.flush()
        return plain


class _Sealed:
    """TLS on bytes in memory."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._in, self._out, server_side=True)
        self._shaken = False

    def open(self, data: bytes) -> tuple[bytes, bytes]:
        """What a client said, and what of the handshake is to be sent back; OSError when it has ended."""
        self._in.write(data)
        plain = b""
        with suppress(ssl.SSLWantReadError):
            if not self._shaken:
                self._tls.do_handshake()
                self._shaken = True
            while part := self._tls.read(_CHUNK):
                plain += part
            raise ConnectionAbortedError
        return plain, self._out.read()

    def seal(self, data: bytes) -> bytes:
        """What is to be sent for these bytes."""
        self._tls.write(data)
        return self._out.read()
