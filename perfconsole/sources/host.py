"""The source for this host: CPU, memory, disks and network. Never asks anything that can block or that needs root."""

from __future__ import annotations

import os
from pathlib import Path

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Batch, Missing, Sample, SeriesKey
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.cpu import CpuReader
from perfconsole.sources.linux.disk import DiskReader
from perfconsole.sources.linux.frequency import FrequencyReader
from perfconsole.sources.linux.iommu import read_iommu
from perfconsole.sources.linux.memory import MemoryReader
from perfconsole.sources.linux.network import NetworkReader
from perfconsole.sources.linux.pressure import read_pressure
from perfconsole.sources.linux.refreshed import Refreshed
from perfconsole.sources.linux.values import Values, split

_FACT_S = 60.0
_BUSIEST = "host.cpu_busiest_core"


def parse_file_nr(text: str) -> float | Missing:
    """Descriptors allocated system-wide, from /proc/sys/fs/file-nr (allocated, unused, limit)."""
    fields = text.split()
    return procfs.number(fields[0]) if fields else Missing.UNSUPPORTED


class HostSource:
    """Polls one host. Rates are between its own two polls, so the first poll says WARMING_UP for them."""

    name = "host"
    kind = "host"
    cadence_s = 1.0
    deadline_s = 5.0
    brief = False

    def __init__(self, root: Path = Path("/"), hostname: str = "") -> None:
        self.entity = Entity(Kind.HOST, hostname or os.uname().nodename)
        self._base = procfs.base(root)
        self._cpu = CpuReader(self._base)
        self._frequency = FrequencyReader(self._base)
        self._memory = MemoryReader(self._base)
        self._disk = DiskReader(self._base)
        self._network = NetworkReader(self._base)
        self._iommu = Refreshed(_FACT_S, lambda: read_iommu(self._base))

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One poll, for the monitor: always one batch."""
        return (self.batch(now, wall),)

    def batch(self, now: float, wall: float) -> Batch:
        """Read all about the host at `now` (monotonic seconds), `wall` (epoch seconds) of the same moment."""
        samples, absences = split(self.entity, self.read(now))
        samples = (*samples, *self._cores())
        entities = (self.entity,)
        return Batch(self.name, self.kind, now, wall, self.cadence_s, samples, absences=absences, entities=entities)

    def _cores(self) -> tuple[Sample, ...]:
        """The busy share of each core: the parts of which the busiest is the indicator."""
        loads = self._cpu.loads
        keys = () if isinstance(loads, Missing) else loads.items()
        return tuple(Sample(SeriesKey(_BUSIEST, self.entity, (("core", n.removeprefix("cpu")),)), v) for n, v in keys)

    def read(self, now: float) -> Values:
        """Read the values of one poll, by indicator name; the shares of the cores are read apart."""
        values = self._cpu.read(now)
        if not isinstance(values[_BUSIEST], Missing):
            del values[_BUSIEST]
        values |= self._frequency.read(now, self._cpu.loads)
        values |= read_pressure(self._base)
        values |= self._memory.read(now)
        values |= self._disk.read(now)
        values |= self._network.read(now)
        files = procfs.read_text(f"{self._base}/proc/sys/fs/file-nr")
        values["host.fds"] = files if isinstance(files, Missing) else parse_file_nr(files)
        values["host.iommu"] = self._iommu.get(now)
        return values

    def interrupt(self) -> None:
        """Files of the kernel have no time-out: there is nothing to break off."""

    def close(self) -> None:
        """Nothing is held open between polls."""
