"""Read and write rates and the busiest block device. Never counts a partition or a stacked device twice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.netfs import parse_mountstats
from perfconsole.sources.linux.rates import Rates, Window
from perfconsole.sources.linux.refreshed import Refreshed
from perfconsole.sources.linux.values import every, highest, total

if TYPE_CHECKING:
    from perfconsole.sources.linux.values import Values

_NAMES = ("host.disk_read", "host.disk_read_best", "host.disk_write", "host.disk_busy")
_SECTOR = 512
_FIELDS = 13
_FACT_S = 60.0
_SUSTAINED_S = 10.0
"""A read rate counts as sustained over this long; at the least over 8 s, where a poll came late."""
_NOT_DISKS = re.compile(r"(loop|ram|zram|dm-|md|sr|fd)\d")
"""Memory, optical and floppy drives, and what is stacked on disks that are counted themselves."""
_PARTITION = re.compile(r"(sd|hd|vd|xvd)[a-z]+\d+|(nvme\d+n|mmcblk)\d+p\d+")
"""How partitions are named; used only where /sys/block is hidden."""


@dataclass(frozen=True, slots=True)
class DiskTotals:
    """Totals of one device since boot: bytes and seconds with I/O under way."""

    read: float
    written: float
    busy_s: float


def parse_diskstats(text: str) -> dict[str, DiskTotals]:
    """Totals by device name, partitions included; short lines (before Linux 2.6.25) are left out."""
    found: dict[str, DiskTotals] = {}
    for line in text.splitlines():
        fields = line.split()
        if len(fields) >= _FIELDS and fields[5].isdecimal() and fields[9].isdecimal() and fields[12].isdecimal():
            read, written, busy_ms = int(fields[5]), int(fields[9]), int(fields[12])
            found[fields[2]] = DiskTotals(float(read * _SECTOR), float(written * _SECTOR), busy_ms / 1000)
    return found


def whole_disks(names: list[str], blocks: list[str] | Missing) -> list[str]:
    """Keep the names of whole devices on hardware of their own; `blocks` is the content of /sys/block."""
    disks = [name for name in names if not _NOT_DISKS.match(name)]
    if isinstance(blocks, Missing):
        return [name for name in disks if not _PARTITION.fullmatch(name)]
    return [name for name in disks if name in blocks]


class DiskReader:
    """Reads /proc/diskstats and the NFS mounts; the only writer of the last totals."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._rates = Rates()
        self._stretch = Window(_SUSTAINED_S, 0.8 * _SUSTAINED_S)
        self._best: float | Missing = Missing.WARMING_UP
        self._blocks = Refreshed(_FACT_S, lambda: procfs.list_names(f"{base}/sys/block"))
        self._mounts = Refreshed(_FACT_S, lambda: bool(self._nfs()))

    def read(self, now: float) -> Values:
        """Bytes/s read and written (NFS included), the best read rate so far, and the share of the busiest disk."""
        text = procfs.read_text(f"{self._base}/proc/diskstats")
        found = parse_diskstats(text) if not isinstance(text, Missing) else {}
        disks = whole_disks(list(found), self._blocks.get(now))
        mounts = self._nfs() if self._mounts.get(now) else {}
        if not disks and not mounts:
            return every(_NAMES, text if isinstance(text, Missing) else Missing.UNSUPPORTED)
        reads = [(f"r {name}", found[name].read) for name in disks] + [(f"r {m}", b[0]) for m, b in mounts.items()]
        writes = [(f"w {name}", found[name].written) for name in disks] + [(f"w {m}", b[1]) for m, b in mounts.items()]
        busy = highest(self._each(now, [(f"b {name}", found[name].busy_s) for name in disks]), Missing.UNSUPPORTED)
        return {
            "host.disk_read": total(self._each(now, reads), Missing.UNSUPPORTED),
            "host.disk_read_best": self._best_read(now, sum(amount for _, amount in reads)),
            "host.disk_write": total(self._each(now, writes), Missing.UNSUPPORTED),
            # The kernel adds the time of a request when it ends, so a second can hold more than a second.
            "host.disk_busy": busy if isinstance(busy, Missing) else min(1.0, busy),
        }

    def _best_read(self, now: float, amount: float) -> float | Missing:
        """Highest read rate over 10 s since this reader began; what the storage can do is that or more."""
        growth = self._stretch.add(now, amount)
        if growth:
            rate = growth.rises[0] / growth.elapsed_s
            self._best = rate if isinstance(self._best, Missing) else max(self._best, rate)
        return self._best

    def _each(self, now: float, totals: list[tuple[str, float]]) -> list[float | Missing]:
        return [self._rates.per_second(name, now, amount) for name, amount in totals]

    def _nfs(self) -> dict[str, tuple[float, float]]:
        text = procfs.read_text(f"{self._base}/proc/self/mountstats")
        return {} if isinstance(text, Missing) else parse_mountstats(text)
