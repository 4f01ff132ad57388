"""A host by the pages of its node_exporter: the numbers were worked out by hand when the two pages were written."""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Fact, Missing
from perfconsole.sources.exporters import nodepage
from perfconsole.sources.exporters.node import NodeReader
from perfconsole.sources.exposition import PageParser
from tests.sources.enginepages import capture

if TYPE_CHECKING:
    from perfconsole.sources.exporters.told import Told

HOST = Entity(Kind.HOST, "gpu-07")
FIRST, LATER = (capture(f"node_exporter/{name}.prom") for name in ("gpu_host", "gpu_host_5s_later"))
REAL = capture("node_exporter/idle.prom")
BETWEEN = {
    "host.cores": 4.0,
    "host.load": 9.25,
    "host.cpu_utilization": 0.4,
    "host.cpu_user": 0.3,
    "host.cpu_system": 0.1,
    "host.cpu_steal": 0.025,
    "host.iowait": 0.05,
    "host.context_switches": 50_000.0,
    "host.cpu_freq_ratio": 0.5,
    "host.performance_governor": 1.0,
    "host.cpu_throttle": 13.0,
    "host.psi_cpu": 0.25,
    "host.psi_memory": 0.1,
    "host.psi_io": 0.5,
    "host.mem_available": 2.5e11,
    "host.mem_available_ratio": 0.25,
    "host.swap_used": 5e9,
    "host.swap_out": 10 * 4096.0,
    "host.major_faults": 600.0,
    "host.oom_kills": 1.0,
    "host.disk_read": 6e8,
    "host.disk_write": 1e6,
    "host.disk_busy": 0.8,
    "host.fds": 21_408.0,
    "net.rx": 2e8,
    "net.tx": 1e8,
    "net.link_speed": 1.25e9,
    "net.link_ratio": 0.16,
    "net.drops": 4.0,
    "net.errors": 40.0,
    "net.error_ratio": 0.002,
    "net.tcp_retrans": 50_250.0,
    "net.retrans_ratio": 0.05,
    "net.listen_overflows": 3.0,
    "net.conntrack_failed": 4.0,
}
"""Of the disks the one below the other, of the interfaces eth0 and eth1: not their bond, VLAN, bridge or container."""


def told(*pages: bytes, step_s: float = 5.0) -> Told:
    """What the last of some pages tells."""
    reader, parser = NodeReader(), PageParser(nodepage.wanted)
    for place, body in enumerate(pages):
        found = reader.read(parser.parse(body), place * step_s, HOST.name)
    return found


def plain(found: Told) -> dict[str, float]:
    """Numbers of one part."""
    return {s.key.indicator: s.value for s in found.samples if not s.key.labels and isinstance(s.value, float)}


def missing(found: Told) -> dict[str, Missing]:
    """Why the others are not there."""
    return {absence.indicator: absence.reason for absence in found.absences}


def without(name: str, page: bytes = LATER) -> bytes:
    """The page of an exporter whose collector of these names is off."""
    return b"".join(line for line in page.splitlines(keepends=True) if name.encode() not in line)


@pytest.mark.parametrize("name", BETWEEN)
def test_two_pages_give_what_proc_gives_here(name: str) -> None:
    """Rates and shares between them, totals as they stand."""
    assert isclose(plain(told(FIRST, LATER))[name], BETWEEN[name])


def test_each_core_is_a_part_of_the_busiest() -> None:
    """As on this host."""
    parts = {s.key.labels: s.value for s in told(FIRST, LATER).samples if s.key.indicator == "host.cpu_busiest_core"}
    assert parts == {(("core", str(core)),): value for core, value in enumerate((0.2, 1.0, 0.2, 0.2))}


def test_each_port_of_rdma_is_a_part() -> None:
    """Bytes a second of both directions, and what does not happen on a sound link."""
    parts = {(s.key.indicator, s.key.labels): s.value for s in told(FIRST, LATER).samples if "rdma" in s.key.indicator}
    assert parts == {
        ("net.rdma", (("port", "mlx5_0/1"),)): 3e9,
        ("net.rdma", (("port", "mlx5_1/1"),)): 0.0,
        ("net.rdma_errors", (("port", "mlx5_0/1"),)): 3.0,
        ("net.rdma_errors", (("port", "mlx5_1/1"),)): 0.0,
    }


