"""Who holds which socket."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.discovery.holders import Holders
from tests.sources.discovery.building import program, programs
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path

TABLE = programs(program(10, "app"), program(11, "app", parent=10), program(30, "/lib/systemd/systemd"))


def hold(root: FakeRoot, pid: int, inode: int) -> None:
    """Have a process hold a socket."""
    root.link(f"proc/{pid}/fd/{inode}", f"socket:[{inode}]")


def test_all_who_share_a_socket_hold_it(tmp_path: Path) -> None:
    """But not the one that only opened it for others."""
    root = FakeRoot(tmp_path)
    for pid in TABLE:
        hold(root, pid, 77)
    assert Holders(root.base).look({77}, TABLE) == {77: {10, 11}}


def test_one_that_only_holds_for_others_counts_where_nobody_else_does(tmp_path: Path) -> None:
    """A service that is started by its first connection."""
    root = FakeRoot(tmp_path)
    hold(root, 30, 77)
    assert Holders(root.base).look({77}, TABLE) == {77: {30}}


def test_descriptors_are_read_only_while_a_socket_is_new(tmp_path: Path) -> None:
    """Those of an invisible process would be looked for for ever."""
    root = FakeRoot(tmp_path)
    holders = Holders(root.base)
    for _ in range(3):
        assert holders.look({77}, TABLE) == {77: frozenset()}
    hold(root, 10, 77)
    assert holders.look({77}, TABLE) == {77: frozenset()}
    assert holders.look({78}, TABLE) == {78: frozenset()}
    assert holders.look({77}, TABLE) == {77: {10}}


def test_the_next_holder_is_found_when_the_first_has_ended(tmp_path: Path) -> None:
    """A pre-forking server that replaces its processes."""
    root = FakeRoot(tmp_path)
    hold(root, 10, 77)
    holders = Holders(root.base)
    assert holders.look({77}, TABLE) == {77: {10}}
    hold(root, 11, 77)
    assert holders.look({77}, programs(TABLE[11])) == {77: {11}}
