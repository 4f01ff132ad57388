"""What the page of a node_exporter says, as it stands there: numbers by name and by the label that tells parts apart.

Pure; knows no rate and no host. Traps kept in mind: releases before 0.16 wrote other names (`node_cpu`); guest time is
part of user time; a collector that is off leaves nothing on the page, one that failed says so.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.cpu import CpuStat, CpuTimes
from perfconsole.sources.linux.network import LinkTotals

if TYPE_CHECKING:
    from perfconsole.sources.exposition import Page

PREFIX = "node_"
OLD_NAMES = {
    "node_boot_time": "node_boot_time_seconds",
    "node_context_switches": "node_context_switches_total",
    "node_cpu": "node_cpu_seconds_total",
    "node_disk_bytes_read": "node_disk_read_bytes_total",
    "node_disk_bytes_written": "node_disk_written_bytes_total",
    "node_disk_io_time_ms": "node_disk_io_time_seconds_total",
    "node_memory_MemAvailable": "node_memory_MemAvailable_bytes",
    "node_memory_MemTotal": "node_memory_MemTotal_bytes",
    "node_memory_SwapFree": "node_memory_SwapFree_bytes",
    "node_memory_SwapTotal": "node_memory_SwapTotal_bytes",
    **{
        f"node_network_{way}_{what}": f"node_network_{way}_{what}_total"
        for way in ("receive", "transmit")
        for what in ("bytes", "packets", "errs", "drop")
    },
}
"""What releases before 0.16 call it."""
_OLD_UNITS = {"node_disk_io_time_ms": 1e-3}
"""Of those that were counted in another unit then."""
_LINK = tuple(
    OLD_NAMES[f"node_network_{w}_{x}"] for w in ("receive", "transmit") for x in ("bytes", "packets", "errs", "drop")
)
RDMA_DATA = ("node_infiniband_port_data_received_bytes_total", "node_infiniband_port_data_transmitted_bytes_total")
RDMA_FAULTS = (
    "node_infiniband_link_downed_total",
    "node_infiniband_link_error_recovery_total",
    "node_infiniband_local_link_integrity_errors_total",
    "node_infiniband_port_errors_received_total",
    "node_infiniband_excessive_buffer_overrun_errors_total",
)
"""As for the ports of this host: what stands still on a sound link."""
PLAIN = (
    "node_context_switches_total",
    "node_filefd_allocated",
    "node_load1",
    "node_memory_MemAvailable_bytes",
    "node_memory_MemTotal_bytes",
    "node_memory_SwapFree_bytes",
    "node_memory_SwapTotal_bytes",
    "node_netstat_TcpExt_ListenOverflows",
    "node_netstat_Tcp_OutSegs",
    "node_netstat_Tcp_RetransSegs",
    "node_nf_conntrack_stat_insert_failed",
    "node_pressure_cpu_waiting_seconds_total",
    "node_pressure_io_waiting_seconds_total",
    "node_pressure_memory_stalled_seconds_total",
    "node_vmstat_oom_kill",
    "node_vmstat_pgmajfault",
    "node_vmstat_pswpout",
)
PARTS: dict[str, tuple[str, ...]] = {
    "node_cpu_seconds_total": ("cpu", "mode"),
    "node_cpu_core_throttles_total": ("package", "core"),
    "node_cpu_frequency_hertz": ("cpu",),
    "node_cpu_frequency_max_hertz": ("cpu",),
    "node_cpu_scaling_frequency_hertz": ("cpu",),
    "node_cpu_scaling_frequency_max_hertz": ("cpu",),
    "node_cpu_scaling_governor": ("cpu", "governor"),
    "node_disk_read_bytes_total": ("device",),
    "node_disk_written_bytes_total": ("device",),
    "node_disk_io_time_seconds_total": ("device",),
    "node_mountstats_nfs_total_read_bytes_total": ("export", "mountaddr"),
    "node_mountstats_nfs_total_write_bytes_total": ("export", "mountaddr"),
    "node_network_iface_id": ("device",),
    "node_network_iface_link": ("device",),
    "node_network_speed_bytes": ("device",),
    "node_network_up": ("device",),
    "node_os_info": ("pretty_name",),
    "node_scrape_collector_success": ("collector",),
    "node_uname_info": ("nodename", "release", "machine"),
    **dict.fromkeys(_LINK, ("device",)),
    **dict.fromkeys((*RDMA_DATA, *RDMA_FAULTS), ("device", "port")),
}
"""Labels that tell the series of a name apart."""
_READ = frozenset({*PLAIN, *PARTS, *OLD_NAMES})
_CPU_MODES = ("user", "nice", "system", "irq", "softirq", "idle", "iowait", "steal")

Parts = dict[tuple[str, ...], float]
"""Numbers by the values of the labels that PARTS names."""


def wanted(name: str) -> bool:
    """The sample name is worth parsing."""
    return name in _READ


class NodePage:
    """The numbers of one page that are read."""

    def __init__(self, page: Page) -> None:
        self._found: dict[str, Parts] = {}
        for series, value in zip(page.series, page.values, strict=True):
            name = OLD_NAMES.get(series.name, series.name)
            if name in _READ and isfinite(value):
                labels = dict(series.labels)
                key = tuple(labels.get(label, "") for label in PARTS.get(name, ()))
                self._found.setdefault(name, {})[key] = value * _OLD_UNITS.get(series.name, 1.0)

    def __bool__(self) -> bool:
        return bool(self._found)

    def plain(self, name: str) -> float | Missing:
        """The one number of a name; NOT_EXPORTED where its collector is off or the kernel has none."""
        return self._found.get(name, {}).get((), Missing.NOT_EXPORTED)

    def parts(self, name: str) -> Parts:
        """The numbers of a name by its labels, none where its collector is off."""
        return self._found.get(name, {})

    def by_device(self, name: str) -> dict[str, float]:
        """The numbers of a name that has one label."""
        return {key[0]: value for key, value in self.parts(name).items()}

    def told(self, name: str) -> tuple[str, ...]:
        """Labels of an info series, all empty where it is not there."""
        return next(iter(self.parts(name)), ("",) * len(PARTS[name]))

    @property
    def nodename(self) -> str:
        """What the host calls itself, empty where it does not say."""
        return self.told("node_uname_info")[0]

    def failed(self) -> list[str]:
        """Collectors that are on and give nothing."""
        return sorted(key[0] for key, good in self.parts("node_scrape_collector_success").items() if not good)

    def cpu(self) -> CpuStat:
        """Seconds of each core and of all of them; cores that say too little are left out."""
        modes: dict[str, dict[str, float]] = {}
        for (core, mode), seconds in self.parts("node_cpu_seconds_total").items():
            modes.setdefault(core, {})[mode] = seconds
        cores = {f"cpu{core}": _times(found) for core, found in modes.items() if "idle" in found and "user" in found}
        together = CpuTimes(*map(sum, zip(*map(_row, cores.values()), strict=True))) if cores else None
        return CpuStat(together, cores, self.plain("node_context_switches_total"))

    def links(self) -> dict[str, LinkTotals]:
        """Totals of each interface that has both directions."""
        columns = [self.by_device(name) for name in _LINK]
        rx, rx_packets, rx_errors, rx_drops, tx, tx_packets, tx_errors, tx_drops = columns
        return {
            name: LinkTotals(
                rx[name],
                tx[name],
                rx_packets.get(name, 0.0) + tx_packets.get(name, 0.0),
                rx_errors.get(name, 0.0) + tx_errors.get(name, 0.0),
                rx_drops.get(name, 0.0) + tx_drops.get(name, 0.0),
            )
            for name in rx
            if name in tx
        }


def _times(modes: dict[str, float]) -> CpuTimes:
    user, nice, system, irq, softirq, idle, iowait, steal = (modes.get(mode, 0.0) for mode in _CPU_MODES)
    return CpuTimes(user + nice, system + irq + softirq, idle, iowait, steal)


def _row(times: CpuTimes) -> tuple[float, ...]:
    return times.user, times.system, times.idle, times.iowait, times.steal
