"""All connections of the load."""

from __future__ import annotations

import select
import socket
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from perfconsole.clock import epoch_ns
from perfconsole.load.wires import Wires
from perfconsole.model.probeorders import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.load.link import Link


@contextmanager
def wired() -> Iterator[tuple[Wires, socket.socket]]:
    """Connections to a server that only listens."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        wires = Wires([Target("http", "127.0.0.1", server.getsockname()[1])])
        wires.resolve(0)
        yield wires, server
        wires.close()


def opened(wires: Wires) -> Link:
    """A connection that is open."""
    link = wires.open(0)
    select.select([], [link.fd], [], 5.0)
    assert link.advance(epoch_ns())
    return link


def test_a_connection_that_rests_is_there_for_the_next() -> None:
    """Once."""
    with wired() as (wires, _):
        link = opened(wires)
        assert wires.idle(0) is None
        wires.rest(link)
        assert wires.idle(0) is link
        assert wires.idle(0) is None
        assert wires.opened(0) == 1


def test_one_that_is_dropped_is_nowhere() -> None:
    """Neither idle nor counted."""
    with wired() as (wires, _):
        link = opened(wires)
        wires.rest(link)
        wires.drop(link)
        assert (wires.idle(0), wires.opened(0), wires.links) == (None, 0, {})


def test_bytes_that_nobody_read_are_counted() -> None:
    """Over all connections."""
    with wired() as (wires, server):
        link = opened(wires)
        other, _ = server.accept()
        with closing(other):
            other.sendall(b"12345")
            select.select([link.fd], [], [], 5.0)
            assert wires.unread() == 5


def test_a_name_that_is_none_is_an_error() -> None:
    """Before anything is sent."""
    wires = Wires([Target("http", "no-such-host.invalid", 80)])
    with pytest.raises(OSError):  # noqa: PT011 - its words are those of the system
        wires.resolve(0)
    wires.close()


def test_a_look_up_on_a_thread_tells_when_it_is_done() -> None:
    """With the time it took, on the thread that reads."""
    with wired() as (wires, _):
        told: list[tuple[OSError | None, int]] = []
        wires.resolve_later(0, lambda fault, took: told.append((fault, took)))
        while not told:
            for fd, _mask in wires.epoll.poll(5.0):
                assert wires.news(fd)
        assert told[0][0] is None
        assert told[0][1] > 0


def test_of_several_addresses_the_one_that_listens_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine on 127.0.0.1 is not found at ::1."""
    with wired() as (wires, server):
        port = server.getsockname()[1]
        found = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 1)),
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port)),
        ]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        wires.resolve(0)
        assert opened(wires).place == ("127.0.0.1", port)
