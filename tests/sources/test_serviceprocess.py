"""Tests of the processes of a gateway or an orchestrator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Absence, Batch, Missing
from perfconsole.sources.layer import GATEWAY, ORCHESTRATOR, Layer
from perfconsole.sources.linux.taskstat import HZ
from perfconsole.sources.serviceprocess import ServiceProcessSource
from tests.sources.fakeroot import FakeRoot, tcp_line

if TYPE_CHECKING:
    from pathlib import Path

AGENT = Entity(Kind.ORCHESTRATOR, "agent")
PROXY = Entity(Kind.GATEWAY, "proxy")
ENGINE = Entity(Kind.ENGINE, "vllm:8000")
HOST = Entity(Kind.HOST, "gpu-07")
AHEAD = Link(Relation.ORCHESTRATOR_TO_ENGINE, AGENT, ENGINE)
PROCESS = Entity(Kind.PROCESS, "10")
HERE = "0100007F:2328"
LISTEN = tcp_line(HERE, "00000000:0000", "0A", 11)
CALLS = tuple(tcp_line(HERE, f"0100007F:{port:04X}", "01", port) for port in (40001, 40002, 40003))


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """Make a host where process 10 holds port 9000 with three connections to it."""
    root = FakeRoot(tmp_path)
    root.process(10, 1, "python", "agent.py")
    root.link("proc/10/fd/3", "socket:[11]")
    root.sockets(LISTEN, *CALLS)
    return root


def by_port(root: FakeRoot, layer: Layer = ORCHESTRATOR, *, says: bool = False) -> ServiceProcessSource:
    """Source of what listens on port 9000; `says` is whether its page tells of the requests in flight."""
    service = AGENT if layer is ORCHESTRATOR else PROXY
    return ServiceProcessSource(
        "p", layer, lambda: service, DEFAULT, port=9000, host=HOST, page_says=lambda _: says, root=root.path
    )


def by_number(root: FakeRoot, pid: int = 10) -> ServiceProcessSource:
    """Source of the process of that number."""
    return ServiceProcessSource(
        "p", ORCHESTRATOR, lambda: AGENT, DEFAULT, pid=pid, host=HOST, links=lambda _now: (AHEAD,), root=root.path
    )


def figures(batch: Batch, entity: Entity = AGENT) -> dict[str, object]:
    """Values of the service itself."""
    return {s.key.indicator: s.value for s in batch.samples if s.key.entity == entity}


def test_connections_stand_for_requests_where_the_page_says_nothing(root: FakeRoot) -> None:
    """A blocked loop cannot say it; the kernel can."""
    assert figures(by_port(root).batch(0.0, 0.0))["orchestration.inflight"] == 3.0


def test_the_page_has_the_better_count(root: FakeRoot) -> None:
    """Connections may be idle."""
    assert "orchestration.inflight" not in figures(by_port(root, says=True).batch(0.0, 0.0))


def test_the_busiest_thread_is_the_cpu_of_the_service(root: FakeRoot) -> None:
    """Since the last poll, in cores."""
    source = by_port(root)
    first = source.batch(0.0, 0.0)
    root.process(10, 1, "python", "agent.py", ticks=HZ)
    assert Absence("orchestration.process_cpu", AGENT, Missing.WARMING_UP) in first.absences
    assert figures(source.batch(2.0, 2.0))["orchestration.process_cpu"] == 0.5


def test_its_process_belongs_to_it_and_it_to_the_host(root: FakeRoot) -> None:
    """For rules of processes, and for the commands of checks."""
    links = by_port(root).batch(0.0, 0.0).links
    assert links == (
        Link(Relation.HOST_HAS, HOST, AGENT),
        Link(Relation.ORCHESTRATOR_HAS_PROCESS, AGENT, PROCESS),
    )


def test_the_process_has_its_own_figures(root: FakeRoot) -> None:
    """The same as those of an engine."""
    assert "host.process_rss" in figures(by_port(root).batch(0.0, 0.0), PROCESS)


def test_whether_it_lives_is_the_word_of_its_health_route(root: FakeRoot) -> None:
    """Two sources that disagree help nobody."""
    assert "orchestration.up" not in figures(by_port(root).batch(0.0, 0.0))


def test_a_gateway_has_a_count_of_processes(root: FakeRoot) -> None:
    """Under the names of its layer, and no count of connections."""
    found = figures(by_port(root, GATEWAY).batch(0.0, 0.0), PROXY)
    assert found == {"gateway.processes": 1.0, "gateway.stopped_processes": 0.0}


def test_a_gateway_that_a_signal_stopped_is_counted(root: FakeRoot) -> None:
    """It takes connections and answers none, which no request tells from a loop that stands still."""
    root.process(10, 1, "haproxy", state="T")
    assert figures(by_port(root, GATEWAY).batch(0.0, 0.0), PROXY)["gateway.stopped_processes"] == 1.0


def test_a_process_that_is_gone_is_zero_only_if_it_was_there(root: FakeRoot) -> None:
    """Nobody knows what was never seen."""
    source = by_port(root, GATEWAY)
    source.batch(0.0, 0.0)
    root.end(10)
    gone = source.batch(1.0, 1.0)
    assert (figures(gone, PROXY), gone.gone) == ({"gateway.processes": 0.0}, (PROCESS,))
    never = by_port(root, GATEWAY).batch(0.0, 0.0)
    assert figures(never, PROXY) == {}


def test_a_number_tells_whether_it_lives(root: FakeRoot) -> None:
    """There is no route to ask."""
    source = by_number(root)
    assert figures(source.batch(0.0, 0.0))["orchestration.up"] == 1.0
    root.end(10)
    assert figures(source.batch(1.0, 1.0))["orchestration.up"] == 0.0


def test_a_number_alone_stands_in_front_of_the_engines(root: FakeRoot) -> None:
    """No other source would say so."""
    assert AHEAD in by_number(root).batch(0.0, 0.0).links


def test_a_number_alone_has_no_count_of_connections(root: FakeRoot) -> None:
    """Nothing says which port is its own."""
    gaps = by_number(root).batch(0.0, 0.0).absences
    assert Absence("orchestration.inflight", AGENT, Missing.UNSUPPORTED) in gaps


def test_a_number_of_nobody_is_down_and_a_failure(root: FakeRoot) -> None:
    """It may be a typing error: such a target never answered."""
    batch = by_number(root, 77).batch(0.0, 0.0)
    assert (figures(batch)["orchestration.up"], batch.error) == (0.0, "no process 77 on this host")


def test_a_process_that_ended_fails_its_source(root: FakeRoot) -> None:
    """At once, and with the words of the search when that has been made."""
    source = by_number(root)
    assert source.batch(0.0, 0.0).error is None
    root.end(10)
    assert [source.batch(t, t).error for t in (1.0, 5.0)] == ["its process has ended", "10 has ended"]


def test_a_number_alone_is_the_page_of_its_layer(root: FakeRoot) -> None:
    """Its source has a kind of its own, so that nobody takes it for one beside a page."""
    assert (by_number(root).kind, by_port(root).kind) == ("orchestrator process", "processes")


def test_processes_that_cannot_be_seen_are_not_gone(root: FakeRoot) -> None:
    """Another one listens, of which nothing may be read: that is no 0."""
    source = by_port(root, GATEWAY)
    source.batch(0.0, 0.0)
    root.end(10)
    root.sockets(tcp_line(HERE, "00000000:0000", "0A", 12))
    batch = source.batch(5.0, 5.0)
    assert figures(batch, PROXY) == {}
    assert Absence("gateway.processes", PROXY, Missing.NO_PERMISSION) in batch.absences


def test_a_closed_port_leaves_no_process(root: FakeRoot) -> None:
    """The search could look, and nobody listens."""
    source = by_port(root, GATEWAY)
    source.batch(0.0, 0.0)
    root.end(10)
    root.sockets()
    assert figures(source.batch(5.0, 5.0), PROXY) == {"gateway.processes": 0.0}


def test_switches_and_the_first_thread_are_told(root: FakeRoot) -> None:
    """For a process that exports nothing."""
    root.put("proc/10/task/10/status", "voluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t1\n")
    root.put("proc/10/task/10/wchan", "do_epoll_wait")
    source = by_number(root)
    source.batch(0.0, 0.0)
    root.put("proc/10/task/10/status", "voluntary_ctxt_switches:\t105\nnonvoluntary_ctxt_switches:\t11\n")
    batch = [source.batch(float(t), 0.0) for t in range(1, 6)][-1]
    found = figures(batch, PROCESS)
    assert found["host.process_voluntary_switches"] == 20.0
    assert found["host.process_involuntary_switches"] == 2.0
    said = {f.name: f.value for f in batch.facts if f.entity == PROCESS}
    assert said["process.main_thread"] == "waits for events 100%"


def test_the_busiest_thread_has_a_name(root: FakeRoot) -> None:
    """As the kernel cuts it; an idle one has none."""
    root.put("proc/10/task/10/comm", "asyncio_0\n")
    source = by_number(root)
    source.batch(0.0, 0.0)
    idle = {f.name: f.value for f in source.batch(1.0, 1.0).facts}
    root.process(10, 1, "python", "agent.py", ticks=HZ)
    busy = {f.name: f.value for f in source.batch(2.0, 2.0).facts}
    assert (idle["process.busiest_thread"], busy["process.busiest_thread"]) == ("", "asyncio_0")
