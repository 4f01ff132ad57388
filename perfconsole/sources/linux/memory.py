"""Memory, swap, faults and OOM kills of the host. Never counts reclaimable cache as used."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.rates import EventCount, Rates
from perfconsole.sources.linux.values import ratio

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.sources.linux.values import Values

_KIB = 1024
_PAGE = os.sysconf("SC_PAGE_SIZE")
"""Bytes of the pages that /proc/vmstat counts: 4096 on x86, often 65536 on the Arm machines that serve models."""


def parse_meminfo(text: str) -> dict[str, float]:
    """Bytes by field of /proc/meminfo; fields without kB (huge page counts) are left out."""
    found: dict[str, float] = {}
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        amount = procfs.number(rest.removesuffix(" kB"))
        if rest.endswith(" kB") and not isinstance(amount, Missing):
            found[name] = amount * _KIB
    return found


_EVENTS = ("pswpout", "pgmajfault", "oom_kill")


def parse_vmstat(text: str, names: Iterable[str] = _EVENTS) -> dict[str, float]:
    """Totals since boot of some names of /proc/vmstat: of its 190 lines three are wanted."""
    found: dict[str, float] = {}
    for name in names:
        rest = f"\n{text}".partition(f"\n{name} ")[2]
        value = procfs.number(rest.partition("\n")[0])
        if not isinstance(value, Missing):
            found[name] = value
    return found


class MemoryReader:
    """Reads /proc/meminfo and /proc/vmstat; the only writer of the last totals."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._rates = Rates()
        self._kills = EventCount()

    def read(self, now: float) -> Values:
        """Bytes, bytes/s, faults/s, and the OOM kills seen in the last hour."""
        return self._amounts() | self._events(now)

    def _amounts(self) -> Values:
        text = procfs.read_text(f"{self._base}/proc/meminfo")
        found = parse_meminfo(text) if not isinstance(text, Missing) else {}
        reason = text if isinstance(text, Missing) else Missing.UNSUPPORTED
        free = found.get("MemAvailable", reason)
        swap, swap_free = found.get("SwapTotal"), found.get("SwapFree")
        return {
            "host.mem_available": free,
            "host.mem_available_ratio": ratio(free, found.get("MemTotal", reason)),
            "host.swap_used": reason if swap is None or swap_free is None else swap - swap_free,
        }

    def _events(self, now: float) -> Values:
        text = procfs.read_text(f"{self._base}/proc/vmstat")
        found = parse_vmstat(text) if not isinstance(text, Missing) else {}
        reason = text if isinstance(text, Missing) else Missing.UNSUPPORTED
        pages = self._rates.per_second("pswpout", now, found.get("pswpout", reason))
        return {
            "host.swap_out": pages if isinstance(pages, Missing) else pages * _PAGE,
            "host.major_faults": self._rates.per_second("pgmajfault", now, found.get("pgmajfault", reason)),
            "host.oom_kills": self._kills.add(now, found.get("oom_kill", reason)),
        }
