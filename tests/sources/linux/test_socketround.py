"""One look at the kernel for all ports."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from perfconsole.sources.linux import sockdiag
from perfconsole.sources.linux.sockdiag import Dump, Row, dump
from perfconsole.sources.linux.socketround import FRESH_S, SocketRound

if TYPE_CHECKING:
    from collections.abc import Collection

INET = socket.AF_INET


class Kernel:
    """Answers with the number of the question."""

    def __init__(self) -> None:
        self.asked: list[set[int]] = []

    def __call__(self, _family: int, ports: Collection[int]) -> dict[int, Dump] | None:
        """So many sockets in all as there were questions."""
        self.asked.append(set(ports))
        return {port: Dump([], len(self.asked)) for port in ports}


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """In place of netlink."""
    fake = Kernel()
    monkeypatch.setattr(sockdiag, "dump_ports", fake)
    return fake


def test_ports_asked_at_about_the_same_time_share_one_question(kernel: Kernel) -> None:
    """Once all are known: the first time each asks for itself."""
    shared = SocketRound()
    for port in (80, 81, 82):
        shared.dump(INET, port, 0.0)
    found = [shared.dump(INET, port, 1.0 + port / 1000) for port in (80, 81, 82)]
    assert found == [Dump([], 4)] * 3
    assert kernel.asked[3:] == [{80, 81, 82}]


@pytest.mark.usefixtures("kernel")
def test_one_port_alone_sees_news_at_every_poll() -> None:
    """Nothing older than half a poll is handed out."""
    shared = SocketRound()
    seen = [shared.dump(INET, 80, t) for t in (0.0, FRESH_S, 2 * FRESH_S)]
    assert [found.seen for found in seen if found] == [1, 2, 3]


def test_a_port_that_nobody_asks_for_is_forgotten(kernel: Kernel) -> None:
    """A target that left must not be looked for until the end."""
    shared = SocketRound()
    shared.dump(INET, 80, 0.0)
    shared.dump(INET, 81, 100.0)
    assert kernel.asked[-1] == {81}


def test_a_refusal_is_none_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each caller then reads /proc."""
    monkeypatch.setattr(socket, "AF_NETLINK", 9999)
    assert SocketRound().dump(INET, 80, 0.0) is None


def test_each_port_gets_its_own_rows_and_all_that_are_half_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if it had asked alone; a connection between two watched ports belongs to both."""
    ends = [(80, 5000), (81, 5001), (80, 81), (7, 7)]
    states = [sockdiag.ESTABLISHED, sockdiag.LISTEN, sockdiag.ESTABLISHED, sockdiag.CLOSE_WAIT]
    bodies = [bytes([n]) for n in range(4)]

    def ask(_family: int, _states: object, take: object) -> int:
        for state, pair, body in zip(states, ends, bodies, strict=True):
            take(state, pair, body)  # type: ignore[operator]
        return 9

    monkeypatch.setattr(sockdiag, "_ask", ask)
    monkeypatch.setattr(sockdiag, "parse", lambda body: Row("", "", 0, 0, body[0]))
    found = sockdiag.dump_ports(INET, {80, 81})
    assert found is not None
    inodes = {port: sorted(row.inode for row in told.rows) for port, told in found.items()}
    assert inodes == {80: [0, 2, 3], 81: [1, 2, 3]}
    assert dump(INET, 80) == found[80]
