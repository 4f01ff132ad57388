"""A host by the pages of its node_exporter: what /proc tells on this host, for hosts elsewhere.

Rates and shares are between two pages. Never turns a collector that is off into a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Absence, Fact, Missing, Sample, SeriesKey
from perfconsole.sources.exporters.carriers import carriers
from perfconsole.sources.exporters.nodepage import RDMA_DATA, RDMA_FAULTS, NodePage
from perfconsole.sources.exporters.told import Told
from perfconsole.sources.linux.cpu import CpuStat, core_loads, shares
from perfconsole.sources.linux.disk import whole_disks
from perfconsole.sources.linux.frequency import BUSY
from perfconsole.sources.linux.network import retransmitted
from perfconsole.sources.linux.rates import EventCount, Rates, Window
from perfconsole.sources.linux.values import Values, every, highest, ratio, split, total
from perfconsole.sources.web.failure import printable

if TYPE_CHECKING:
    from perfconsole.sources.exposition import Page

_BUSIEST = "host.cpu_busiest_core"
_SHARES = ("host.cpu_utilization", "host.cpu_user", "host.cpu_system", _BUSIEST, "host.cpu_steal", "host.iowait")
_PRESSURE = {
    "host.psi_cpu": "node_pressure_cpu_waiting_seconds_total",
    "host.psi_memory": "node_pressure_memory_stalled_seconds_total",
    "host.psi_io": "node_pressure_io_waiting_seconds_total",
}
"""Waiting is the kernel's `some`, stalled its `full`, as they are read on this host."""
_PRESSURE_S = 10.0
"""The indicator is the kernel's average over 10 s: here the share of the polls of so many seconds."""
_SUSTAINED_S = 10.0
_PAGE = 4096
_PAGE_MACHINES = ("x86_64", "amd64", "i686", "s390x")
"""Machines whose pages are of that size whatever their kernel; Arm machines may have 64 KiB."""
_NOTHING = Missing.NOT_EXPORTED


