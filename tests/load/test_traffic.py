"""Requests on their way, against a server that is played by hand."""

from __future__ import annotations

import select
import socket
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from perfconsole.clock import epoch_ns
from perfconsole.load.flight import Flight
from perfconsole.load.seat import Seat
from perfconsole.load.stint import Stint
from perfconsole.load.tally import Tally
from perfconsole.load.traffic import Traffic
from perfconsole.model.probeload import Part, Trouble
from perfconsole.model.probeorders import Run, Target
from perfconsole.model.probeplan import Shape
from perfconsole.probing.scenario import Call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STINT = Stint(Run(0, Shape.CONCURRENCY, 1.0), Part.COUNTED, 0, 0)
ANSWER = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    b'2f\r\ndata: {"choices":[{"delta":{"content":"a"}}]}\n\n\r\n0\r\n\r\n'
)


class Play:
    """Traffic to a listening socket, moved on by hand."""

    def __init__(self, server: socket.socket, timeout_s: float) -> None:
        self.server = server
        self.tally = Tally(epoch_ns())
        self.traffic = Traffic([Target("http", "127.0.0.1", server.getsockname()[1])], self.tally, timeout_s)
        self.traffic.wires.resolve(0)
        self.ended: list[Flight] = []
        self.traffic.landed = lambda flight, _now: self.ended.append(flight)

    def send(self) -> Flight:
        """A request."""
        call = Call("short-chat", 1, 1)
        flight = Flight(Seat(), call, STINT, Part.COUNTED, burst=False, intended=epoch_ns(), body=b"ask")
        self.traffic.send(flight)
        return flight

    def go_on(self, until: Callable[[], bool]) -> None:
        """Serve what the kernel has news of."""
        for _ in range(200):
            if until():
                return
            for fd, mask in self.traffic.wires.epoll.poll(0.05):
                if not self.traffic.wires.news(fd):
                    self.traffic.serve(fd, mask)
        raise AssertionError("it does not come to that")

    def accept(self) -> socket.socket:
        """The other end of a new connection, with its request read."""
        self.server.settimeout(5.0)
        other, _ = self.server.accept()
        self.go_on(lambda: bool(select.select([other], [], [], 0)[0]))
        assert other.recv(100) == b"ask"
        return other


@contextmanager
def play(timeout_s: float = 5.0) -> Iterator[Play]:
    """A server and traffic to it."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        made = Play(server, timeout_s)
        try:
            yield made
        finally:
            made.traffic.wires.close()


def test_a_request_over_a_new_connection_says_how_long_that_took() -> None:
    """The next one over the same has nothing to say."""
    with play() as stage:
        first = stage.send()
        with closing(stage.accept()) as other:
            other.sendall(ANSWER)
            stage.go_on(lambda: len(stage.ended) == 1)
            second = stage.send()
            assert other.recv(100) == b"ask"
            other.sendall(ANSWER)
            stage.go_on(lambda: len(stage.ended) == 2)
    assert first.connect_ns is not None
    assert second.connect_ns is None
    assert [flight.answer.trouble for flight in stage.ended] == [None, None]
    assert stage.tally.inflight == 0


def test_a_connection_that_died_while_idle_costs_no_request() -> None:
    """The request goes out once more, over a new one."""
    with play() as stage:
        stage.send()
        with closing(stage.accept()) as other:
            other.sendall(ANSWER)
            stage.go_on(lambda: len(stage.ended) == 1)
            second = stage.send()
        stage.go_on(lambda: second.again)
        with closing(stage.accept()) as other:
            other.sendall(ANSWER)
            stage.go_on(lambda: len(stage.ended) == 2)
    assert second.again
    assert second.answer.trouble is None


def test_a_new_connection_that_ends_without_an_answer_is_an_error() -> None:
    """It was never used before."""
    with play() as stage:
        stage.send()
        stage.accept().close()
        stage.go_on(lambda: len(stage.ended) == 1)
    assert stage.ended[0].answer.trouble is Trouble.RESET


def test_what_takes_too_long_is_broken_off() -> None:
    """With its connection."""
    with play(timeout_s=0.001) as stage:
        stage.send()
        with closing(stage.accept()) as other:
            stage.traffic.break_off(epoch_ns() + 10_000_000)
            assert other.recv(10) == b""
    assert stage.ended[0].answer.trouble is Trouble.TIMEOUT
    assert not stage.traffic.flights


def test_an_idle_connection_that_speaks_is_not_used_again() -> None:
    """Nobody asked it anything."""
    with play() as stage:
        stage.send()
        with closing(stage.accept()) as other:
            other.sendall(ANSWER)
            stage.go_on(lambda: len(stage.ended) == 1)
            other.sendall(b"HTTP/1.1 408 Request Timeout\r\n\r\n")
            stage.go_on(lambda: not stage.traffic.wires.links)
