"""The network under httpx: lookup, sockets and TLS whose every wait ends at one deadline or at a stop.

Owns the one connection to a target. Must never wait longer than the get in flight may take, and never read on its own.
"""

from __future__ import annotations

import select
import socket
import struct
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.sources.web.address import is_literal
from perfconsole.sources.web.failure import FetchError, FetchKind, lost, unanswered, unconnected, untrusted

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from perfconsole.clock import Clock
    from perfconsole.sources.web.address import Address

_MAX_PLACES = 4
"""Addresses of one host that are tried; each further one would only shorten the time of the others."""
_HEAD_BYTES = 24
"""First bytes of an answer that are kept: enough to show that it is SSH or TLS and not HTTP."""

_SO_TIMESTAMPNS = 35
"""Its number on Linux, which the module socket does not name; it is the kind of the message that answers it too."""
_STAMP = (socket.SOL_SOCKET, _SO_TIMESTAMPNS)
_TIME = struct.Struct("@qq")
_ROOM = socket.CMSG_SPACE(_TIME.size)

_Place = tuple[int, tuple[object, ...]]
"""Address family and socket address."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one get may cost at most."""

    connect_s: float = 2.0
    """Lookup of the name and connecting, over all addresses of the host."""
    total_s: float = 5.0
    """The whole get, with its redirects and its second try."""
    max_bytes: int = 16 * 2**20
    """Of the page as sent, and again of the page as unpacked."""
    max_redirects: int = 3


def _resolve(host: str, port: int) -> list[_Place] | str:
    """Addresses of a host, or why there are none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        return error.strerror or "unknown reason"
    except UnicodeError:
        return "not a host name"
    return [(family, address) for family, _, _, _, address in found[:_MAX_PLACES]]


class _Resolver:
    """Lookups that can be left: the resolver of libc has no time-out of ours (10 s and more with a dead DNS server).

    It runs on a daemon thread, one at most; a get that gives up leaves the thread behind, and the next one finds its
    answer. The thread writes `_found`, the getting thread takes it away.
    """

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._found: list[_Place] | str | None = None
        self._asking = False

    def find(self, host: str, port: int, wait_s: float, stopped: Callable[[], bool]) -> list[_Place] | str:
        """Addresses, or why there are none; waits until `wait_s` seconds are over or, at a `wake`, `stopped()`."""
        if is_literal(host):
            return _resolve(host, port)
        with self._change:
            if self._found is None and not self._asking:
                self._asking = True
                threading.Thread(target=self._ask, args=(host, port), name="lookup", daemon=True).start()
            self._change.wait_for(lambda: self._found is not None or stopped(), wait_s)
            found, self._found = self._found, None
        return found or f"no answer within {wait_s:.1f} s"

    def wake(self) -> None:
        """Have a `find` that waits look at its `stopped` again, from any thread."""
        with self._change:
            self._change.notify_all()

    def _ask(self, host: str, port: int) -> None:
        found = _resolve(host, port)
        with self._change:
            self._found, self._asking = found, False
            self._change.notify_all()


class Line:
    """The connection to one target, and what came over it in the request in flight.

    httpx waits anew for each read, so a byte a second of headers would keep it for ever, and a host with four dead
    addresses costs it four connect time-outs. Down here each wait gets just the time that is left. That bounds all
    phases with the same few lines, and needs no watchdog thread.

    The getting thread writes all fields. `stop` comes from other threads: it shares a lock with what closes the
    socket, so that it never hits a descriptor which by then belongs to somebody else.
    """

    def __init__(self, address: Address, limits: Limits, clock: Clock) -> None:
        self.where = address.shown
        self._limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._resolver = _Resolver()
        self._sock: socket.socket | None = None
        self._busy = self._stopped = False
        self._deadline = self._last = self._wait = self._total_s = self._arrived = 0.0
        self._asked: float | None = None
        self.attempt()

    def attempt(self) -> None:
        """Forget what came over the line: a request goes out."""
        self.fresh = False
        """The connection was opened for this request, it is not one kept from before."""
        self.ended = False
        self.received = 0
        """Bytes of the answer, headers included."""
        self.head = b""
        self._connected = True

    def begin(self, total_s: float) -> None:
        """Start the time of a get, which may take so many seconds."""
        with self._lock:
            self._busy, self._stopped = True, False
        self._total_s = total_s
        self._asked = None
        self._deadline = self._clock.now() + total_s

    def end(self) -> None:
        """End the time of a get: a stop that comes from now on does nothing."""
        with self._lock:
            self._busy = False

    def stop(self) -> None:
        """Break the get in flight, from any thread; returns at once."""
        with self._lock:
            if not self._busy:
                return
            self._stopped = True
            self._resolver.wake()
            # Not the method of the socket: that of a TLS socket would drop its state under a read in progress.
            with suppress(OSError):
                if self._sock is not None:
                    socket.socket.shutdown(self._sock, socket.SHUT_RDWR)

    def check(self) -> None:
        """Raise FetchError when the get was stopped."""
        if self._stopped:
            raise FetchError(FetchKind.TIMEOUT, "stopped by the console")

    def left(self) -> float:
        """Seconds until the deadline; raises FetchError when none are left or the get was stopped."""
        self.check()
        left = self._deadline - self._clock.now()
        if left <= 0:
            raise self.late()
        return left

    def late(self) -> FetchError:
        """Error of a deadline that has passed, by what had come until then."""
        if not self._connected:
            return unconnected(self.where, TimeoutError(), self._wait)
        return unanswered(self.where, self._total_s, self.received, self._clock.now() - self._last)

    def ask(self) -> None:
        """A request goes out now."""
        self._asked = self._clock.now() if self._asked is None else self._asked

    def took_s(self, began: float) -> float:
        """Seconds from the first request of a get that `began` then to the last byte of the answer.

        The time to connect counts; the time that this process needed to get at what had come does not: with many
        targets, or beside a busy program, that is more than the target took, and it would be asked the less for it.
        """
        start = began if self.fresh or self._asked is None else self._asked
        return max(0.0, self._arrived - start)

    def note(self, data: bytes, stamp: float | None = None) -> None:
        """Count what came, by the kernel at `stamp` (epoch seconds); FetchError RESET for an end without a byte."""
        self.ended = not data
        if not data and not self.received:
            raise FetchError(FetchKind.RESET, f"{self.where} closed the connection without an answer")
        now = self._last = self._clock.now()
        came = now if stamp is None else stamp - (self._clock.wall() - now)
        self._arrived = min(now, max(came, self._asked or 0.0))
        self.received += len(data)
        self.head += data[: _HEAD_BYTES - len(self.head)]

    def adopt(self, sock: socket.socket) -> None:
        """Make this the socket that a stop breaks."""
        with self._lock:
            self._sock = sock

    def drop(self, sock: socket.socket) -> None:
        """Close the socket, where no stop can be using it."""
        with self._lock:
            sock.close()
            if self._sock is sock:
                self._sock = None

    def connect_tcp(self, host: str, port: int, **_wait: object) -> Stream:
        """Connect to the first address that answers; httpcore calls it by this name, with time-outs that do not count.

        Raises FetchError.
        """
        self.fresh, self._connected, self._wait = True, False, 0.0
        self._wait = min(self._limits.connect_s, self.left())
        end = self._clock.now() + self._wait
        places = self._resolver.find(host, port, self._wait, lambda: self._stopped)
        self.check()
        if isinstance(places, str):
            raise FetchError(FetchKind.UNREACHABLE, f"no address for the host {host} (lookup: {places})")
        failures = []
        for waiting, place in zip(range(len(places), 0, -1), places, strict=True):
            try:
                # A share for each: an address whose packets vanish must not use up the time of the next one.
                return self._dial(place, (end - self._clock.now()) / waiting)
            except OSError as error:
                failures.append(unconnected(self.where, error, self._wait))
        raise min(failures, key=lambda failure: failure.kind is FetchKind.UNREACHABLE)

    def _dial(self, place: _Place, wait_s: float) -> Stream:
        if wait_s <= 0:
            raise TimeoutError
        sock = socket.socket(place[0], socket.SOCK_STREAM)
        try:
            self.adopt(sock)
            sock.settimeout(wait_s)
            self.check()
            sock.connect(place[1])
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except BaseException:
            self.drop(sock)
            self.check()
            raise
        self._connected = True
        return Stream(self, sock)


def _has_stamps(sock: socket.socket) -> bool:
    """Whether the kernel will say when bytes came in."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    except OSError:
        return False
    return hasattr(sock, "recvmsg")


