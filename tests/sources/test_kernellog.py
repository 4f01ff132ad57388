"""Tests of the kernel log as a source: whose Xid it is, what NVML counts already, and reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.sources.kernellog import BEFORE, KernelLogSource, has_work
from perfconsole.sources.logs.journal import Journal
from tests.sources.fakeroot import FakeRoot
from tests.sources.logs.logbooks import captured

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from perfconsole.model.sample import Batch
    from perfconsole.sources.logs.tail import Unreadable

HOST = Entity(Kind.HOST, "gpu-07")
WALL = 1_762_345_800.0


class FakeJournal(Journal):
    """Lines that wait to be read."""

    def __init__(self) -> None:
        super().__init__(())
        self.waiting = b""
        self.quiet = False

    def put(self, text: bytes, at: float) -> None:
        """Log these lines at that time."""
        head = f"{at:.0f}.000000 gpu-07 kernel: ".encode()
        self.waiting += b"".join(head + line + b"\n" for line in text.splitlines())

    def read(self, since: float, stop: Callable[[], bool] = lambda: False) -> bytes | Unreadable:
        """What is new; a line of no interest shows that it may be read."""
        del since, stop
        found, self.waiting = self.waiting, b""
        return found if self.quiet else found + f"{WALL:.0f}.000000 gpu-07 kernel: x\n".encode()


class Bench:
    """A host with two GPUs, whose kernel log is read through the journal."""

    def __init__(self, folder: Path) -> None:
        self.root = FakeRoot(folder)
        self.root.put("proc/vmstat", "oom_kill 0\n")
        for place, address in enumerate(("0000:3b:00.0", "0000:86:00.0")):
            self.root.put(f"proc/driver/nvidia/gpus/{address}/information", f"Model: x\nGPU UUID: \t GPU-{place}\n")
            port = "0000:3a:00.0" if place == 0 else "0000:85:00.0"
            device = f"sys/devices/pci0000:3a/{port}/{address}"
            self.root.folder(device)
            self.root.link(f"sys/bus/pci/devices/{address}", str(folder / device))
        self.journal = FakeJournal()
        self.indices: dict[str, str] = {}
        self.filled: frozenset[tuple[str, str]] = frozenset()
        self.source = KernelLogSource(HOST, lambda: self.indices, lambda: self.filled, folder, self.journal)

    def poll(self, after_s: float = 0.0) -> Batch:
        """One poll."""
        (batch,) = self.source.poll(after_s, WALL + after_s)
        return batch


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Two GPUs, no NVML."""
    return Bench(tmp_path)


def of(batch: Batch, gpu: str) -> dict[str, float]:
    """Counts of one GPU, without zeros."""
    found = [(s.key.indicator, s.value) for s in batch.samples if s.key.entity == Entity(Kind.GPU, gpu)]
    return {name.partition(".")[2]: value for name, value in found if isinstance(value, float) and value}


def test_events_go_to_the_gpu_at_that_address(bench: Bench) -> None:
    """Errors of its port are errors of its link; those of other devices are nobody's."""
    bench.journal.put(captured("kernel.txt"), WALL - 60)
    batch = bench.poll()
    assert of(batch, "0") == {"xid": 1.0, "xid_application": 1.0, "pcie_errors": 2.0}
    assert of(batch, "1") == {"xid": 1.0, "xid_lost": 1.0}
    assert [(fact.entity.name, fact.value) for fact in batch.facts] == [("0", "31"), ("1", "79")]


def test_a_quiet_log_counts_zero(bench: Bench) -> None:
    """It was read."""
    batch = bench.poll()
    assert {s.value for s in batch.samples} == {0.0}
    assert len(batch.samples) == 12


def test_gpus_are_named_as_nvml_names_them(bench: Bench) -> None:
    """By their UUIDs: its order need not be that of the addresses."""
    bench.indices = {"GPU-0": "7", "GPU-1": "3"}
    bench.journal.put(captured("kernel.txt"), WALL - 60)
    assert of(bench.poll(), "7")["xid"] == 1.0


