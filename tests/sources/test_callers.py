"""Tests of telling apart who holds the connections to a port."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.sources.callers import MEMORY_S, Callers
from perfconsole.sources.directory import Directory, Member
from perfconsole.sources.layer import ENGINE, GATEWAY, ORCHESTRATOR
from perfconsole.sources.linux.sockets import Sockets
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path

NEAR = "0100007F:9C41"
REMOTE = "0A00000A:9C42"


class Host:
    """An engine, a gateway with process 20 and an agent with process 30, and the connections of the moment."""

    def __init__(self, root: FakeRoot) -> None:
        self.root = root
        self.directory = Directory()
        self.engine = self.directory.add(Member(ENGINE, lambda: Entity(Kind.ENGINE, "vllm:8000")))
        self.gateway = self.directory.add(Member(GATEWAY, lambda: Entity(Kind.GATEWAY, "litellm:4000")))
        self.agent = self.directory.add(Member(ORCHESTRATOR, lambda: Entity(Kind.ORCHESTRATOR, "agent:9000")))
        self.gateway.pids, self.agent.pids = frozenset({20}), frozenset({30})
        self.gateway.hidden = False
        self.callers = Callers(root.base, self.directory, self.engine)

    def holds(self, pid: int | str, inode: int) -> None:
        """Give a process the near end of a connection."""
        self.root.link(f"proc/{pid}/fd/{inode}", f"socket:[{inode}]")

    def look(self, now: float, *near: tuple[int, str], far: tuple[str, ...] = ()) -> float | Missing:
        """See these connections made on this host, and those from elsewhere; foreign addresses by now."""
        served = (*(end for _, end in near), *far)
        self.callers.look(Sockets(frozenset({1}), frozenset(), served, tuple(near), frozenset(), 9), now)
        return self.callers.foreign()


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A fresh one."""
    return Host(FakeRoot(tmp_path))


def test_a_connection_of_the_gateway_is_a_call_and_nothing_foreign(host: Host) -> None:
    """That is what it is there for."""
    host.holds(20, 501)
    assert [host.look(t, (501, NEAR)) for t in (5.0, 6.0)] == [0.0, 0.0]
    assert host.gateway.calls == {host.engine: 6.0}


def test_somebody_unknown_is_foreign_once_the_connection_has_lasted(host: Host) -> None:
    """A batch job of this host that goes past the gateway; what ends at once may have been anybody's."""
    assert [host.look(t, (501, NEAR)) for t in (0.0, 1.0)] == [0.0, 1.0]


def test_connections_that_nobody_could_see_leave_it_open(host: Host) -> None:
    """A client that opens one for each request is gone before its process is found."""
    host.look(0.0, (501, NEAR))
    assert host.look(1.0) is Missing.UNSUPPORTED
    assert host.look(1.0 + MEMORY_S + 1.0) == 0.0


def test_a_few_that_were_lost_among_many_known_ones_say_nothing(host: Host) -> None:
    """The gateway's health checks last two milliseconds."""
    for inode in range(600, 620):
        host.holds(20, inode)
    host.look(0.0, *((inode, NEAR) for inode in range(600, 621)))
    assert host.look(1.0) == 0.0


def test_several_connections_of_one_address_are_one_peer(host: Host) -> None:
    """Peers are counted, not connections."""
    ends = ((501, NEAR), (502, "0100007F:9C43"))
    host.look(0.0, *ends)
    assert host.look(1.0, *ends, far=(REMOTE,)) == 2.0


def test_an_agent_that_goes_past_the_gateway_is_a_call_and_foreign(host: Host) -> None:
    """It is known, and it is no gateway."""
    host.holds(30, 501)
    host.look(0.0, (501, NEAR))
    assert host.look(1.0, (501, NEAR)) == 1.0
    assert host.agent.calls == {host.engine: 1.0}


def test_the_consoles_own_polls_are_nothing(host: Host) -> None:
    """Neither a caller nor foreign."""
    host.holds("self", 501)
    assert [host.look(t, (501, NEAR)) for t in (0.0, 1.0)] == [0.0, 0.0]
    assert host.engine.calls == {}


@pytest.mark.parametrize("command", ["/usr/bin/python3\0/usr/bin/perfconsole\0check\0", "/bin/prometheus\0--web\0"])
def test_the_polls_of_other_watchers_are_nothing(host: Host, command: str) -> None:
    """A second console or a Prometheus of this host keeps a connection open and sends no traffic past a gateway."""
    host.root.put("proc/40/cmdline", command)
    host.holds(40, 501)
    assert [host.look(t, (501, NEAR)) for t in (0.0, 1.0)] == [0.0, 0.0]
    assert host.engine.calls == {}