class Stream:
    """One connected socket, as httpcore wants it: the time-outs that it hands in give way to those of the line."""

    def __init__(self, line: Line, sock: socket.socket) -> None:
        self._line = line
        self._sock = sock
        self._stamped = _has_stamps(sock)

    def read(self, max_bytes: int, **_wait: object) -> bytes:
        """Wait for bytes, `b""` at the end; raises FetchError."""
        try:
            self._sock.settimeout(self._line.left())
            data, stamp = self._receive(max_bytes)
        except TimeoutError:
            raise self._line.late() from None
        except OSError as error:
            self._line.check()
            raise lost(self._line.where, error, self._line.received) from None
        self._line.check()
        self._line.note(data, stamp)
        return data

    def _receive(self, max_bytes: int) -> tuple[bytes, float | None]:
        """Bytes, and when the last of them came where the kernel says it: not before it has got used to being asked."""
        if not self._stamped:
            return self._sock.recv(max_bytes), None
        data, notes, _, _ = self._sock.recvmsg(max_bytes, _ROOM)
        stamps = [note for level, kind, note in notes if (level, kind) == _STAMP]
        if not stamps or len(stamps[0]) < _TIME.size:
            return data, None
        seconds, nanos = _TIME.unpack_from(stamps[0])
        return data, seconds + nanos / 1e9

    def write(self, buffer: bytes, **_wait: object) -> None:
        """Send all; raises FetchError."""
        self._line.ask()
        try:
            self._sock.settimeout(self._line.left())
            self._sock.sendall(buffer)
        except TimeoutError:
            raise self._line.late() from None
        except OSError as error:
            self._line.check()
            raise lost(self._line.where, error, self._line.received) from None

    def close(self) -> None:
        """Give the socket up."""
        self._line.drop(self._sock)

    def start_tls(self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, **_wait: object) -> Stream:
        """Speak TLS from now on; raises FetchError."""
        try:
            # The wrapped socket takes the descriptor over, so a stop has to know it before the handshake waits.
            self._sock = ssl_context.wrap_socket(
                self._sock, server_hostname=server_hostname, do_handshake_on_connect=False
            )
            self._line.adopt(self._sock)
            self._stamped = False  # what the kernel hands over is not what is read
            self._sock.settimeout(self._line.left())
            self._sock.do_handshake()
        except TimeoutError:
            self.close()
            raise self._line.late() from None
        except OSError as error:
            self.close()
            self._line.check()
            raise untrusted(self._line.where, error) from None
        except BaseException:
            self.close()
            raise
        return self

    def get_extra_info(self, info: str) -> object:
        """Whether something can be read, which on an idle connection means that the server has closed it."""
        if info != "is_readable":
            return None
        if self._sock.fileno() < 0:
            return True
        poll = select.poll()
        poll.register(self._sock, select.POLLIN)
        return bool(poll.poll(0))
