"""Who calls what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.discovery.calls import Calls, near_ends
from perfconsole.sources.linux.sockdiag import Row
from tests.sources.discovery.hosts import Host

if TYPE_CHECKING:
    from pathlib import Path

TARGETS = frozenset({("127.0.0.1", 8000)})


def test_a_call_lasts_when_it_was_seen_two_seconds_apart(tmp_path: Path) -> None:
    """One look more is not enough."""
    host = Host(tmp_path)
    host.run(20, "python3")
    host.connect(20, 8000)
    calls = Calls(host.root.base)
    assert [[call.lasting for call in calls.look(TARGETS, {20}, now)] for now in (0.0, 1.0, 2.0)] == [
        [False],
        [False],
        [True],
    ]


def test_a_new_connection_each_time_is_the_same_call(tmp_path: Path) -> None:
    """Some clients keep none open."""
    host = Host(tmp_path)
    host.run(20, "python3")
    calls = Calls(host.root.base)
    seen = []
    for now in (0.0, 20.0, 40.0):
        host.silence()
        host.connect(20, 8000, near_port=50000 + int(now))
        seen.append([(call.first, call.last) for call in calls.look(TARGETS, {20}, now)])
    assert seen == [[(0.0, 0.0)], [(0.0, 20.0)], [(0.0, 40.0)]]


def test_a_call_is_forgotten_after_a_minute(tmp_path: Path) -> None:
    """And at once when its program has ended."""
    host = Host(tmp_path)
    host.run(20, "python3")
    host.connect(20, 8000)
    calls = Calls(host.root.base)
    calls.look(TARGETS, {20}, 0.0)
    host.silence()
    assert len(calls.look(TARGETS, {20}, 30.0)) == 1
    assert calls.look(TARGETS, {20}, 70.0) == ()


def test_programs_that_are_not_asked_about_have_no_calls(tmp_path: Path) -> None:
    """Those of engines and of the console."""
    host = Host(tmp_path)
    host.run(20, "python3")
    host.connect(20, 8000)
    assert Calls(host.root.base).look(TARGETS, {30}, 0.0) == ()


def row(near: str, far: str, inode: int) -> Row:
    """An open connection."""
    return Row(near, far, 1, 0, inode)


def test_a_connection_to_the_same_port_of_another_host_is_no_call() -> None:
    """Its other end is not here."""
    rows = [row("0500000A:C350", "0700000A:1F40", 1)]
    assert near_ends(rows, TARGETS) == {}


def test_a_connection_to_an_own_address_is_a_call() -> None:
    """Its other end is here, whatever the address."""
    rows = [row("0500000A:C350", "0500000A:1F40", 1), row("0500000A:1F40", "0500000A:C350", 2)]
    assert near_ends(rows, TARGETS) == {1: 8000}


def test_a_connection_into_a_container_is_a_call() -> None:
    """By the address of the container."""
    assert near_ends([row("010011AC:C350", "020011AC:1F40", 1)], frozenset({("172.17.0.2", 8000)})) == {1: 8000}
