"""Tests of reading the processes of one tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.sources.linux.enginetree import EngineTree
from perfconsole.sources.linux.holder import by_number
from perfconsole.sources.linux.reading import TreeReader, entity_of
from perfconsole.sources.roles import Roles
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path


def test_every_process_of_the_tree_has_its_figures(tmp_path: Path) -> None:
    """Also those that only a child has."""
    root = FakeRoot(tmp_path)
    root.process(10, 1, "python")
    root.process(11, 10, "python")
    tree = EngineTree(root.base, 0, Roles(), by_number(root.base, 10))
    reader = TreeReader(tree, None)
    change = tree.refresh(0.0, Missing.UNSUPPORTED)
    found = reader.read(0.0, change, Missing.UNSUPPORTED)
    assert set(found) == {10, 11}
    assert found[11]["host.process_rss"] == 256 * 4096
    assert found[11]["host.process_close_wait"] is Missing.UNSUPPORTED


def test_a_tree_that_was_not_found_says_why(tmp_path: Path) -> None:
    """In the words of the search."""
    tree = EngineTree(str(tmp_path), 0, Roles(), by_number(str(tmp_path), 10))
    change = tree.refresh(0.0, Missing.UNSUPPORTED)
    assert TreeReader(tree, None).notes(change) == ("no process 10 on this host",)


def test_a_process_is_named_by_its_number() -> None:
    """As entities carry it."""
    assert entity_of(7) == Entity(Kind.PROCESS, "7")
