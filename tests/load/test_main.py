"""The load process: a stop, a kill, orders that make no sense."""

from __future__ import annotations

import pytest

from perfconsole.load.wire import encode_order
from perfconsole.model.probeorders import Stop
from tests.load.exactserver.server import ExactServer
from tests.load.exactserver.settings import Settings
from tests.load.loadrun import closed, opening, process


def test_a_stop_drops_everything_at_once() -> None:
    """Nothing is left running at the server."""
    with ExactServer(Settings(slots=8, itl_ms=100.0, prefill_ms=5.0)) as server, process() as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(encode_order(opening(server.port)) + encode_order(closed(4, 8)))
        child.stdin.flush()
        while b'"inflight":4' not in child.stdout.readline():
            pass
        child.stdin.write(encode_order(Stop()))
        child.stdin.flush()
        assert child.wait(5) == 0
        assert server.settled()


@pytest.mark.parametrize("how", ["killed", "orders end"])
def test_whatever_ends_it_leaves_no_request_running(how: str) -> None:
    """A kill, or the end of whoever gave the orders."""
    with ExactServer(Settings(slots=8, itl_ms=100.0, prefill_ms=5.0)) as server, process() as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(encode_order(opening(server.port)) + encode_order(closed(4, 8)))
        child.stdin.flush()
        while b'"inflight":4' not in child.stdout.readline():
            pass
        if how == "killed":
            child.kill()
        else:
            child.stdin.close()
        child.wait(5)
        assert server.settled()


@pytest.mark.parametrize("order", [b"nonsense\n", b'{"is":"warm","requests":1}\n', b'{"is":"open"}\n'])
def test_orders_that_make_no_sense_are_said(order: bytes) -> None:
    """In one line, with the exit code of wrong usage."""
    with process() as child:
        _, said = child.communicate(order, timeout=10)
        assert child.returncode == 2
    assert said.startswith(b"the load process: ")
    assert said.count(b"\n") == 1
