"""One connection to a target, over TCP, TLS or a Unix socket, that says when the kernel had what it reads."""

from __future__ import annotations

import errno
import os
import socket
import ssl
import struct
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.load.flight import Flight

_SO_TIMESTAMPNS = 35
"""The same number on x86 and ARM; where the kernel does not know it, user time counts."""
_STAMP = struct.Struct("qq")
_STAMP_BYTES, _UNPACK = _STAMP.size, _STAMP.unpack
_READ = 64 * 1024
_ANCILLARY = socket.CMSG_SPACE(_STAMP.size)
_NANO = 1_000_000_000

Address = tuple[socket.AddressFamily, object]
"""Family and address, as getaddrinfo or a path gives them."""


class Phase(Enum):
    """How far a connection is."""

    CONNECTING = 0
    HANDSHAKE = 1
    OPEN = 2
    SHUT = 3


class Link:
    """One socket. Everything here returns at once; OSError says what is wrong with the connection."""

    def __init__(self, address: Address, began: int, tls: ssl.SSLContext | None = None, name: str = "") -> None:
        family, self.place = address
        self.began = began
        """Epoch nanoseconds at which the connecting began."""
        self.opened = 0
        self.flight: Flight | None = None
        """The request that it carries, or will carry when it is open; None while it is idle."""
        self.used = False
        """It has carried a request before."""
        self.phase = Phase.CONNECTING
        self.open = False
        self.socket = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
        self.fd = self.socket.fileno()
        self.stamped = self._prepare(family)
        """Its arrival times are the kernel's."""
        self._receive = self.socket.recvmsg
        self._room = _ANCILLARY if self.stamped else 0
        self._out = b""
        self._tls: ssl.SSLObject | None = None
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        if tls is not None:
            self._tls = tls.wrap_bio(self._incoming, self._outgoing, server_hostname=name)
        code = self.socket.connect_ex(self.place)  # type: ignore[arg-type]
        if code not in (0, errno.EINPROGRESS, errno.EAGAIN):
            self.close()
            raise OSError(code, os.strerror(code))

    def _prepare(self, family: socket.AddressFamily) -> bool:
        if family == socket.AF_UNIX:
            return False
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        except OSError:
            return False
        return True

    def advance(self, now: int) -> bool:
        """Go on with connecting; whether it is open. OSError (ssl.SSLError is one) when it will never be."""
        if self.phase is Phase.CONNECTING:
            code = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if code:
                raise OSError(code, os.strerror(code))
            self.phase = Phase.HANDSHAKE if self._tls else Phase.OPEN
        if self.phase is Phase.HANDSHAKE and self._shaken():
            self.phase = Phase.OPEN
        if self.phase is Phase.OPEN and not self.open:
            self.open, self.opened = True, now
        return self.open

    def _shaken(self) -> bool:
        assert self._tls is not None  # noqa: S101 - only TLS has a handshake
        self._fill()
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._drain()
            return False
        self._drain()
        return True

    def _fill(self) -> None:
        """Give what came to TLS."""
        try:
            while data := self.socket.recv(_READ):
                self._incoming.write(data)
            self._incoming.write_eof()
        except BlockingIOError:
            pass

    def _drain(self) -> None:
        """Send what TLS wants sent."""
        self._out += self._outgoing.read()
        self.flush()

    def send(self, data: bytes) -> None:
        """Send it, or as much as goes now; `flush` sends the rest."""
        if self._tls is not None:
            self._tls.write(data)
            self._drain()
            return
        self._out += data
        self.flush()

    def flush(self) -> None:
        """Go on sending."""
        while self._out:
            try:
                sent = self.socket.send(self._out)
            except BlockingIOError:
                return
            self._out = self._out[sent:]

    @property
    def sending(self) -> bool:
        """Something waits to be sent."""
        return bool(self._out)

    def read(self) -> tuple[bytes, int] | None:
        """What came and when the kernel had it (0 where it does not say); b"" at its end, None for nothing yet."""
        try:
            data, words, _, _ = self._receive(_READ, self._room)
        except BlockingIOError:
            return None
        stamp = 0
        if words and len(words[0][2]) == _STAMP_BYTES:
            seconds, nanos = _UNPACK(words[0][2])
            stamp = seconds * _NANO + nanos
        return (data, stamp) if self._tls is None else self._opened(data, stamp)

    def _opened(self, data: bytes, stamp: int) -> tuple[bytes, int] | None:
        """What TLS makes of it."""
        assert self._tls is not None  # noqa: S101 - the caller looks
        if not data:
            return b"", stamp
        self._incoming.write(data)
        plain = []
        try:
            while piece := self._tls.read(_READ):
                plain.append(piece)
        except ssl.SSLWantReadError:
            self._drain()
        except ssl.SSLZeroReturnError:
            return b"".join(plain), stamp
        else:
            return b"".join(plain), stamp
        return (b"".join(plain), stamp) if plain else None

    def close(self) -> None:
        """Drop it."""
        self.phase, self.open = Phase.SHUT, False
        self.socket.close()
