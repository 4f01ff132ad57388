"""The processes of one engine through starts, ends and restarts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.sources.linux.enginetree import Change, EngineTree, counted
from perfconsole.sources.linux.sockets import parse_tcp
from perfconsole.sources.roles import Role, Roles
from tests.sources.fakeroot import FakeRoot, tcp_line

if TYPE_CHECKING:
    from pathlib import Path

VLLM = Roles("VLLM::APIServer", "VLLM::EngineCore", "VLLM::Worker", (r"vllm(\s|.*\s)serve",))
SOCKETS = parse_tcp(tcp_line("0100007F:1F40", "00000000:0000", "0A", 11), 8000)
CLOSED = parse_tcp("", 8000)


def _engine(root: FakeRoot, first: int, start: int = 100) -> None:
    root.process(first, 1, "vllm", "serve", "m", start=start)
    root.process(first + 1, first, "VLLM::EngineCore", start=start + 1)
    root.process(first + 2, first + 1, "VLLM::Worker", start=start + 2)
    root.process(first + 3, first, "python3", "-c", "from multiprocessing.resource_tracker import main", start=start)
    root.link(f"proc/{first}/fd/3", "socket:[11]")


def _end(root: FakeRoot, *pids: int) -> None:
    for pid in pids:
        root.end(pid)
        (root.path / f"proc/{pid}/fd/3").unlink(missing_ok=True)


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """Make a host with an engine of processes 10 to 13."""
    root = FakeRoot(tmp_path)
    root.process(1, 0, "init")
    _engine(root, 10)
    return root


@pytest.fixture
def tree(root: FakeRoot) -> EngineTree:
    """Make a watcher that has found the engine."""
    tree = EngineTree(root.base, 8000, VLLM)
    tree.refresh(0.0, SOCKETS)
    return tree


def _pids(change: Change) -> list[int]:
    return sorted(change.stats)


def test_the_whole_tree_is_found_with_roles(tree: EngineTree) -> None:
    """Titles give core and worker, the launcher is front-end, the tracker a helper."""
    roles = {pid: member.role for pid, member in tree.members.items()}
    assert roles == {10: Role.FRONTEND, 11: Role.CORE, 12: Role.WORKER, 13: Role.HELPER}


def test_finding_it_first_is_no_restart(root: FakeRoot) -> None:
    """The console came later than the engine."""
    change = EngineTree(root.base, 8000, VLLM).refresh(0.0, SOCKETS)
    assert (change.restarted, change.gone) == (False, ())


def test_a_process_that_ends_is_gone(root: FakeRoot, tree: EngineTree) -> None:
    """The others stay."""
    _end(root, 12)
    change = tree.refresh(1.0, SOCKETS)
    assert (change.gone, _pids(change)) == ((12,), [10, 11, 13])


def test_new_children_join(root: FakeRoot, tree: EngineTree) -> None:
    """An engine starts its workers after its front-end."""
    root.process(14, 11, "VLLM::Worker")
    assert _pids(tree.refresh(1.0, SOCKETS)) == [10, 11, 12, 13]
    assert _pids(tree.refresh(2.0, SOCKETS)) == [10, 11, 12, 13, 14]


def test_a_new_first_process_is_a_restart(root: FakeRoot, tree: EngineTree) -> None:
    """The old processes are gone, the new ones are its own."""
    _end(root, 10, 11, 12, 13)
    _engine(root, 20, start=900)
    change = tree.refresh(3.0, SOCKETS)
    assert change.restarted
    assert change.gone == (10, 11, 12, 13)
    assert _pids(change) == [20, 21, 22, 23]


def test_a_restart_under_the_same_numbers_is_one(root: FakeRoot, tree: EngineTree) -> None:
    """In a container the first process is always number 1: the time of its start tells."""
    _end(root, 10, 11, 12, 13)
    _engine(root, 10, start=900)
    change = tree.refresh(3.0, SOCKETS)
    assert (change.restarted, sorted(change.reused), change.gone) == (True, [10, 11, 12, 13], ())


def test_the_engine_is_gone_until_another_is_found(root: FakeRoot, tree: EngineTree) -> None:
    """A restart that takes a while is one when it comes."""
    _end(root, 10, 11, 12, 13)
    assert _pids(tree.refresh(3.0, CLOSED)) == []
    assert tree.absent is not None
    _engine(root, 20, start=900)
    change = tree.refresh(60.0, SOCKETS)
    assert (change.restarted, _pids(change)) == (True, [20, 21, 22, 23])


def test_what_is_left_of_an_engine_stays_with_it(root: FakeRoot, tree: EngineTree) -> None:
    """A core whose front-end died is no restart and no other engine."""
    _end(root, 10)
    root.process(11, 1, "VLLM::EngineCore", start=101)
    change = tree.refresh(3.0, CLOSED)
    assert (change.restarted, _pids(change)) == (False, [11, 12, 13])
    assert _pids(tree.refresh(30.0, CLOSED)) == [11, 12, 13]


def test_a_child_that_took_over_the_port_is_no_restart(root: FakeRoot, tree: EngineTree) -> None:
    """The launcher ended, one of its processes listens on."""
    _end(root, 10)
    root.link("proc/11/fd/3", "socket:[11]")
    root.process(11, 1, "VLLM::EngineCore", start=101)
    assert not tree.refresh(3.0, SOCKETS).restarted
    assert tree.root is not None
    assert (tree.root.pid, tree.root.argv) == (11, ("vllm", "serve", "m"))


def test_searches_that_find_nothing_become_rare(root: FakeRoot) -> None:
    """A remote engine must not cost a search of this host every two seconds."""
    _end(root, 10, 11, 12, 13)
    tree = EngineTree(root.base, 8000, VLLM)
    tree.refresh(0.0, SOCKETS)
    tree.refresh(4.0, SOCKETS)
    _engine(root, 20)
    assert _pids(tree.refresh(8.0, SOCKETS)) == []
    assert _pids(tree.refresh(12.0, SOCKETS)) == [20, 21, 22, 23]


def test_a_new_listener_is_searched_at_once(root: FakeRoot) -> None:
    """The wait holds only while nothing has changed."""
    _end(root, 10, 11, 12, 13)
    tree = EngineTree(root.base, 8000, VLLM)
    for now in (0.0, 4.0, 12.0):
        tree.refresh(now, CLOSED)
    _engine(root, 20)
    assert _pids(tree.refresh(14.0, SOCKETS)) == [20, 21, 22, 23]


def test_a_zombie_keeps_its_role(root: FakeRoot, tree: EngineTree) -> None:
    """Its title is lost when it ends."""
    root.process(11, 10, "VLLM::EngineCor", state="Z", start=101)
    change = tree.refresh(11.0, SOCKETS)
    assert tree.members[11].role is Role.CORE
    assert counted(tree.members, change.stats) == (10, 11, 12)


def test_zombies_alone_are_no_engine(root: FakeRoot, tree: EngineTree) -> None:
    """A container without an init process keeps them for ever."""
    for pid, start in ((10, 100), (11, 101), (12, 102)):
        root.process(pid, 1, "", state="Z", start=start)
    _end(root, 13)
    assert counted(tree.members, tree.refresh(1.0, CLOSED).stats) == ()