def test_a_foreign_peer_counts_for_a_minute(host: Host) -> None:
    """One that comes back is seen now and then."""
    assert host.look(0.0, far=(REMOTE,)) == 1.0
    assert host.look(MEMORY_S) == 1.0
    assert host.look(MEMORY_S + 1.0) == 0.0


def test_descriptors_are_read_every_two_seconds_at_most(host: Host) -> None:
    """A new connection in between is judged by nobody yet."""
    host.look(0.0, (501, NEAR))
    host.holds(20, 501)
    host.holds(20, 502)
    host.look(1.0, (501, NEAR), (502, NEAR))
    assert host.gateway.calls == {}
    host.look(2.0, (501, NEAR), (502, NEAR))
    assert host.gateway.calls == {host.engine: 2.0}


def test_without_a_gateway_nothing_is_foreign_or_not(host: Host) -> None:
    """Every client is then as it should be."""
    host.directory = Directory()
    host.callers = Callers(host.root.base, host.directory, host.engine)
    assert host.look(0.0, (501, NEAR)) is Missing.UNSUPPORTED


def test_a_gateway_that_is_found_later_was_no_stranger(host: Host) -> None:
    """Its connections are older than what is known of it."""
    host.gateway.pids = frozenset()
    host.holds(20, 501)
    host.look(0.0, (501, NEAR))
    host.look(1.0, (501, NEAR))
    host.gateway.pids = frozenset({20})
    assert host.look(2.0, (501, NEAR)) == 0.0


def test_a_gateway_whose_processes_nobody_sees_leaves_it_open(host: Host) -> None:
    """A gateway elsewhere may come from any address."""
    host.gateway.pids, host.gateway.hidden = frozenset(), True
    assert host.look(0.0, (501, NEAR)) is Missing.UNSUPPORTED


def test_sockets_that_cannot_be_read_change_nothing(host: Host) -> None:
    """What was seen before stands."""
    host.look(0.0, far=(REMOTE,))
    host.callers.look(Missing.NO_PERMISSION, 1.0)
    assert host.callers.foreign() == 1.0


def test_its_own_processes_are_entered(host: Host) -> None:
    """For the GPUs, and for those that it calls itself."""
    host.callers.own([4, 5], hidden=False)
    assert (host.engine.pids, host.engine.hidden) == (frozenset({4, 5}), False)


def test_a_gateway_that_has_ended_hides_nothing(host: Host) -> None:
    """It calls nobody any more."""
    host.gateway.pids = frozenset()
    assert [host.look(t, (501, NEAR)) for t in (0.0, 1.0)] == [0.0, 1.0]


def test_connections_to_engines_are_counted_for_their_caller(host: Host) -> None:
    """As many as it holds now, and none once they are closed."""
    agent = Callers(host.root.base, host.directory, host.agent)
    agent.own([30], hidden=False)
    host.holds(30, 501)
    host.holds(30, 502)
    host.look(0.0, (501, NEAR), (502, NEAR))
    assert agent.held() == 2.0
    host.look(1.0, (501, NEAR))
    assert agent.held() == 1.0
    host.look(2.0)
    assert agent.held() == 0.0


def test_without_a_watched_engine_nobody_counts_connections(host: Host) -> None:
    """An engine on another host says nothing of its callers, and neither does a process that is hidden."""
    agent = Callers(host.root.base, host.directory, host.agent)
    assert agent.held() is Missing.NO_PERMISSION
    agent.own([30], hidden=False)
    assert agent.held() is Missing.UNSUPPORTED


def test_a_program_that_nobody_watches_is_an_unknown_caller(host: Host) -> None:
    """Once its connection has lasted, and for a minute after; those of the watched are known."""
    host.agent.hidden = False
    host.holds(20, 501)
    host.holds(30, 502)
    host.look(0.0, (501, NEAR), (502, NEAR))
    assert host.callers.unknown() == 0.0
    for t in (3.0, 6.0):
        host.look(t, (501, NEAR), (503, "0100007F:9C44"), far=(REMOTE,))
    assert host.callers.unknown() == 2.0
    host.look(6.0 + MEMORY_S + 1.0)
    assert host.callers.unknown() == 0.0


def test_one_that_cannot_be_seen_may_be_the_caller(host: Host) -> None:
    """An agent on another host calls from there."""
    host.look(0.0, far=(REMOTE,))
    assert host.callers.unknown() is Missing.UNSUPPORTED
