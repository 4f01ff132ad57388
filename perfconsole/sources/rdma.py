"""The source for the RDMA ports of this host.

In a thread of its own: counters are asked of the firmware of the card, which may hang when the card fails.
"""

from __future__ import annotations

import os
from pathlib import Path

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Batch, Missing, Sample, SeriesKey
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.rates import Rates

_FOLDER = "/sys/class/infiniband"
_FAULTS = (
    "link_downed",
    "link_error_recovery",
    "local_link_integrity_errors",
    "port_rcv_errors",
    "excessive_buffer_overrun_errors",
)
"""Counters that stand still on a sound link. Symbol errors do not (the standard allows one in 10^12 bits), nor do
discards, which a full queue makes as well."""
_DATA = ("port_rcv_data", "port_xmit_data")
_WORD = 4
"""Data is counted in words of four bytes, whatever the width of the link."""


def has_ports(root: Path = Path("/")) -> bool:
    """Whether the host has any RDMA device."""
    names = procfs.list_names(f"{procfs.base(root)}{_FOLDER}")
    return not isinstance(names, Missing) and bool(names)


class RdmaSource:
    """Polls the port counters every 10 s: seven small files a port."""

    name = "rdma"
    kind = "host"
    cadence_s = 10.0
    deadline_s = 5.0
    brief = False

    def __init__(self, root: Path = Path("/"), hostname: str = "") -> None:
        self.entity = Entity(Kind.HOST, hostname or os.uname().nodename)
        self._base = procfs.base(root)
        self._rates = Rates()

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One batch: errors of each port since it came up, and its bytes a second."""
        samples = tuple(
            Sample(SeriesKey(indicator, self.entity, (("port", port),)), value)
            for port in self._ports()
            for indicator, value in (("net.rdma_errors", self._errors(port)), ("net.rdma", self._rate(port, now)))
            if not isinstance(value, Missing)
        )
        return (Batch(self.name, self.kind, now, wall, self.cadence_s, samples=samples, entities=(self.entity,)),)

    def _ports(self) -> list[str]:
        """`mlx5_0/1`, in order."""
        devices = procfs.list_names(f"{self._base}{_FOLDER}")
        found = []
        for device in [] if isinstance(devices, Missing) else sorted(devices):
            ports = procfs.list_names(f"{self._base}{_FOLDER}/{device}/ports")
            found += [f"{device}/{port}" for port in ([] if isinstance(ports, Missing) else sorted(ports))]
        return found

    def _counters(self, port: str, names: tuple[str, ...]) -> list[float]:
        """The counters of a port that can be read; drivers leave out what their cards do not count."""
        device, _, number = port.partition("/")
        folder = f"{self._base}{_FOLDER}/{device}/ports/{number}/counters"
        values = [procfs.number(procfs.read_text(f"{folder}/{name}")) for name in names]
        return [value for value in values if not isinstance(value, Missing)]

    def _errors(self, port: str) -> float | Missing:
        found = self._counters(port, _FAULTS)
        return sum(found) if found else Missing.UNSUPPORTED

    def _rate(self, port: str, now: float) -> float | Missing:
        found = self._counters(port, _DATA)
        return self._rates.per_second(port, now, _WORD * sum(found) if found else Missing.UNSUPPORTED)

    def interrupt(self) -> None:
        """Files of the kernel have no time-out: there is nothing to break off."""

    def close(self) -> None:
        """Nothing is held open between polls."""
