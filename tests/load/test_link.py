"""Connections that say when the kernel had what they read."""

from __future__ import annotations

import select
import socket
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from perfconsole.clock import epoch_ns
from perfconsole.load.link import Link, Phase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def pair() -> Iterator[tuple[Link, socket.socket]]:
    """An open connection and its other end."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        link = Link((socket.AF_INET, server.getsockname()), epoch_ns())
        other, _ = server.accept()
        with closing(other):
            try:
                assert link.advance(epoch_ns())
                yield link, other
            finally:
                link.close()


def wait(link: Link) -> None:
    """Until there is something to read."""
    assert select.select([link.fd], [], [], 5.0)[0]


def test_what_is_read_has_the_kernels_time() -> None:
    """It lies between the sending and the reading; the kernel begins with it some packets later."""
    with pair() as (link, other):
        before = stamp = 0
        for _ in range(1000):
            before = epoch_ns()
            other.sendall(b"hello")
            wait(link)
            data, stamp = link.read() or (b"", 0)
            assert data == b"hello"
            if stamp:
                break
        assert before <= stamp <= epoch_ns()
        assert link.stamped


def test_nothing_and_the_end_are_told_apart() -> None:
    """None for not yet, empty for never again."""
    with pair() as (link, other):
        assert link.read() is None
        other.close()
        wait(link)
        assert link.read() == (b"", 0)


def test_what_the_socket_does_not_take_waits() -> None:
    """And goes later, in order."""
    with pair() as (link, other):
        data = bytes(range(256)) * 40_000
        link.send(data)
        assert link.sending
        got = b""
        while len(got) < len(data):
            got += other.recv(1 << 20)
            link.flush()
        assert got == data
        assert not link.sending


def test_nobody_listening_is_an_error() -> None:
    """At once, or when it goes on connecting."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        address = server.getsockname()
    with pytest.raises(OSError, match="refused"):  # noqa: PT012 - either of them
        link = Link((socket.AF_INET, address), epoch_ns())
        select.select([], [link.fd], [], 5.0)
        with closing(link.socket):
            link.advance(epoch_ns())


def test_a_unix_socket_has_no_such_time(tmp_path: Path) -> None:
    """Its reads say 0."""
    path = str(tmp_path / "s")
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as server:
        server.bind(path)
        server.listen()
        link = Link((socket.AF_UNIX, path), epoch_ns())
        other, _ = server.accept()
        with closing(other):
            assert link.advance(epoch_ns())
            other.sendall(b"x")
            wait(link)
            assert link.read() == (b"x", 0)
            assert not link.stamped
            link.close()
    assert link.phase is Phase.SHUT