class NodeReader:
    """Reads the pages of one exporter; the only writer of the last totals."""

    def __init__(self) -> None:
        self._rates = Rates()
        self._cpu: CpuStat | None = None
        self._pressure = {name: Window(_PRESSURE_S, 0.0) for name in _PRESSURE}
        self._kills = EventCount()
        self._errors = Window()
        self._segments = Window()
        self._stretch = Window(_SUSTAINED_S, 0.8 * _SUSTAINED_S)
        self._best: float | Missing = Missing.WARMING_UP

    def read(self, page: Page, t: float, host: str) -> Told:
        """What a page says at `t` of the host of that name, every indicator that it lacks with its reason."""
        node, entity = NodePage(page), Entity(Kind.HOST, host)
        cores = self._core_loads(node)
        values = self._processor(node, t, cores)
        values |= self._clocks(node, cores) | self._waiting(node, t) | self._memory(node, t)
        values |= self._disks(node, t) | self._network(node, t) | self._protocols(node, t)
        values["host.fds"] = node.plain("node_filefd_allocated")
        if cores:
            del values[_BUSIEST]
        samples, absences = split(entity, values)
        parts = [Sample(SeriesKey(_BUSIEST, entity, (("core", n.removeprefix("cpu")),)), v) for n, v in cores.items()]
        rdma = self._rdma(node, t, entity)
        lacking = {"net.rdma", "net.rdma_errors"} - {s.key.indicator for s in rdma}
        reason = Missing.WARMING_UP if rdma else _NOTHING
        return Told(
            (entity,),
            (*samples, *parts, *rdma),
            (*absences, *(Absence(name, entity, reason) for name in sorted(lacking))),
            facts=_facts(node, entity),
            notes=_notes(node),
        )

    def _core_loads(self, node: NodePage) -> dict[str, float]:
        now = node.cpu()
        return core_loads(self._cpu, now) if self._cpu else {}

    def _processor(self, node: NodePage, t: float, cores: dict[str, float]) -> Values:
        before, now = self._cpu, node.cpu()
        self._cpu = now
        there = now.together is not None
        values: Values = {
            "host.cores": float(len(now.cores)) if there else _NOTHING,
            "host.load": node.plain("node_load1"),
        }
        values |= every(_SHARES, Missing.WARMING_UP if there else _NOTHING)
        share = shares(before.together, now.together) if before and before.together and now.together else None
        if share is not None:
            figures = (share.busy, share.user, share.system, max(cores.values(), default=share.busy), share.steal)
            values |= zip(_SHARES, (*figures, share.iowait), strict=True)
        values["host.context_switches"] = self._rates.per_second("ctxt", t, now.context_switches)
        return values

    def _clocks(self, node: NodePage, cores: dict[str, float]) -> Values:
        """Governor, throttle events, and how fast the busy cores run."""
        current = node.by_device("node_cpu_scaling_frequency_hertz") or node.by_device("node_cpu_frequency_hertz")
        most = node.by_device("node_cpu_frequency_max_hertz") or node.by_device("node_cpu_scaling_frequency_max_hertz")
        busy = [name.removeprefix("cpu") for name, load in cores.items() if load > BUSY]
        ratios = [current[core] / most[core] for core in busy if core in current and most.get(core)]
        none = _NOTHING if not current or not most else Missing.NEVER if self._cpu and cores else Missing.WARMING_UP
        governors = {name for (_, name), on in node.parts("node_cpu_scaling_governor").items() if on}
        throttles = list(node.parts("node_cpu_core_throttles_total").values())
        return {
            "host.cpu_freq_ratio": sum(ratios) / len(ratios) if ratios else none,
            "host.performance_governor": float(governors == {"performance"}) if governors else _NOTHING,
            "host.cpu_throttle": sum(throttles) if throttles else _NOTHING,
            "host.iommu": _NOTHING,
        }

    def _waiting(self, node: NodePage, t: float) -> Values:
        """Pressure: seconds that tasks waited, of the seconds between the polls of the last ten."""
        values: Values = {}
        for indicator, name in _PRESSURE.items():
            waited = node.plain(name)
            grown = None if isinstance(waited, Missing) else self._pressure[indicator].add(t, waited)
            values[indicator] = waited if isinstance(waited, Missing) else Missing.WARMING_UP
            if grown is not None and grown.elapsed_s > 0:
                values[indicator] = min(1.0, grown.rises[0] / grown.elapsed_s)
        return values

    def _memory(self, node: NodePage, t: float) -> Values:
        free, swap = node.plain("node_memory_MemAvailable_bytes"), node.plain("node_memory_SwapTotal_bytes")
        swap_free = node.plain("node_memory_SwapFree_bytes")
        pages = self._rates.per_second("pswpout", t, node.plain("node_vmstat_pswpout"))
        known = node.told("node_uname_info")[2] in _PAGE_MACHINES
        unknown = not known and not isinstance(pages, Missing) and pages > 0
        return {
            "host.mem_available": free,
            "host.mem_available_ratio": ratio(free, node.plain("node_memory_MemTotal_bytes")),
            "host.swap_used": _NOTHING
            if isinstance(swap, Missing) or isinstance(swap_free, Missing)
            else swap - swap_free,
            "host.swap_out": Missing.UNSUPPORTED if unknown else pages if isinstance(pages, Missing) else pages * _PAGE,
            "host.major_faults": self._rates.per_second("pgmajfault", t, node.plain("node_vmstat_pgmajfault")),
            "host.oom_kills": self._kills.add(t, node.plain("node_vmstat_oom_kill")),
        }

    def _disks(self, node: NodePage, t: float) -> Values:
        disks = whole_disks(list(node.by_device("node_disk_io_time_seconds_total")), Missing.UNSUPPORTED)
        reads = self._storage(node, ("node_disk_read_bytes_total", "node_mountstats_nfs_total_read_bytes_total"), disks)
        writes = self._storage(
            node, ("node_disk_written_bytes_total", "node_mountstats_nfs_total_write_bytes_total"), disks
        )
        busy = node.by_device("node_disk_io_time_seconds_total")
        busiest = highest([self._rates.per_second(f"busy {d}", t, busy[d]) for d in disks], _NOTHING)
        growth = self._stretch.add(t, sum(reads.values())) if reads else None
        if growth:
            fastest = growth.rises[0] / growth.elapsed_s
            self._best = fastest if isinstance(self._best, Missing) else max(self._best, fastest)
        return {
            "host.disk_read": total([self._rates.per_second(name, t, n) for name, n in reads.items()], _NOTHING),
            "host.disk_read_best": self._best if reads else _NOTHING,
            "host.disk_write": total([self._rates.per_second(name, t, n) for name, n in writes.items()], _NOTHING),
            "host.disk_busy": busiest if isinstance(busiest, Missing) else min(1.0, busiest),
        }

    def _storage(self, node: NodePage, names: tuple[str, str], disks: list[str]) -> dict[str, float]:
        """Bytes by disk and by NFS mount, under names of their own."""
        local, remote = names
        found = {f"{local} {d}": n for d, n in node.by_device(local).items() if d in disks}
        return found | {f"{remote} {'/'.join(key)}": n for key, n in node.parts(remote).items()}

    def _network(self, node: NodePage, t: float) -> Values:
        links = node.links()
        index, lower = node.by_device("node_network_iface_id"), node.by_device("node_network_iface_link")
        names = carriers(links, index, lower)
        counted = [links[name] for name in names]
        speeds = node.by_device("node_network_speed_bytes")
        up = node.by_device("node_network_up")
        known = [s for name, s in speeds.items() if s > 0 and up.get(name, 1.0) and name in names]
        speed = max(known) if known else _NOTHING
        if not counted:
            reason = every(("net.rx", "net.tx", "net.drops", "net.errors", "net.error_ratio"), _NOTHING)
            return {**reason, "net.link_speed": speed, "net.link_ratio": _NOTHING}
        rx = total([self._rates.per_second(f"rx {n}", t, links[n].rx) for n in names], _NOTHING)
        tx = total([self._rates.per_second(f"tx {n}", t, links[n].tx) for n in names], _NOTHING)
        errors = sum(link.errors for link in counted)
        growth = self._errors.add(t, errors, sum(link.packets for link in counted))
        return {
            "net.rx": rx,
            "net.tx": tx,
            "net.link_speed": speed,
            "net.link_ratio": ratio(highest([rx, tx], _NOTHING), speed),
            "net.drops": sum(link.drops for link in counted),
            "net.errors": errors,
            "net.error_ratio": ratio(*growth.rises) if growth else Missing.WARMING_UP,
        }

    def _protocols(self, node: NodePage, t: float) -> Values:
        again, sent = node.plain("node_netstat_Tcp_RetransSegs"), node.plain("node_netstat_Tcp_OutSegs")
        share: float | Missing = _NOTHING
        if not isinstance(again, Missing) and not isinstance(sent, Missing):
            share = retransmitted(self._segments.add(t, again, sent))
        return {
            "net.tcp_retrans": again,
            "net.retrans_ratio": share,
            "net.listen_overflows": node.plain("node_netstat_TcpExt_ListenOverflows"),
            "net.conntrack_failed": node.plain("node_nf_conntrack_stat_insert_failed"),
        }

    def _rdma(self, node: NodePage, t: float, host: Entity) -> list[Sample]:
        """Bytes a second and faults of each RDMA port."""
        ports = {key: "/".join(key) for name in (*RDMA_DATA, *RDMA_FAULTS) for key in node.parts(name)}
        found: list[Sample] = []
        for key, port in sorted(ports.items()):
            faults = [node.parts(name)[key] for name in RDMA_FAULTS if key in node.parts(name)]
            data = [node.parts(name)[key] for name in RDMA_DATA if key in node.parts(name)]
            rate = self._rates.per_second(f"rdma {port}", t, sum(data) if data else _NOTHING)
            labels = (("port", port),)
            found += [Sample(SeriesKey("net.rdma_errors", host, labels), sum(faults))] if faults else []
            found += [] if isinstance(rate, Missing) else [Sample(SeriesKey("net.rdma", host, labels), rate)]
        return found


def _facts(node: NodePage, host: Entity) -> tuple[Fact, ...]:
    _, release, machine = node.told("node_uname_info")
    texts = (("host.kernel", release), ("host.machine", machine), ("host.os", node.told("node_os_info")[0]))
    return tuple(Fact(name, host, printable(text)) for name, text in texts if text)


def _notes(node: NodePage) -> tuple[str, ...]:
    """Collectors whose silence takes indicators away; many others fail on every host that lacks the hardware."""
    used = {"cpu", "cpufreq", "conntrack", "diskstats", "filefd", "loadavg", "meminfo", "netclass", "netdev", "netstat"}
    used |= {"pressure", "stat", "uname", "vmstat"}
    failed = [name for name in node.failed() if name in used]
    return (f"its collectors fail: {', '.join(failed)}; what they would say is missing",) if failed else ()
