"""Which processes poll others."""

from __future__ import annotations

from shutil import rmtree
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.watchers import Watchers
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path


def test_consoles_and_monitors_are_told_from_the_rest(tmp_path: Path) -> None:
    """By command lines; a script that only mentions one is none."""
    root = FakeRoot(tmp_path)
    root.process(10, 1, "/usr/bin/python3", "-m", "perfconsole", "check")
    root.process(11, 1, "/bin/prometheus", "--config.file=p.yml")
    root.process(12, 1, "/usr/bin/python3", "batch.py", "--user-agent", "perfconsole")
    assert sorted(Watchers(root.base).look()) == [10, 11]


def test_one_that_has_ended_is_forgotten(tmp_path: Path) -> None:
    """Its number may be given to a client next."""
    root = FakeRoot(tmp_path)
    root.process(10, 1, "/usr/bin/perfconsole")
    watchers = Watchers(root.base)
    assert watchers.look() == (10,)
    rmtree(tmp_path / "proc/10")
    assert watchers.look() == ()
    root.process(10, 1, "/usr/bin/python3", "batch.py")
    assert watchers.look() == ()
