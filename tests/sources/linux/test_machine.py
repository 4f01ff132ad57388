"""What the files of a host say of it once."""

from __future__ import annotations

from pathlib import Path

import pytest

from perfconsole.sources.linux.machine import read_machine
from tests.sources.fakeroot import FakeRoot

CPUINFO = "processor\t: 0\nmodel name\t: Xeon 8480+\n\nprocessor\t: 1\nmodel name\t: Xeon 8480+\n"
DRIVER = "NVRM version: NVIDIA UNIX {}Kernel Module{}  570.124.06  Release Build\nGCC version: 13\n"


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """Make a host with two processors, and a process in a container."""
    made = FakeRoot(tmp_path)
    made.put("proc/cpuinfo", CPUINFO)
    made.put("proc/meminfo", "MemTotal:       16318480 kB\nMemFree:  1 kB\n")
    made.put("proc/sys/kernel/osrelease", "6.18.0-1\n")
    made.put("proc/7/cgroup", "0::/pod/one\n")
    made.put("sys/fs/cgroup/pod/one/cpu.max", "250000 100000\n")
    made.put("sys/fs/cgroup/pod/one/memory.max", "max\n")
    made.put("sys/fs/cgroup/pod/memory.max", f"{3 << 30}\n")
    return made


def test_the_host(root: FakeRoot) -> None:
    """Kernel, processor, cores and memory in words."""
    found = read_machine(root.path, {})
    assert found.pop("host.name")
    assert found == {
        "host.kernel": "6.18.0-1",
        "host.processor": "Xeon 8480+",
        "host.cpus": "2",
        "host.memory": "15.6 GiB",
    }


@pytest.mark.parametrize("build", [("x86_64 ", ""), ("Open ", " for x86_64")])
def test_the_driver(root: FakeRoot, build: tuple[str, str]) -> None:
    """Its version, of either build of the module."""
    root.put("proc/driver/nvidia/version", DRIVER.format(*build))
    assert read_machine(root.path, {})["gpu.driver"] == "570.124.06"


def test_limits_of_a_container(root: FakeRoot) -> None:
    """The tightest limit on the way up, of each process under its own prefix."""
    found = read_machine(root.path, {"client": 7, "engine": 8})
    assert (found["client.cpu_limit"], found["client.memory_limit"]) == ("2.5 cores", "3.0 GiB")
    assert not [name for name in found if name.startswith("engine")]


def test_limits_of_the_first_version(root: FakeRoot) -> None:
    """Its largest number stands for no limit."""
    root.put("proc/9/cgroup", "4:memory:/one\n3:cpu,cpuacct:/one\n")
    root.put("sys/fs/cgroup/memory/one/memory.limit_in_bytes", f"{2 << 30}\n")
    root.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
    assert read_machine(root.path, {"client": 9})["client.memory_limit"] == "2.0 GiB"
    root.put("sys/fs/cgroup/memory/one/memory.limit_in_bytes", "9223372036854771712\n")
    assert "client.memory_limit" not in read_machine(root.path, {"client": 9})


def test_a_host_without_files(tmp_path: Path) -> None:
    """What cannot be read is left out."""
    assert set(read_machine(tmp_path, {"client": 1})) == {"host.name"}


def test_this_host() -> None:
    """The real files are read as well."""
    found = read_machine(Path("/"), {"client": 1})
    assert int(found["host.cpus"]) >= 1
    assert found["host.memory"].endswith(" GiB")
