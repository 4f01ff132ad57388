"""Figures of one process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.cgroup import ThrottleWatch
from perfconsole.sources.linux.taskstat import HZ, PAGE, read_task_stat
from perfconsole.sources.linux.watched import WatchedProcess, parse_fd_limit
from tests.sources.fakeroot import FakeRoot, captured

if TYPE_CHECKING:
    from pathlib import Path

    from perfconsole.sources.linux.values import Values


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """Make process 7 with two descriptors."""
    root = FakeRoot(tmp_path)
    root.process(7, 1, "engine", ticks=0)
    root.put("proc/7/limits", "Max open files            8                    16                   files\n")
    root.link("proc/7/fd/0", "/dev/null")
    root.link("proc/7/fd/1", "socket:[5]")
    return root


def _read(watched: WatchedProcess, root: FakeRoot, now: float) -> Values:
    stat = read_task_stat(root.base, 7)
    assert stat is not None
    return watched.read(now, stat, ThrottleWatch(), full=True)


def test_a_captured_limit_is_the_soft_one() -> None:
    """A process meets the soft limit first."""
    assert parse_fd_limit(captured("limits")) == 20000.0


def test_an_unlimited_process_has_no_limit() -> None:
    """No number, no ratio."""
    assert parse_fd_limit("Max open files   unlimited   unlimited   files\n") is Missing.NOT_EXPORTED


def test_gauges_are_there_at_the_first_poll(root: FakeRoot) -> None:
    """Memory, threads and descriptors need no second reading; CPU does."""
    values = _read(WatchedProcess(root.base, 7, 100), root, 0.0)
    assert values["host.process_rss"] == 256 * PAGE
    assert values["host.process_threads"] == 1.0
    assert (values["host.process_fds"], values["host.process_fd_ratio"]) == (2.0, 0.25)
    assert values["host.process_total_cpu"] is Missing.WARMING_UP


def test_cpu_is_time_used_between_two_polls(root: FakeRoot) -> None:
    """Half a second in one."""
    watched = WatchedProcess(root.base, 7, 100)
    _read(watched, root, 0.0)
    root.process(7, 1, "engine", ticks=HZ // 2)
    values = _read(watched, root, 1.0)
    assert (values["host.process_cpu"], values["host.process_total_cpu"]) == (0.5, 0.5)


def test_descriptors_of_another_user_are_no_permission(root: FakeRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    """What anyone may read still comes."""
    real = procfs.list_names
    monkeypatch.setattr(procfs, "list_names", lambda p: Missing.NO_PERMISSION if p.endswith("/fd") else real(p))
    values = _read(WatchedProcess(root.base, 7, 100), root, 0.0)
    assert values["host.process_fds"] is Missing.NO_PERMISSION
    assert values["host.process_fd_ratio"] is Missing.NO_PERMISSION
    assert (values["host.process_fd_limit"], values["host.process_threads"]) == (8.0, 1.0)


def test_the_quota_of_its_group_is_its_own(root: FakeRoot) -> None:
    """Cores, with the throttling of the same group."""
    root.put("proc/7/cgroup", "0::/\n")
    root.put("sys/fs/cgroup/cpu.max", "250000 100000\n")
    root.put("sys/fs/cgroup/cpu.stat", "nr_periods 5\nnr_throttled 1\n")
    values = _read(WatchedProcess(root.base, 7, 100), root, 0.0)
    assert values["host.process_cpu_quota"] == 2.5
    assert values["host.process_throttled_ratio"] is Missing.WARMING_UP


def test_a_process_without_a_group_is_unsupported(root: FakeRoot) -> None:
    """A quota that cannot be seen is not the same as none."""
    values = _read(WatchedProcess(root.base, 7, 100), root, 0.0)
    assert values["host.process_cpu_quota"] is Missing.UNSUPPORTED
    assert values["host.process_throttled_ratio"] is Missing.UNSUPPORTED


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    """Any text gives a limit or a reason."""
    parse_fd_limit(text)
