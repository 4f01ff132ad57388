"""Rates of the block devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.disk import DiskReader, DiskTotals, parse_diskstats, whole_disks
from tests.sources.fakeroot import FakeRoot, captured
from tests.sources.linux.test_netfs import MOUNTSTATS

if TYPE_CHECKING:
    from pathlib import Path


def _line(name: str, read: int, written: int, busy_ms: int) -> str:
    return f"   8       0 {name} 1 0 {read} 5 1 0 {written} 7 0 {busy_ms} 9\n"


def test_sectors_become_bytes_and_milliseconds_seconds() -> None:
    """A sector is 512 bytes whatever the disk says."""
    assert parse_diskstats(_line("sda", 2, 4, 1500)) == {"sda": DiskTotals(1024.0, 2048.0, 1.5)}


def test_a_captured_page_has_its_disk() -> None:
    """A real file parses."""
    assert parse_diskstats(captured("diskstats"))["vda"].read == 2880690 * 512


def test_whole_disks_are_those_on_hardware_of_their_own() -> None:
    """No partition, no loop, memory or stacked device."""
    names = ["loop0", "ram0", "zram0", "dm-0", "md0", "sda", "sda1", "nvme0n1", "nvme0n1p1"]
    assert whole_disks(names, ["loop0", "zram0", "dm-0", "md0", "sda", "nvme0n1"]) == ["sda", "nvme0n1"]


def test_partitions_are_told_by_name_where_sys_is_hidden() -> None:
    """The names alone tell them well enough."""
    names = ["sda", "sda1", "nvme0n1", "nvme0n1p12", "xvda1", "mmcblk0p1"]
    assert whole_disks(names, Missing.UNSUPPORTED) == ["sda", "nvme0n1"]


def test_rates_sum_over_the_disks_and_the_busiest_shows(tmp_path: Path) -> None:
    """Bytes add up; busy time does not."""
    root = FakeRoot(tmp_path)
    reader = DiskReader(root.base)
    root.put("proc/diskstats", _line("sda", 0, 0, 0) + _line("sdb", 0, 0, 0))
    assert set(reader.read(0.0).values()) == {Missing.WARMING_UP}
    root.put("proc/diskstats", _line("sda", 8, 0, 500) + _line("sdb", 8, 2, 1800))
    assert reader.read(2.0) == {
        "host.disk_read": 4096.0,
        "host.disk_read_best": Missing.WARMING_UP,
        "host.disk_write": 512.0,
        "host.disk_busy": 0.9,
    }


def test_busy_time_booked_late_stays_a_ratio(tmp_path: Path) -> None:
    """A long request that ends books more than the second it ends in."""
    root = FakeRoot(tmp_path)
    reader = DiskReader(root.base)
    root.put("proc/diskstats", _line("sda", 0, 0, 0))
    reader.read(0.0)
    root.put("proc/diskstats", _line("sda", 0, 0, 3000))
    assert reader.read(1.0)["host.disk_busy"] == 1.0


def test_a_network_file_system_counts_as_a_disk(tmp_path: Path) -> None:
    """Weights loaded over NFS are a disk read of this host."""
    root = FakeRoot(tmp_path)
    reader = DiskReader(root.base)
    root.put("proc/self/mountstats", MOUNTSTATS)
    reader.read(0.0)
    root.put("proc/self/mountstats", MOUNTSTATS.replace("5000", "9000"))
    values = reader.read(2.0)
    assert values["host.disk_read"] == 2000.0
    assert values["host.disk_busy"] is Missing.UNSUPPORTED


def test_a_host_that_hides_its_disks_is_unsupported(tmp_path: Path) -> None:
    """Nothing is 0 where nothing can be read."""
    assert set(DiskReader(str(tmp_path)).read(0.0).values()) == {Missing.UNSUPPORTED}


@given(st.text() | st.from_regex(r"( ?[a-z0-9²]{1,5}){13,15}\n"))
def test_no_text_makes_it_raise(text: str) -> None:
    """Any text gives a table."""
    parse_diskstats(text)


def _best(tmp_path: Path, *totals: int, step_s: float = 2.0) -> list[float | Missing]:
    """The best rate after each of these totals of sectors."""
    root, found = FakeRoot(tmp_path), []
    reader = DiskReader(root.base)
    for place, amount in enumerate(totals):
        root.put("proc/diskstats", _line("sda", amount, 0, 0))
        found.append(reader.read(place * step_s)["host.disk_read_best"])
    return found


def test_the_best_read_rate_is_the_highest_that_lasted(tmp_path: Path) -> None:
    """Ten seconds at 1 MiB/s and then nothing: it stays, and nothing is said before eight seconds are seen."""
    found = _best(tmp_path, *range(0, 6 * 4096, 4096), 20480, 20480, 20480, 20480, 20480)
    assert found[:4] == [Missing.WARMING_UP] * 4
    assert found[4:] == [1024.0 * 1024] * 7


def test_a_burst_is_not_what_a_disk_can_do(tmp_path: Path) -> None:
    """Two seconds from a cache count as the ten seconds that they are part of."""
    assert _best(tmp_path, 0, 0, 0, 0, 0, 20480)[-1] == 1024.0 * 1024


def test_the_best_read_rate_rises(tmp_path: Path) -> None:
    """A faster stretch takes its place."""
    slow, fast = list(range(0, 6 * 4096, 4096)), [20480 + n * 8192 for n in range(1, 7)]
    assert _best(tmp_path, *slow, *fast)[-1] == 2 * 1024.0 * 1024


def test_a_disk_that_is_taken_away_does_not_spoil_the_best(tmp_path: Path) -> None:
    """The totals fall, and the stretch begins anew."""
    found = _best(tmp_path, *range(0, 6 * 4096, 4096), 0, 4096)
    assert found[-1] == found[5] == 1024.0 * 1024
