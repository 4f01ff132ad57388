"""What stands on the page of a node_exporter."""

from __future__ import annotations

import pytest

from perfconsole.model.sample import Missing
from perfconsole.sources.exporters.nodepage import NodePage, wanted
from perfconsole.sources.exposition import PageParser
from tests.sources.enginepages import capture
from tests.sources.exposed import Exposed

REAL = capture("node_exporter/idle.prom")


def node(text: bytes) -> NodePage:
    """A page as a source parses it."""
    return NodePage(PageParser(wanted).parse(text))


@pytest.mark.parametrize("name", ["node_load1", "node_memory_MemTotal_bytes", "node_vmstat_pgmajfault"])
def test_a_number_is_that_of_the_page(name: str) -> None:
    """As another parser reads it."""
    assert node(REAL).plain(name) == Exposed(REAL).total(name)


def test_seconds_of_the_cores_add_up() -> None:
    """All of them together are the sum of each."""
    stat = node(REAL).cpu()
    assert stat.together is not None
    assert stat.together.user == pytest.approx(sum(core.user for core in stat.cores.values()))
    assert sorted(stat.cores) == ["cpu0", "cpu1"]


def test_names_of_old_releases_mean_the_same() -> None:
    """Those before 0.16 wrote no units."""
    old = node(b'node_cpu{cpu="0",mode="idle"} 5\nnode_cpu{cpu="0",mode="user"} 7\nnode_memory_MemTotal 99\n')
    assert old.plain("node_memory_MemTotal_bytes") == 99.0
    assert old.cpu().cores["cpu0"].user == 7.0


def test_a_disk_of_an_old_release_was_busy_for_milliseconds() -> None:
    """Before 0.16; without that time nobody knows which devices are disks."""
    old = node(b'node_disk_io_time_ms{device="sda"} 2500\nnode_disk_bytes_read{device="sda"} 4096\n')
    assert old.by_device("node_disk_io_time_seconds_total") == {"sda": 2.5}
    assert old.by_device("node_disk_read_bytes_total") == {"sda": 4096.0}


def test_what_is_not_there_is_not_exported() -> None:
    """A page of another program has nothing at all."""
    assert node(REAL).plain("node_never") is Missing.NOT_EXPORTED
    assert not node(b"go_goroutines 7\n")
    assert node(b"go_goroutines 7\n").cpu().together is None
    assert node(b"node_load1 NaN\n").plain("node_load1") is Missing.NOT_EXPORTED


def test_a_host_says_its_name() -> None:
    """Where the collector of it is on."""
    assert node(capture("node_exporter/gpu_host.prom")).nodename == "gpu-07"
    assert node(b"node_load1 1\n").nodename == ""
