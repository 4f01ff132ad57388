"""CPU limit and throttling of control groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.cgroup import (
    CpuGroup,
    ThrottleWatch,
    parse_cfs,
    parse_cgroup,
    parse_cpu_max,
    parse_cpu_stat,
    read_group,
)
from tests.sources.fakeroot import FakeRoot, captured

if TYPE_CHECKING:
    from pathlib import Path

MOUNT = "sys/fs/cgroup"
STAT = "usage_usec 5\nnr_periods {}\nnr_throttled {}\nthrottled_usec 9\n"


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """Make an empty host."""
    return FakeRoot(tmp_path)


def test_a_captured_page_has_both_versions() -> None:
    """A hybrid host lists its controllers and version 2."""
    paths = parse_cgroup(captured("cgroup"))
    assert (paths["cpu"], paths[""]) == ("/", "/")


def test_controllers_mounted_together_are_told_apart() -> None:
    """The controllers cpu and cpuacct mostly share one hierarchy."""
    assert parse_cgroup("4:cpu,cpuacct:/docker/a:b\n") == {"cpu": "/docker/a:b", "cpuacct": "/docker/a:b"}


@pytest.mark.parametrize(("text", "cores"), [("150000 100000\n", 1.5), ("max 100000\n", None), ("", None)])
def test_cpu_max_is_cores_or_no_limit(text: str, cores: float | None) -> None:
    """Quota over period; `max` is no limit."""
    assert parse_cpu_max(text) == cores


@pytest.mark.parametrize(("quota", "cores"), [("50000\n", 0.5), ("-1\n", None), ("0", None)])
def test_cfs_quota_is_cores_or_no_limit(quota: str, cores: float | None) -> None:
    """Version 1 writes -1 for no limit."""
    assert parse_cfs(quota, "100000\n") == cores


def test_a_group_without_bandwidth_control_has_no_counters() -> None:
    """The root of version 2 counts only usage."""
    assert parse_cpu_stat("usage_usec 5\n") is None


def test_version_2_reads_the_group_of_the_process(root: FakeRoot) -> None:
    """The path below the mount."""
    root.put("proc/7/cgroup", "0::/pod/c1\n")
    root.put(f"{MOUNT}/pod/c1/cpu.max", "200000 100000\n")
    assert read_group(root.base, 7) == CpuGroup(2.0, f"{root.base}/{MOUNT}/pod/c1/cpu.stat")


def test_the_tightest_limit_on_the_way_up_holds(root: FakeRoot) -> None:
    """A pod may be limited below the sum of its containers."""
    root.put("proc/7/cgroup", "0::/pod/c1\n")
    root.put(f"{MOUNT}/pod/c1/cpu.max", "400000 100000\n")
    root.put(f"{MOUNT}/pod/cpu.max", "300000 100000\n")
    assert read_group(root.base, 7) == CpuGroup(3.0, f"{root.base}/{MOUNT}/pod/cpu.stat")


def test_version_1_reads_the_cpu_controller(root: FakeRoot) -> None:
    """Also where it is mounted together with cpuacct, and version 2 is there without it."""
    root.put("proc/7/cgroup", "4:cpu,cpuacct:/docker/a\n0::/docker/a\n")
    root.put(f"{MOUNT}/cpu,cpuacct/docker/a/cpu.cfs_quota_us", "50000\n")
    root.put(f"{MOUNT}/cpu,cpuacct/docker/a/cpu.cfs_period_us", "100000\n")
    assert read_group(root.base, 7) == CpuGroup(0.5, f"{root.base}/{MOUNT}/cpu,cpuacct/docker/a/cpu.stat")


def test_a_path_of_the_host_means_the_mount_itself(root: FakeRoot) -> None:
    """Inside a container the path leads nowhere, and the mount is the container's group."""
    root.put("proc/7/cgroup", "4:cpu:/docker/a\n")
    root.put(f"{MOUNT}/cpu/cpu.cfs_quota_us", "800000\n")
    root.put(f"{MOUNT}/cpu/cpu.cfs_period_us", "100000\n")
    assert read_group(root.base, 7) == CpuGroup(8.0, f"{root.base}/{MOUNT}/cpu/cpu.stat")


def test_a_group_outside_the_namespace_is_unsupported(root: FakeRoot) -> None:
    """The mount shows the console's own group, which says nothing about this process."""
    root.put("proc/7/cgroup", "0::/../other\n")
    root.put(f"{MOUNT}/cpu.max", "100000 100000\n")
    assert read_group(root.base, 7) is Missing.UNSUPPORTED


def test_no_limit_is_not_exported_and_still_counted(root: FakeRoot) -> None:
    """Without a quota the counters of the nearest group are read."""
    root.put("proc/7/cgroup", "0::/a/b\n")
    root.put(f"{MOUNT}/a/b/cpu.max", "max 100000\n")
    root.put(f"{MOUNT}/a/b/cpu.stat", STAT.format(0, 0))
    assert read_group(root.base, 7) == CpuGroup(Missing.NOT_EXPORTED, f"{root.base}/{MOUNT}/a/b/cpu.stat")


@pytest.mark.parametrize("text", ["", "9:name=systemd:/\n"])
def test_a_process_without_a_cpu_group_is_unsupported(root: FakeRoot, text: str) -> None:
    """Nothing to look up."""
    root.put("proc/7/cgroup", text)
    assert read_group(root.base, 7) is Missing.UNSUPPORTED


def test_a_process_that_is_gone_is_unsupported(root: FakeRoot) -> None:
    """No file, no group."""
    assert read_group(root.base, 7) is Missing.UNSUPPORTED


def test_throttled_periods_are_a_share_of_all(root: FakeRoot) -> None:
    """A quarter of the periods of the window."""
    watch, path = ThrottleWatch(), f"{root.base}/s"
    root.put("s", STAT.format(100, 50))
    assert watch.ratio(0.0, path) is Missing.WARMING_UP
    root.put("s", STAT.format(200, 75))
    assert watch.ratio(10.0, path) == 0.25


def test_a_group_is_read_once_a_poll(root: FakeRoot) -> None:
    """Processes of one group share its window."""
    watch, path = ThrottleWatch(), f"{root.base}/s"
    root.put("s", STAT.format(100, 50))
    watch.ratio(0.0, path)
    root.put("s", STAT.format(200, 75))
    first = watch.ratio(10.0, path)
    root.put("s", STAT.format(300, 175))
    assert watch.ratio(10.0, path) == first


def test_periods_that_do_not_move_are_never(root: FakeRoot) -> None:
    """An unlimited group has no periods: no share of nothing."""
    watch, path = ThrottleWatch(), f"{root.base}/s"
    root.put("s", STAT.format(0, 0))
    watch.ratio(0.0, path)
    assert watch.ratio(10.0, path) is Missing.NEVER


def test_no_counters_are_unsupported_or_never(root: FakeRoot) -> None:
    """No file at all, and a file without the counters."""
    root.put("s", "usage_usec 5\n")
    assert ThrottleWatch().ratio(0.0, "") is Missing.UNSUPPORTED
    assert ThrottleWatch().ratio(0.0, f"{root.base}/s") is Missing.NEVER


@given(st.text() | st.from_regex(r"(nr_[a-z]{5,9} [0-9x]{1,3}\n){1,3}"))
def test_no_text_makes_them_raise(text: str) -> None:
    """Any text gives figures or nothing."""
    parse_cgroup(text)
    parse_cpu_max(text)
    parse_cpu_stat(text)
