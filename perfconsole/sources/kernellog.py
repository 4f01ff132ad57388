"""The kernel log of this host, where it may be read: Xids and link errors of GPUs, and OOM kills.

NVML reports the Xids that come while it listens and keeps none from before; this log has those. Where NVML counts a
GPU's Xids, only what was logged before it began to listen is added, so that none counts twice; where it does not, all
are counted here. Only numbers leave here.
"""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Absence, Batch, Fact, Missing, Sample, SeriesKey
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.memory import parse_vmstat
from perfconsole.sources.logs.journal import Journal
from perfconsole.sources.logs.kernel import LOST, Said, address_of, read_line
from perfconsole.sources.logs.kmsg import Kmsg
from perfconsole.sources.logs.prefix import stamp_of
from perfconsole.sources.logs.tail import Unreadable
from perfconsole.sources.xid import ANY, FILLS, by_class

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

KERNEL_KIND = "kernel log"
LINK = "gpu.pcie_errors"
KILLS = "host.oom_kills"
BEFORE = (("from", "kernel log, before NVML"),)
"""Label of the part that NVML cannot know of."""
_KEPT_S = 3600.0
_SAME_S = 60.0
"""Lines about one GPU that fell off the bus come within this time."""
_MOST = 5000
_FALLBACK_S = 30.0


