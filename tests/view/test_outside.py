"""Tests of what is said of the processes of an orchestrator that is looked at from outside."""

from __future__ import annotations

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Fact, Missing
from perfconsole.view.canvas import plain_text
from perfconsole.view.outside import outside_rows
from perfconsole.view.picture import Picture
from tests.view.pictures import indicator, snapshot
from tests.view.serving import AGENT, Values, indicators

IDLE, BUSY = Entity(Kind.PROCESS, "10"), Entity(Kind.PROCESS, "11")
VALUES: Values = {
    "host.process_cpu": 0.83,
    "host.process_voluntary_switches": 200.0,
    "host.process_involuntary_switches": 12.0,
}


def rows(values: Values, *facts: Fact, columns: int = 100) -> list[str]:
    """Text about an agent with two processes."""
    links = tuple(Link(Relation.ORCHESTRATOR_HAS_PROCESS, AGENT, p) for p in (IDLE, BUSY))
    more = [indicator("orchestration.connections", 4.0, AGENT), indicator("host.process_cpu", 0.1, IDLE)]
    made = snapshot(
        entities=(AGENT, IDLE, BUSY), links=links, facts=facts, indicators=(*more, *indicators(values, BUSY))
    )
    return [line.rstrip() for line in plain_text(outside_rows(Picture(made, DEFAULT), AGENT, columns)).splitlines()]


def test_the_busiest_process_is_described() -> None:
    """Its thread, its calls, its switches, and what its first thread does."""
    facts = (Fact("process.busiest_thread", BUSY, "uvicorn"), Fact("process.main_thread", BUSY, "runs 80%, sleeps 20%"))
    assert rows(VALUES, *facts) == [
        "process 11  busiest thread uvicorn 83%  connections to engines 4  switches 212/s, 12/s forced",
        "first thread, last minute: runs 80%, sleeps 20%",
    ]


def test_a_thread_without_a_name_has_a_share() -> None:
    """And nothing is said of what nobody looked at."""
    assert rows(VALUES)[0].startswith("process 11  busiest thread 83%")
    assert len(rows(VALUES)) == 1


def test_what_nobody_may_read_has_its_reason() -> None:
    """Never 0."""
    hidden: Values = {**VALUES, "host.process_voluntary_switches": Missing.NO_PERMISSION, "host.process_cpu": 0.9}
    assert rows(hidden)[0].endswith("switches no permission")


def test_no_process_no_rows() -> None:
    """An orchestrator on another host."""
    assert outside_rows(Picture(snapshot(entities=(AGENT,)), DEFAULT), AGENT, 80) == []
