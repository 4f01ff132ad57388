"""The source for this host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.sources.host import HostSource, parse_file_nr
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path

NAMES = {
    "host.cores",
    "host.cpu_utilization",
    "host.cpu_user",
    "host.cpu_system",
    "host.cpu_busiest_core",
    "host.cpu_steal",
    "host.iowait",
    "host.load",
    "host.context_switches",
    "host.psi_cpu",
    "host.psi_memory",
    "host.psi_io",
    "host.cpu_freq_ratio",
    "host.performance_governor",
    "host.cpu_throttle",
    "host.mem_available",
    "host.mem_available_ratio",
    "host.swap_used",
    "host.swap_out",
    "host.major_faults",
    "host.oom_kills",
    "host.disk_read",
    "host.disk_read_best",
    "host.disk_write",
    "host.disk_busy",
    "host.fds",
    "host.iommu",
    "net.rx",
    "net.tx",
    "net.link_speed",
    "net.link_ratio",
    "net.drops",
    "net.errors",
    "net.error_ratio",
    "net.tcp_retrans",
    "net.retrans_ratio",
    "net.listen_overflows",
    "net.conntrack_failed",
}


def test_an_empty_host_gives_a_reason_for_every_name(tmp_path: Path) -> None:
    """Where nothing can be read there is no sample and no error."""
    batch = HostSource(tmp_path, "h").batch(5.0, 1000.0)
    assert batch.samples == ()
    assert batch.error is None
    assert {gap.indicator for gap in batch.absences} == NAMES
    assert {gap.reason for gap in batch.absences} == {Missing.UNSUPPORTED}


def test_this_host_gives_each_name_once() -> None:
    """On a real host every name is a sample or an absence, never both."""
    source = HostSource()
    source.batch(0.0, 1000.0)
    batch = source.batch(1.0, 1001.0)
    given = {sample.key for sample in batch.samples}
    assert len(given) == len(batch.samples)
    names = [*{key.indicator for key in given}, *(gap.indicator for gap in batch.absences)]
    assert sorted(names) == sorted(NAMES)
    assert "host.mem_available" in {key.indicator for key in given}
    source.close()


def test_the_batch_says_whose_and_when(tmp_path: Path) -> None:
    """Source, kind, moment and entity stand in the batch."""
    batch = HostSource(tmp_path, "gpu-07").batch(5.0, 1000.0)
    assert (batch.source, batch.kind, batch.t, batch.wall, batch.cadence_s) == ("host", "host", 5.0, 1000.0, 1.0)
    assert batch.entities == (Entity(Kind.HOST, "gpu-07"),)


def test_a_poll_is_one_batch(tmp_path: Path) -> None:
    """The monitor takes batches, this source has one; breaking it off does nothing."""
    source = HostSource(tmp_path, "h")
    source.interrupt()
    assert [batch.source for batch in source.poll(5.0, 1000.0)] == ["host"]


def test_allocated_descriptors_are_the_first_field(tmp_path: Path) -> None:
    """The limit, which stands third, is not what is open."""
    root = FakeRoot(tmp_path)
    root.put("proc/sys/fs/file-nr", "1101\t0\t9223372036854775807\n")
    assert HostSource(tmp_path, "h").read(0.0)["host.fds"] == 1101.0


def test_an_empty_descriptor_file_is_unsupported() -> None:
    """No field, no number."""
    assert parse_file_nr("") is Missing.UNSUPPORTED