class KernelLogSource:
    """Polls the kernel log. `indices` are names of GPUs by UUID, `nvml_has` what NVML's last poll had values for."""

    name = "kernel log"
    kind = KERNEL_KIND
    cadence_s = 5.0
    deadline_s = 15.0
    brief = False

    def __init__(
        self,
        host: Entity,
        indices: Callable[[], Mapping[str, str]] = dict,
        nvml_has: Callable[[], Collection[tuple[str, str]]] = tuple,
        root: Path = Path("/"),
        journal: Journal | None = None,
    ) -> None:
        self._host = host
        self._indices = indices
        self._nvml_has = nvml_has
        self._base = procfs.base(root)
        self._kmsg = Kmsg(self._base)
        self._journal = journal or Journal(("-k",))
        self._events: deque[tuple[float, Said]] = deque(maxlen=_MOST)
        self._heard: dict[str, float] = {}
        """GPU -> since when NVML counts its Xids."""
        self._closing = False
        self._journal_speaks = False
        """The journal gave a line once: from then on no line means that nothing happened."""

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One poll, for the monitor: always one batch."""
        self._closing = False
        found = self._read(wall)
        gpus = self._gpus()
        if isinstance(found, Unreadable):
            missing = tuple(Absence(LINK, gpu, found.reason) for gpu in sorted(set(gpus.values())))
            cadence = _FALLBACK_S
            return (Batch(self.name, self.kind, now, wall, cadence, absences=missing, notes=(found.words,)),)
        for at, said in found:
            self._note(at, said)
        while self._events and self._events[0][0] <= wall - _KEPT_S:
            self._events.popleft()
        samples = [s for gpu in sorted(set(gpus.values())) for s in self._of_gpu(gpu, gpus, wall)]
        if self._counts_kills():
            kills = sum(said.what == "kill" for _, said in self._events)
            samples.append(Sample(SeriesKey(KILLS, self._host), float(kills)))
        note = () if samples else ("read; there is no GPU here that it would speak of",)
        facts = self._numbers(gpus)
        return (Batch(self.name, self.kind, now, wall, self.cadence_s, tuple(samples), facts, notes=note),)

    def interrupt(self) -> None:
        """Let a run of journalctl end."""
        self._closing = True

    def close(self) -> None:
        """Let go of the log."""
        self._closing = True
        self._kmsg.close()

    def _read(self, wall: float) -> list[tuple[float, Said]] | Unreadable:
        found = self._kmsg.read(wall)
        if isinstance(found, Unreadable):
            text = self._journal.read(wall - _KEPT_S, lambda: self._closing)
            if isinstance(text, Unreadable) or not (text.strip() or self._journal_speaks):
                return found
            self._journal_speaks = True
            rows = [(stamp_of(line, wall), line) for line in text.decode("utf-8", "replace").splitlines()]
            found = [(stamp.seconds if stamp else wall, line) for stamp, line in rows]
        pairs = ((at, read_line(line)) for at, line in found if at > wall - _KEPT_S)
        return [(at, said) for at, said in pairs if said is not None]

    def _note(self, at: float, said: Said) -> None:
        """Take an event down; a fall off the bus is told twice, with its number and without."""
        if said.xid == LOST and any(
            before.xid == LOST and before.address == said.address and not (before.numbered and said.numbered)
            for t, before in self._events
            if abs(at - t) <= _SAME_S
        ):
            return
        self._events.append((at, said))

    def _gpus(self) -> dict[str, Entity]:
        """GPUs of the driver by address, and by that of the port above each."""
        names = procfs.list_names(f"{self._base}/proc/driver/nvidia/gpus")
        addresses = [] if isinstance(names, Missing) else sorted(names)
        indices = self._indices()
        found: dict[str, Entity] = {}
        for place, address in enumerate(addresses):
            index = indices.get(self._uuid(address), "" if indices else str(place))
            if index:
                gpu = found[address_of(address)] = Entity(Kind.GPU, index)
                if above := self._above(address):
                    found.setdefault(above, gpu)
        return found

    def _uuid(self, address: str) -> str:
        text = procfs.read_text(f"{self._base}/proc/driver/nvidia/gpus/{address}/information")
        rows = [] if isinstance(text, Missing) else text.splitlines()
        return next((row.partition(":")[2].strip() for row in rows if row.startswith("GPU UUID")), "")

    def _above(self, address: str) -> str:
        """Address of the port that a GPU is plugged into: the other end of its link."""
        path = os.path.realpath(f"{self._base}/sys/bus/pci/devices/{address}")
        parent = path.rpartition("/")[0].rpartition("/")[2]
        return address_of(parent) if parent.count(":") == 2 else ""

    def _of_gpu(self, gpu: Entity, gpus: Mapping[str, Entity], wall: float) -> list[Sample]:
        mine = [(t, said) for t, said in self._events if gpus.get(said.address) == gpu]
        links = float(sum(said.what == "link" for _, said in mine))
        samples = [Sample(SeriesKey(LINK, gpu), links)]
        if (ANY, gpu.name) in self._nvml_has():
            since = self._heard.setdefault(gpu.name, wall)
            before = by_class([said.xid for t, said in mine if said.what == "xid" and t < since])
            return samples + [Sample(SeriesKey(name, gpu, BEFORE), n) for name, n in before.items() if n]
        self._heard.pop(gpu.name, None)
        counts = by_class([said.xid for _, said in mine if said.what == "xid"])
        return samples + [Sample(SeriesKey(name, gpu), counts[name]) for name in FILLS]

    def _numbers(self, gpus: Mapping[str, Entity]) -> tuple[Fact, ...]:
        """The Xids by their numbers, of GPUs of which NVML gives none."""
        found: dict[Entity, set[int]] = {}
        for _, said in self._events:
            gpu = gpus.get(said.address)
            if said.what == "xid" and gpu is not None and gpu.name not in self._heard:
                found.setdefault(gpu, set()).add(said.xid)
        return tuple(Fact("gpu.xid_numbers", gpu, ", ".join(map(str, sorted(xids)))) for gpu, xids in found.items())

    def _counts_kills(self) -> bool:
        """The kernel has no count of its own, as before 4.13."""
        text = procfs.read_text(f"{self._base}/proc/vmstat")
        return not isinstance(text, Missing) and "oom_kill" not in parse_vmstat(text)


def has_work(root: Path = Path("/")) -> bool:
    """Whether the kernel log says what nothing else does: with GPUs of NVIDIA, or a kernel that counts no OOM kills."""
    base = procfs.base(root)
    text = procfs.read_text(f"{base}/proc/vmstat")
    old = not isinstance(text, Missing) and "oom_kill" not in parse_vmstat(text)
    return old or not isinstance(procfs.list_names(f"{base}/proc/driver/nvidia/gpus"), Missing)
