"""Parents, descendants and command lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.linux.tree import ancestors, descendants, read_argv, read_parents, read_pids
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path

PARENTS = {1: 0, 10: 1, 11: 10, 12: 10, 13: 12, 20: 1}


def test_descendants_come_after_their_parents() -> None:
    """The whole tree below, and nothing beside it."""
    assert descendants(PARENTS, 10) == [10, 11, 12, 13]


def test_ancestors_go_up_to_the_first_process() -> None:
    """Nearest first."""
    assert ancestors(PARENTS, 13) == [12, 10, 1]


@given(st.dictionaries(st.integers(1, 9), st.integers(0, 9)), st.integers(1, 9))
def test_a_loop_ends(parents: dict[int, int], pid: int) -> None:
    """A table read while numbers are used again may hold a loop."""
    assert len(set(ancestors(parents, pid))) == len(ancestors(parents, pid))
    assert len(set(descendants(parents, pid))) == len(descendants(parents, pid))


def test_the_table_is_read_from_all_processes(tmp_path: Path) -> None:
    """What is no process, or has just ended, is left out."""
    root = FakeRoot(tmp_path)
    root.process(1, 0, "init")
    root.process(10, 1, "a")
    root.folder("proc/net")
    root.folder("proc/11")
    assert read_pids(root.base) == [11, 10, 1]
    assert read_parents(root.base) == {10: 1, 1: 0}


def test_a_zombie_is_named_by_its_short_name(tmp_path: Path) -> None:
    """Its command line is empty."""
    root = FakeRoot(tmp_path)
    root.put("proc/7/cmdline")
    root.put("proc/7/comm", "VLLM::EngineCor\n")
    assert read_argv(root.base, 7) == ("VLLM::EngineCor",)
    assert read_argv(root.base, 8) == ()


def test_a_host_without_proc_has_no_processes(tmp_path: Path) -> None:
    """Nothing to see is no error."""
    assert read_pids(str(tmp_path)) == []