def test_a_fall_off_the_bus_without_a_number_counts_as_one(bench: Bench) -> None:
    """Also when its Xid comes after it."""
    bench.journal.put(b"NVRM: GPU 0000:86:00.0: GPU has fallen off the bus.", WALL - 60)
    assert of(bench.poll(), "1") == {"xid": 1.0, "xid_lost": 1.0}
    bench.journal.put(b"NVRM: Xid (PCI:0000:86:00): 79, GPU has fallen off the bus.", WALL - 50)
    assert of(bench.poll(), "1") == {"xid": 1.0, "xid_lost": 1.0}


def test_what_nvml_counts_is_not_counted_twice(bench: Bench) -> None:
    """Only what was logged before it began to listen is added, as a part of its own."""
    xid = b"NVRM: Xid (PCI:0000:3b:00): 48, pid=1, DBE"
    bench.journal.put(xid, WALL - 60)
    bench.filled = frozenset({("gpu.xid", "0")})
    first = bench.poll()
    bench.journal.put(xid, WALL + 10)
    second = bench.poll(20.0)
    for batch in (first, second):
        assert of(batch, "0") == {"xid": 1.0, "xid_memory": 1.0}
        assert {s.key.labels for s in batch.samples if s.value and s.key.indicator == "gpu.xid"} == {BEFORE}


def test_where_nvml_falls_silent_all_count_here(bench: Bench) -> None:
    """A card that is lost takes the driver with it."""
    bench.filled = frozenset({("gpu.xid", "0")})
    bench.poll()
    bench.filled = frozenset()
    bench.journal.put(b"NVRM: Xid (PCI:0000:3b:00): 79, x", WALL + 5)
    assert of(bench.poll(10.0), "0") == {"xid": 1.0, "xid_lost": 1.0}


def test_events_age_out_after_an_hour(bench: Bench) -> None:
    """As those of NVML do."""
    bench.journal.put(captured("kernel.txt"), WALL - 3000)
    assert of(bench.poll(), "0")
    assert of(bench.poll(601.0), "0") == {}


def test_kills_are_counted_where_the_kernel_has_no_count(bench: Bench) -> None:
    """Else /proc/vmstat has it."""
    bench.journal.put(captured("kernel.txt"), WALL - 60)
    assert "host.oom_kills" not in {s.key.indicator for s in bench.poll().samples}
    bench.root.put("proc/vmstat", "nr_free_pages 1\n")
    kills = [s.value for s in bench.poll().samples if s.key.indicator == "host.oom_kills"]
    assert kills == [2.0]


def test_a_log_that_may_not_be_read_is_one_reason(tmp_path: Path) -> None:
    """Neither the device nor the journal."""
    root = FakeRoot(tmp_path)
    root.put("proc/driver/nvidia/gpus/0000:3b:00.0/information", "")
    source = KernelLogSource(HOST, root=tmp_path, journal=Journal(("-k",), program=str(tmp_path / "none")))
    (batch,) = source.poll(0.0, WALL)
    assert [(a.indicator, a.reason) for a in batch.absences] == [("gpu.pcie_errors", Missing.UNSUPPORTED)]
    assert len(batch.notes) == 1


def test_it_is_read_only_where_it_has_something_to_say(tmp_path: Path) -> None:
    """A host with no GPU and a kernel that counts needs it not."""
    root = FakeRoot(tmp_path)
    root.put("proc/vmstat", "oom_kill 0\n")
    assert not has_work(tmp_path)
    root.put("proc/vmstat", "pswpout 0\n")
    assert has_work(tmp_path)
    root.put("proc/vmstat", "oom_kill 0\n")
    root.folder("proc/driver/nvidia/gpus/0000:3b:00.0")
    assert has_work(tmp_path)


def test_a_journal_that_spoke_once_may_be_quiet(bench: Bench) -> None:
    """No new line is no absence: what was counted still counts."""
    bench.journal.put(captured("kernel.txt"), WALL - 60)
    bench.poll()
    bench.journal.quiet = True
    batch = bench.poll(10.0)
    assert (of(batch, "1"), batch.absences) == ({"xid": 1.0, "xid_lost": 1.0}, ())
