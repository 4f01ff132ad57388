"""Tests of what is kept of each process of a service."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Fact
from perfconsole.sources.linux.enginetree import Change
from perfconsole.sources.linux.outside import BUSIEST, MAIN, Outside
from perfconsole.sources.linux.taskstat import TaskStat
from perfconsole.sources.linux.watched import WatchedProcess
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path

STAT = TaskStat("R", 1, 0, 1, 100, 4096)


def change(*reused: int, there: bool = True) -> Change:
    """Process 10 at one poll."""
    return Change({10: STAT} if there else {}, (), reused, restarted=False)


def words(outside: Outside, root: FakeRoot, t: float, *reused: int) -> tuple[Fact, ...]:
    """Facts of one poll."""
    now = change(*reused)
    outside.read(t, now)
    return outside.words(t, now, {10: WatchedProcess(root.base, 10, 100)})


def test_each_process_has_its_words(tmp_path: Path) -> None:
    """Once five looks were taken."""
    root, process = FakeRoot(tmp_path), Entity(Kind.PROCESS, "10")
    outside = Outside(root.base)
    said = [words(outside, root, float(t)) for t in range(5)]
    assert said[0] == (Fact(MAIN, process, ""), Fact(BUSIEST, process, ""))
    assert said[-1][0] == Fact(MAIN, process, "runs 100%")


def test_another_process_under_the_number_begins_anew(tmp_path: Path) -> None:
    """What the one before it did is not its own."""
    root = FakeRoot(tmp_path)
    outside = Outside(root.base)
    for t in range(6):
        words(outside, root, float(t))
    assert words(outside, root, 6.0, 10)[0].value == ""


def test_nothing_is_kept_of_what_is_gone(tmp_path: Path) -> None:
    """And nothing said."""
    root = FakeRoot(tmp_path)
    outside = Outside(root.base)
    words(outside, root, 0.0)
    assert outside.read(1.0, change(there=False)) == {}
