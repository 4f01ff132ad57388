"""Busy shares of all cores and of the busiest one, from /proc/stat. Never averages a single-core limit away."""

from __future__ import annotations

from dataclasses import dataclass

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.rates import Rates
from perfconsole.sources.linux.values import Values, every

_SHARES = (
    "host.cpu_utilization",
    "host.cpu_user",
    "host.cpu_system",
    "host.cpu_busiest_core",
    "host.cpu_steal",
    "host.iowait",
)
_FIELDS = 8
"""user nice system idle iowait irq softirq steal; guest time, which follows, is part of user already."""


@dataclass(frozen=True, slots=True)
class CpuTimes:
    """Clock ticks since boot of one core, or of all."""

    user: float
    system: float
    """Kernel time, interrupts included."""
    idle: float
    iowait: float
    steal: float


@dataclass(frozen=True, slots=True)
class CpuStat:
    """The parts of /proc/stat used here."""

    together: CpuTimes | None
    cores: dict[str, CpuTimes]
    context_switches: float | Missing


@dataclass(frozen=True, slots=True)
class CpuShares:
    """How the time between two readings was spent; stolen time counts as neither busy nor idle."""

    busy: float
    user: float
    system: float
    iowait: float
    steal: float


def parse_stat(text: str) -> CpuStat:
    """Read /proc/stat; lines that are cut or unknown are left out."""
    cores: dict[str, CpuTimes] = {}
    switches: float | Missing = Missing.UNSUPPORTED
    for line in text.splitlines():
        if line.startswith("cpu"):
            name, *ticks = line.split()
            if times := _times(ticks):
                cores[name] = times
        elif line.startswith("ctxt "):
            switches = procfs.number(line[5:])
    together = cores.pop("cpu", None)
    return CpuStat(together, cores, switches)


def shares(before: CpuTimes, after: CpuTimes) -> CpuShares | None:
    """Shares of the time between; None when no time passed or the ticks fell (a core that came back)."""
    user, system, steal = after.user - before.user, after.system - before.system, after.steal - before.steal
    # The kernel lets idle and iowait slip back by a few ticks: that is no restart.
    idle, iowait = max(0.0, after.idle - before.idle), max(0.0, after.iowait - before.iowait)
    whole = user + system + steal + idle + iowait
    if min(user, system, steal) < 0 or whole <= 0:
        return None
    return CpuShares((user + system) / whole, user / whole, system / whole, iowait / whole, steal / whole)


def core_loads(before: CpuStat, after: CpuStat) -> dict[str, float]:
    """Busy share by core name, for the cores in both readings."""
    pairs = ((name, shares(before.cores[name], times)) for name, times in after.cores.items() if name in before.cores)
    return {name: share.busy for name, share in pairs if share}


class CpuReader:
    """Reads /proc/stat and /proc/loadavg; the only writer of the last reading."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._last: CpuStat | None = None
        self._rates = Rates()
        self.loads: dict[str, float] | Missing = Missing.WARMING_UP
        """Busy share by core (`cpu0` ...) between the last two polls."""

    def read(self, now: float) -> Values:
        """CPU indicators of the host: ratios, cores, tasks, switches/s."""
        text = procfs.read_text(f"{self._base}/proc/stat")
        if isinstance(text, Missing):
            self.loads = text
            return every(("host.cores", *_SHARES, "host.context_switches"), text) | self._load()
        stat = parse_stat(text)
        values: Values = {"host.cores": float(len(stat.cores)) if stat.cores else Missing.UNSUPPORTED}
        values |= self._shares(stat)
        values["host.context_switches"] = self._rates.per_second("ctxt", now, stat.context_switches)
        return values | self._load()

    def _shares(self, stat: CpuStat) -> Values:
        before, self._last = self._last, stat
        if before is None or before.together is None or stat.together is None:
            self.loads = Missing.WARMING_UP if stat.together else Missing.UNSUPPORTED
            return every(_SHARES, self.loads)
        share = shares(before.together, stat.together)
        loads = core_loads(before, stat)
        self.loads = loads or Missing.WARMING_UP
        values = every(_SHARES, Missing.WARMING_UP)
        if loads:  # the line of all cores can stand still, or fall, while that of a core moves
            values["host.cpu_busiest_core"] = max(loads.values())
        if share is not None:
            values["host.cpu_utilization"] = share.busy
            values["host.cpu_user"] = share.user
            values["host.cpu_system"] = share.system
            values["host.cpu_steal"] = share.steal
            values["host.iowait"] = share.iowait
        return values

    def _load(self) -> Values:
        text = procfs.read_text(f"{self._base}/proc/loadavg")
        return {"host.load": text if isinstance(text, Missing) else procfs.number(text.partition(" ")[0])}


def _times(ticks: list[str]) -> CpuTimes | None:
    try:
        numbers = [float(tick) for tick in ticks[:_FIELDS]]
    except ValueError:
        return None
    if len(numbers) < _FIELDS:
        return None
    user, nice, system, idle, iowait, irq, softirq, steal = numbers
    return CpuTimes(user + nice, system + irq + softirq, idle, iowait, steal)
