"""An OpenAI-compatible streaming server that gives out tokens at exact moments and logs what it did.

One thread, one epoll loop. Owns its sockets; listens on 127.0.0.1 or on a Unix socket only. Never outlives its `with`.
"""

from __future__ import annotations

import os
import select
import socket
import threading
import time  # noqa: TID251 - the loop waits for scheduled moments
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Self, TypeVar

from tests.load.exactserver.answer import whole
from tests.load.exactserver.ask import APIS
from tests.load.exactserver.connection import Connection
from tests.load.exactserver.engine import Engine
from tests.load.exactserver.reading import next_request
from tests.load.exactserver.routes import page, state
from tests.load.exactserver.settings import Settings

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from tests.load.exactserver.truth import Truth

T = TypeVar("T")
_IN, _OUT = select.EPOLLIN | select.EPOLLRDHUP, select.EPOLLOUT
_WAIT_S = 10.0


class ExactServer:
    """A server for tests: `with ExactServer(Settings(slots=16)) as server: ... server.truths()`."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        port: int = 0,
        tls: ssl.SSLContext | None = None,
        unix: Path | None = None,
    ) -> None:
        self._tls = tls
        self._unix = unix
        self._listener = _listener(port, unix)
        self.port: int = 0 if unix else self._listener.getsockname()[1]
        self._engine = Engine(settings or Settings())
        self._epoll = select.epoll()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._asked: deque[Callable[[], None]] = deque()
        self._connections: dict[int, Connection] = {}
        self._numbers = count()
        self._over = False
        self._thread = threading.Thread(target=self.run, name="exact server", daemon=True)

    @property
    def url(self) -> str:
        """Base URL; of a Unix socket only its path counts."""
        return f"{'https' if self._tls else 'http'}://{'localhost' if self._unix else f'127.0.0.1:{self.port}'}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._thread.join(_WAIT_S)
        assert not self._thread.is_alive(), "the server outlives its test"
        os.close(self._wake)  # not before: another file may have its number by then, and be written into

    def set(self, **changes: Any) -> None:  # noqa: ANN401 - as many kinds as there are settings
        """Change settings, or `stall_ms=`, `clear=True`; ValueError for a name or a value that is not known."""
        self.do(lambda: self._engine.change(changes))

    def truths(self) -> list[Truth]:
        """All requests so far, in order of arrival. They are the live records: those of a request that runs grow."""
        return self.do(lambda: list(self._engine.truths))

    def state(self) -> dict[str, Any]:
        """What `GET /admin` says: running, waiting, connections, ended, late_p99_us ..."""
        return self.do(lambda: state(self._engine, len(self._connections)))

    def settled(self, within_s: float = 5.0) -> bool:
        """Whether every connection was closed and nothing runs or waits, at once or within the time."""
        deadline = time.monotonic() + within_s
        while (now := self.state())["connections"] or now["running"] or now["waiting"]:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.005)
        return True

    def do(self, function: Callable[[], T]) -> T:
        """Call a function in the thread of the server, and give its result or its error back."""
        future: Future[T] = Future()
        self._asked.append(partial(_answer, future, function))
        os.eventfd_write(self._wake, 1)
        return future.result(_WAIT_S)

    def run(self, bound_to: int | None = None) -> None:
        """Serve until somebody stops it, or the pipe that it is bound to closes."""
        if bound_to is not None:
            self._epoll.register(bound_to, select.EPOLLRDHUP)
        self._epoll.register(self._listener.fileno(), select.EPOLLIN)
        self._epoll.register(self._wake, select.EPOLLIN)
        engine, poll = self._engine, self._epoll.poll
        more = False
        while not self._over:
            self._wait(more=more)
            # All reads come first: the 256th of a burst is not to wait until 255 others were understood.
            for connection in [c for c in (self._happened(fd, event) for fd, event in poll(0)) if c is not None]:
                self._settle(connection)
            more = engine.run(time.monotonic_ns())
            while engine.touched:
                self._settle(engine.touched.pop())
        self._close()

    def stop(self) -> None:
        """End the loop; may be called from any thread, and from a signal handler."""
        self._over = True
        os.eventfd_write(self._wake, 1)

    def _wait(self, *, more: bool) -> None:
        """Until something comes or is due. select() counts microseconds, where epoll rounds up to milliseconds."""
        due = None if more else self._engine.next_due()
        left = 0.0 if more else None if due is None else (due - time.monotonic_ns()) / 1e9
        if left is None or left > 0:
            select.select([self._epoll], [], [], left)

    def _happened(self, fd: int, event: int) -> Connection | None:
        """One file descriptor is ready; the connection behind it, if there is one."""
        if fd == self._listener.fileno():
            self._accept()
        elif fd == self._wake:
            os.eventfd_read(self._wake)
            while self._asked:
                self._asked.popleft()()
        elif fd in self._connections:
            return self._talk(self._connections[fd], event)
        else:
            self._over = True  # the pipe of who started us has closed
        return None

    def _accept(self) -> None:
        with suppress(BlockingIOError):
            while True:
                sock, _ = self._listener.accept()
                connection = Connection(sock, next(self._numbers), self._tls)
                self._connections[connection.fd] = connection
                self._epoll.register(connection.fd, _IN)

    def _talk(self, connection: Connection, event: int) -> Connection | None:
        """Something came on a connection, or it takes more; None when that was its end."""
        if event & ~_OUT and not connection.read():
            self._drop(connection)
            return None
        if event & _OUT:
            connection.flush()
        return connection

    def _settle(self, connection: Connection) -> None:
        """Take its next request if it has come, close it if it is over, and wait for what it is able to do."""
        if connection.closed:
            self._drop(connection)
            return
        try:
            self._requests(connection)
        except ValueError:
            connection.closing = True
            connection.send(whole(400, b""))
        if connection.closing and not connection.going:
            self._drop(connection)
        else:
            self._epoll.modify(connection.fd, _IN | _OUT if connection.going else _IN)

    def _requests(self, connection: Connection) -> None:
        """All that came whole, one after the other: the next is not read before the one before is answered."""
        while connection.live is None and not connection.closing and (request := next_request(connection.came)):
            if request.method == "POST" and request.path in APIS:
                self._engine.take(connection, APIS[request.path], request.body, request.bearer)
            elif said := page(self._engine, request, len(self._connections)):
                connection.send(said)

    def _drop(self, connection: Connection) -> None:
        if self._connections.get(connection.fd) is not connection:
            return  # gone before, and another may have its number by now
        del self._connections[connection.fd]
        self._engine.lost(connection)
        if not connection.closed:
            self._epoll.unregister(connection.fd)
            connection.close()

    def _close(self) -> None:
        for connection in tuple(self._connections.values()):
            self._drop(connection)
        self._listener.close()
        self._epoll.close()
        if self._unix is not None:
            self._unix.unlink(missing_ok=True)


def _listener(port: int, unix: Path | None) -> socket.socket:
    """A socket that listens on loopback or on a path, with room for many that connect at once."""
    if unix is None:
        listener = socket.create_server(("127.0.0.1", port), backlog=4096)
    else:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(unix))
        listener.listen(4096)
    listener.settimeout(0.0)
    return listener


def _answer(future: Future[T], function: Callable[[], T]) -> None:
    try:
        future.set_result(function())
    except Exception as error:  # noqa: BLE001 - whoever asked gets it
        future.set_exception(error)
