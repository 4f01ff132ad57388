"""The load process: orders come on stdin, events leave on stdout, and the end of the orders is the end of it."""

from __future__ import annotations

import gc
import os
import select
import sys

from perfconsole.clock import epoch_ns
from perfconsole.load.load import Load
from perfconsole.load.output import Output
from perfconsole.load.shortslice import take_short_turns
from perfconsole.load.wire import decode_order, encode_event
from perfconsole.model.probeload import LoadEnd, LoadEvent
from perfconsole.model.probeorders import Finish, LoadOrder, Open, Run, Stop, Warm

_IN, _OUT = 0, 1
_READ = 1 << 20
_GRACE_S = 0.5
"""For what is still to be written at the end."""
_NANO = 1_000_000_000
_WAITED_NS = 200_000
_FINE_S = 0.002
"""epoll counts in whole milliseconds, by which an arrival would be late."""


class Orders:
    """Lines of stdin, as they come."""

    def __init__(self) -> None:
        self._rest = b""
        self.ended = False
        os.set_blocking(_IN, False)

    def take(self) -> list[LoadOrder]:
        """Orders that have come; ValueError for one that is none."""
        try:
            data = os.read(_IN, _READ)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        self.ended = not data
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [decode_order(line) for line in lines if line]


class Desk:
    """Gives orders to the load, and its events to whoever listens."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self.load: Load | None = None
        self.over = False

    def tell(self, event: LoadEvent) -> None:
        """Write an event."""
        self._output.write(encode_event(event))
        self.over = self.over or isinstance(event, LoadEnd)

    def obey(self, order: LoadOrder) -> None:
        """Do what the order says; ValueError for one that comes out of turn."""
        load = self.load
        if isinstance(order, Open):
            self.load = Load(order, self.tell)
        elif load is None:
            raise ValueError("the first order must be open")
        elif isinstance(order, Warm):
            load.warm(order.requests)
        elif isinstance(order, Run):
            load.step(order)
        elif isinstance(order, Finish):
            load.finish(None)
        elif isinstance(order, Stop):
            load.stop("stopped")


def _first(orders: Orders, desk: Desk) -> None:
    """Wait for the first order."""
    while desk.load is None and not orders.ended:
        select.select([_IN], [], [])
        for order in orders.take():
            desk.obey(order)


def _run(load: Load, orders: Orders, desk: Desk, output: Output) -> None:
    wires, traffic, account = load.traffic.wires, load.traffic, load.account
    epoll = wires.epoll
    epoll.register(_IN, select.EPOLLIN)
    serve, asked = traffic.serve, 0
    while not load.over:
        before, asked = asked, epoch_ns()
        wait_s = 0.0 if account.untold else max(0.0, (load.due() - asked) / _NANO)
        if 0 < wait_s < _FINE_S:
            select.select([epoll], [], [], wait_s)
            wait_s = 0.0
        ready = epoll.poll(wait_s)
        traffic.since = before if epoch_ns() - asked < _WAITED_NS else 0
        for fd, mask in ready:
            if fd == _IN:
                for order in orders.take():
                    desk.obey(order)
            elif not wires.news(fd):
                serve(fd, mask)
        if orders.ended or output.broken:
            load.stop("whoever gave the orders is gone")
        if not ready:
            account.tell_some()
        if epoch_ns() >= load.due():
            load.on_time()
            output.flush()


def main() -> int:
    """Run until the orders end; 0, or 2 for orders that make no sense."""
    take_short_turns()
    gc.disable()  # what is made here has no cycles, and a collection would stand in a gap between two tokens
    output, orders = Output(_OUT), Orders()
    desk = Desk(output)
    try:
        _first(orders, desk)
        if desk.load is not None:
            _run(desk.load, orders, desk, output)
    except (ValueError, OSError) as error:
        sys.stderr.write(f"the load process: {error}\n")
        return 2
    deadline = epoch_ns() + int(_GRACE_S * _NANO)
    while not output.flush() and epoch_ns() < deadline and not output.broken:
        select.select([], [_OUT], [], _GRACE_S)
    return 0


if __name__ == "__main__":
    sys.exit(main())
