"""All connections of the load: who is idle, who is being opened, and what the kernel has news of."""

from __future__ import annotations

import os
import select
import socket
import ssl
import threading
from collections import Counter
from fcntl import ioctl
from struct import Struct
from termios import FIONREAD
from typing import TYPE_CHECKING

from perfconsole.clock import epoch_ns
from perfconsole.load.link import Link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfconsole.load.link import Address
    from perfconsole.model.probeorders import Target

_IN, _OUT = select.EPOLLIN, select.EPOLLOUT
_INT = Struct("i")


class Wires:
    """Owns the sockets. Nothing here waits but `resolve`."""

    def __init__(self, targets: Iterable[Target]) -> None:
        self._targets = tuple(targets)
        self.epoll = select.epoll()
        self.links: dict[int, Link] = {}
        self._where: dict[Link, int] = {}
        self._idle: list[list[Link]] = [[] for _ in self._targets]
        self._addresses: dict[int, Address] = {}
        self._tls = {index: _tls(target) for index, target in enumerate(self._targets) if target.scheme == "https"}
        self.connects: Counter[int] = Counter()
        """Microseconds that connecting took, of all connections since somebody cleared it."""
        self._news = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._resolved: list[Callable[[], None]] = []
        self.epoll.register(self._news, _IN)

    @property
    def kernel_stamps(self) -> bool:
        """All connections have their arrival times from the kernel."""
        return all(link.stamped for link in self.links.values())

    def resolve(self, target: int) -> None:
        """Look the address of a target up; OSError where it has none."""
        self._addresses[target] = _look_up(self._targets[target])

    def resolve_later(self, target: int, then: Callable[[OSError | None, int], None]) -> None:
        """Look it up on a thread; `then` is called by `news` with what went wrong and the nanoseconds it took."""

        def work() -> None:
            began, fault = epoch_ns(), None
            try:
                self.resolve(target)
            except OSError as error:
                fault = error
            took = epoch_ns() - began
            self._resolved.append(lambda: then(fault, took))
            os.eventfd_write(self._news, 1)

        threading.Thread(target=work, daemon=True).start()

    def news(self, fd: int) -> bool:
        """Whether these news are of a look-up; it is told of then."""
        if fd != self._news:
            return False
        os.eventfd_read(self._news)
        while self._resolved:
            self._resolved.pop(0)()
        return True

    def open(self, target: int) -> Link:
        """Begin to connect; OSError where that fails at once."""
        address = self._addresses[target]
        link = Link(address, epoch_ns(), self._tls.get(target), self._targets[target].host)
        self.links[link.fd] = link
        self._where[link] = target
        self.epoll.register(link.fd, _IN | _OUT)
        return link

    def idle(self, target: int) -> Link | None:
        """A connection that is open and carries nothing; it is no longer idle then."""
        return self._idle[target].pop() if self._idle[target] else None

    def opened(self, target: int) -> int:
        """How many connections there are, or will be."""
        return sum(1 for where in self._where.values() if where == target)

    def rest(self, link: Link) -> None:
        """It carries nothing any more."""
        link.flight = None
        self._idle[self._where[link]].append(link)

    def listen(self, link: Link) -> None:
        """Hear of what comes; also of room to send while something waits to be sent, or it is not open yet."""
        self.epoll.modify(link.fd, _IN | _OUT if link.sending or not link.open else _IN)

    def drop(self, link: Link) -> None:
        """Close it; once more does nothing, as its number may be that of another by now."""
        target = self._where.pop(link, None)
        if target is None:
            return
        del self.links[link.fd]
        if link in self._idle[target]:
            self._idle[target].remove(link)
        link.close()

    def unread(self) -> int:
        """Bytes that lie in the sockets."""
        return sum(_INT.unpack(ioctl(fd, FIONREAD, bytes(_INT.size)))[0] for fd in self.links)

    def close(self) -> None:
        """Drop everything."""
        for link in list(self.links.values()):
            self.drop(link)
        self.epoll.close()


def _look_up(target: Target) -> Address:
    if target.unix:
        return socket.AF_UNIX, target.unix
    found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    if not found:
        raise OSError(f"{target.host} has no address")
    # The first that something listens at: localhost is ::1 first on hosts whose engines listen on 127.0.0.1 only.
    for family, _, _, _, place in found[:-1]:
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.settimeout(1.0)
            if trial.connect_ex(place) == 0:
                return family, place
    family, _, _, _, place = found[-1]
    return family, place


def _tls(target: Target) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if not target.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
