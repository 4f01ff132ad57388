"""Asking ports."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest

from perfconsole.clock import ManualClock, SystemClock
from perfconsole.sources.discovery.answer import Shape
from perfconsole.sources.discovery.asker import Asker
from perfconsole.sources.discovery.place import Place
from perfconsole.sources.http import Limits
from tests.sources.discovery.hosts import ROOMY, SHORT
from tests.sources.servers import Server, answering, hung, pages, redirects

if TYPE_CHECKING:
    from tests.sources.servers import Peer


def place(port: int, inode: int = 1, *, ipv6_only: bool = False) -> Place:
    """A port of a stranger."""
    return Place(port, "127.0.0.1", frozenset({inode}), frozenset(), ipv6_only)


def lines(server: Server) -> list[str]:
    """What the server was asked for."""
    return [request.split("\r\n")[0] for request in server.requests]


def test_only_the_slash_of_web_frameworks_is_followed() -> None:
    """An application that is mounted at /metrics wants it."""
    with Server(redirects({"/metrics": "/metrics/"})) as server:
        Asker(SystemClock(), ROOMY).ask([place(server.port)], 0.0)
        assert lines(server) == ["GET /metrics HTTP/1.1", "GET /metrics/ HTTP/1.1"]


def test_no_other_redirect_is_followed() -> None:
    """It may lead to what changes something."""
    with Server(redirects({"/metrics": "/logout"})) as server:
        answers = Asker(SystemClock(), ROOMY).ask([place(server.port)], 0.0)
        assert lines(server) == ["GET /metrics HTTP/1.1"]
    assert answers[server.port].shape is Shape.HTTP


def test_a_new_socket_is_a_new_server() -> None:
    """What the old one said does not count."""
    with Server(pages(b"vllm:x 1\n")) as server:
        asker = Asker(SystemClock(), ROOMY)
        for inode in (1, 1, 2):
            asker.ask([place(server.port, inode)], 0.0)
        assert server.connections == 2


def test_a_socket_beside_the_one_that_was_asked_is_the_same_server() -> None:
    """Its workers come and go, each with one of its own."""
    with Server(pages(b"")) as server:
        asker = Asker(SystemClock(), ROOMY)
        for inodes in ({1, 2}, {2, 3}, {3, 4}):
            asker.ask([Place(server.port, "127.0.0.1", frozenset(inodes), frozenset())], 0.0)
        assert server.connections == 1


def test_the_answer_of_a_port_that_must_not_be_asked_is_not_handed_out() -> None:
    """When it may be asked again its socket is still the same one, and is not asked the sooner for that."""
    with Server(pages(b"")) as server:
        asker = Asker(SystemClock(), ROOMY)
        asker.ask([place(server.port)], 0.0)
        assert asker.ask([], 1.0) == {}
        assert list(asker.ask([place(server.port)], 2.0)) == [server.port]
        assert server.connections == 1


@pytest.mark.parametrize(
    ("calls", "moments"), [(False, [0, 10, 70, 670]), (True, [0, 10, 70, 130, 190, 250, 310, 370, 430, 490, 550, 610])]
)
def test_a_port_that_says_nothing_is_asked_ever_more_rarely(*, calls: bool, moments: list[int]) -> None:
    """Four times in all; once a minute while its program calls an engine, as a blocked loop may recover."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    listener.close()  # refused at once, so that nothing has to wait
    asker = Asker(SystemClock(), ROOMY)
    asked: list[int] = []
    for now in range(0, 86_400 if not calls else 660, 10):
        asker.ask([place(port)], float(now), {port} if calls else ())
        asked.append(int(asker._asked[port].at))
    assert list(dict.fromkeys(asked)) == moments


def test_a_round_ends_when_its_time_is_used_up() -> None:
    """The rest has its turn at the next look."""

    class SlowClock(ManualClock):
        """A second passes whenever somebody looks."""

        def now(self) -> float:
            self.sleep(1.0)
            return super().now()

    with Server(pages(b"")) as first, Server(pages(b"")) as second:
        asker = Asker(SlowClock(), Limits(connect_s=99.0, total_s=99.0))
        asker.ask([place(first.port), place(second.port)], 0.0)
        assert (first.connections, second.connections) == (0, 0)


def test_requests_go_out_one_after_the_other() -> None:
    """Never two at once, to whomever."""
    busy, overlaps = threading.Semaphore(1), []

    def script(peer: Peer) -> None:
        peer.request()
        overlaps.append(not busy.acquire(blocking=False))
        peer.pause(0.05)
        busy.release()
        peer.page(b"")

    with Server(script) as first, Server(script) as second:
        answers = Asker(SystemClock(), ROOMY).ask([place(first.port), place(second.port)], 0.0)
        assert len(answers) == 2
    assert overlaps == [False, False]


def test_a_request_in_flight_can_be_broken() -> None:
    """The console must not wait when it ends."""
    with Server(hung()) as server:
        asker = Asker(SystemClock(), Limits(connect_s=60.0, total_s=60.0))
        timer = threading.Timer(0.1, asker.interrupt)
        timer.start()
        answers = asker.ask([place(server.port)], 0.0)
        timer.join()
    assert answers[server.port].shape is Shape.SILENT


def test_tls_is_known_by_its_alert() -> None:
    """The first bytes of an answer."""
    with Server(answering(b"\x15\x03\x01\x00\x02\x02\x46")) as server:
        assert Asker(SystemClock(), SHORT).ask([place(server.port)], 0.0)[server.port].shape is Shape.TLS


def test_a_server_on_ipv6_alone_is_reached_there() -> None:
    """Its socket does not tell whether it takes IPv4 too."""
    try:
        listener = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("no IPv6 loopback here")

    def serve() -> None:
        peer, _ = listener.accept()
        with peer:
            peer.recv(65536)
            peer.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")

    with listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        port = listener.getsockname()[1]
        answer = Asker(SystemClock(), ROOMY).ask([place(port, ipv6_only=True)], 0.0)[port]
        thread.join(5.0)
    assert (answer.shape, answer.host) == (Shape.HTTP, "[::1]")
