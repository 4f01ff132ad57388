"""Who calls what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.clock import ManualClock
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


class CostlyClock(ManualClock):
    """As if each search among descriptors took 0.1 s: it is read when one begins and when it ends."""

    def now(self) -> float:
        """A moment later each time."""
        self.sleep(0.1)
        return super().now()


def test_descriptors_are_read_the_more_rarely_the_longer_that_takes(tmp_path: Path) -> None:
    """After 0.1 s not again for 10 s, which is 1 % of a core; connections that are kept are followed all the same."""
    host = Host(tmp_path)
    for pid in (20, 21):
        host.run(pid, "python3")
    host.connect(20, 8000, near_port=50000)
    calls = Calls(host.root.base, CostlyClock())
    calls.look(TARGETS, {20, 21}, 0.0)
    host.connect(21, 8000, near_port=50001)
    seen = [{(call.pid, call.last) for call in calls.look(TARGETS, {20, 21}, now)} for now in (2.0, 8.0, 10.0)]
    assert seen == [{(20, 2.0)}, {(20, 8.0)}, {(20, 10.0), (21, 10.0)}]


def test_a_caller_is_kept_however_rarely_it_can_be_seen(tmp_path: Path) -> None:
    """Where a search takes a second, the next one comes after 100 s."""

    class SlowClock(ManualClock):
        """A second a search."""

        def now(self) -> float:
            self.sleep(1.0)
            return super().now()

    host = Host(tmp_path)
    host.run(20, "python3")
    calls = Calls(host.root.base, SlowClock())
    for now in (0.0, 100.0):
        host.silence()
        host.connect(20, 8000, near_port=50000 + int(now))
        found = calls.look(TARGETS, {20}, now)
    assert [(call.first, call.last) for call in found] == [(0.0, 100.0)]


def test_programs_that_called_before_are_read_first_and_often_alone(tmp_path: Path) -> None:
    """A busy host has a hundred others, with hundreds of descriptors each."""
    host = Host(tmp_path)
    for pid in (20, 21, 22):
        host.run(pid, "python3")
        host.root.put(f"proc/{pid}/fd/.keep", "")
    host.connect(22, 8000, near_port=50000)
    calls = Calls(host.root.base)
    pythons = [20, 21, 22]
    calls.look(TARGETS, pythons, 0.0)
    host.connect(22, 8000, near_port=50001)
    assert calls._search({1002}, pythons, 2.0, anew=False).keys() == {22}


def test_a_program_that_begins_to_listen_after_its_first_call_is_known_by_its_port(tmp_path: Path) -> None:
    """It warms up its client before it opens; nothing new connects after that."""
    host = Host(tmp_path)
    host.run(20, "python3")
    host.connect(20, 8000)
    calls = Calls(host.root.base)
    calls.look(TARGETS, {20}, 0.0)
    inode = host.listen(20, 7000)
    served = [{inode} <= call.serves for now in (2.0, 40.0) for call in calls.look(TARGETS, {20}, now)]
    assert served == [False, True]


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
