"""One look at all processes for several engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.sources.linux.parentround import FRESH_S, ParentRound
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """A host with two processes."""
    root = FakeRoot(tmp_path)
    root.process(1, 0, "init")
    root.process(10, 1, "a")
    return root


def test_engines_that_look_at_about_the_same_time_share_a_table(root: FakeRoot) -> None:
    """A child that came meanwhile is seen at the next look."""
    table = ParentRound()
    table.parents(root.base, 10, 5.0)
    root.process(11, 10, "b")
    assert table.parents(root.base, 10, 5.0 + FRESH_S / 2) == {1: 0, 10: 1}
    assert table.parents(root.base, 10, 5.0 + FRESH_S) == {1: 0, 10: 1, 11: 10}


def test_an_engine_that_is_new_since_is_looked_for(root: FakeRoot) -> None:
    """Its own process must be in its tree."""
    table = ParentRound()
    table.parents(root.base, 10, 5.0)
    root.process(11, 10, "b")
    assert table.parents(root.base, 11, 5.1)[11] == 10


def test_hosts_are_kept_apart(root: FakeRoot, tmp_path: Path) -> None:
    """Each root of a file system has its own processes."""
    table = ParentRound()
    table.parents(root.base, 10, 5.0)
    assert table.parents(str(tmp_path / "other"), 10, 5.0) == {}