def test_every_indicator_has_a_value_or_a_reason() -> None:
    """On the first page rates warm up; what no page says is said to be absent."""
    for found in (told(FIRST), told(FIRST, LATER), told(REAL), told(REAL, REAL)):
        names = {s.key.indicator for s in found.samples} | missing(found).keys()
        assert set(BETWEEN) | {"host.iommu", "host.disk_read_best", "net.rdma", "host.cpu_busiest_core"} <= names
        assert all(DEFAULT.find(name) for name in names)
    assert missing(told(FIRST))["host.cpu_utilization"] is Missing.WARMING_UP
    assert missing(told(FIRST))["host.iommu"] is Missing.NOT_EXPORTED


@pytest.mark.parametrize(
    ("collector", "name"),
    [
        ("node_pressure", "host.psi_memory"),
        ("node_cpu_seconds", "host.cpu_utilization"),
        ("node_vmstat", "host.oom_kills"),
        ("node_cpu_scaling_freq", "host.cpu_freq_ratio"),
        ("node_memory", "host.swap_used"),
        ("node_disk", "host.disk_busy"),
        ("node_network", "net.rx"),
        ("node_netstat", "net.retrans_ratio"),
        ("node_infiniband", "net.rdma"),
        ("node_filefd", "host.fds"),
    ],
)
def test_what_a_collector_that_is_off_would_say_is_not_exported(collector: str, name: str) -> None:
    """Never 0."""
    found = told(without(collector, FIRST), without(collector))
    assert missing(found)[name] is Missing.NOT_EXPORTED
    assert name not in plain(found)


def test_a_page_of_a_real_exporter_is_read() -> None:
    """A virtual machine with one network card, whose speed nobody knows."""
    found = told(REAL)
    assert plain(found)["host.mem_available"] == 22_651_310_080.0
    assert plain(found)["host.cores"] == 2.0
    assert missing(found)["net.link_speed"] is Missing.NOT_EXPORTED
    assert Fact("host.os", HOST, "Debian GNU/Linux 12 (bookworm)") in found.facts


def test_a_restart_gives_no_rate() -> None:
    """Totals that fell say nothing about the time between."""
    found = told(LATER, FIRST)
    assert missing(found)["host.context_switches"] is Missing.WARMING_UP
    assert missing(found)["host.cpu_utilization"] is Missing.WARMING_UP


def test_pages_swapped_out_have_no_size_on_a_machine_that_may_have_larger_ones() -> None:
    """Arm kernels come with 4 and with 64 KiB; no page swapped is no byte on either."""
    arm = [page.replace(b'machine="x86_64"', b'machine="aarch64"') for page in (FIRST, LATER)]
    assert missing(told(*arm))["host.swap_out"] is Missing.UNSUPPORTED
    assert plain(told(arm[0], arm[0]))["host.swap_out"] == 0.0


def test_a_collector_that_fails_is_told_of() -> None:
    """One that no indicator comes from is not: many fail on every host."""
    broken = LATER.replace(b'success{collector="vmstat"} 1', b'success{collector="vmstat"} 0')
    assert told(broken).notes == ("its collectors fail: vmstat; what they would say is missing",)
    assert told(LATER).notes == ()


@given(st.lists(st.sampled_from(FIRST.splitlines() + REAL.splitlines()), max_size=40), st.integers(1, 5))
def test_any_part_of_a_page_is_read(lines: list[bytes], step_s: int) -> None:
    """Whatever is off, doubled or out of order: shares stay shares, and each name is a value or a gap, never both."""
    body = b"\n".join([*lines, b""])
    found = told(body, body, step_s=float(step_s))
    values = plain(found)
    assert not values.keys() & missing(found).keys()
    assert all(0.0 <= values[name] <= 1.0 for name in values if DEFAULT.unit(name) == "ratio" and "mem" not in name)
