"""CPU limit and throttling of a process's control group. Never takes the console's own group for another one's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.rates import Window
from perfconsole.sources.linux.values import ratio

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNLIMITED = float(1 << 60)
"""Version 1 writes the largest number of pages there is where nothing is limited."""
_V1_MOUNTS = ("cpu", "cpu,cpuacct", "cpuacct,cpu")


@dataclass(frozen=True, slots=True)
class CpuGroup:
    """What limits the CPU of one process."""

    quota: float | Missing
    """Cores, the tightest limit on the way to the root; NOT_EXPORTED when nothing limits it."""
    stat_path: str
    """File that counts the throttled periods of the limiting group; empty when there is none."""


def parse_cgroup(text: str) -> dict[str, str]:
    """Path of the group by controller, from /proc/PID/cgroup; version 2 stands under the empty name."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        _, colon, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if colon and path.startswith("/"):
            found.update(dict.fromkeys(controllers.split(","), path))
    return found


def parse_cpu_max(text: str) -> float | None:
    """Cores allowed by cpu.max (`quota period` in microseconds); None when unlimited or unreadable."""
    quota, _, period = text.strip().partition(" ")
    return parse_cfs(quota, period)


def parse_cfs(quota: str, period: str) -> float | None:
    """Cores allowed by cpu.cfs_quota_us and cpu.cfs_period_us; None when unlimited (-1) or unreadable."""
    cores = ratio(procfs.number(quota), procfs.number(period))
    return None if isinstance(cores, Missing) or cores <= 0 else cores


def parse_cpu_stat(text: str) -> tuple[float, float] | None:
    """Periods and throttled periods of cpu.stat; None where the group has no such counters."""
    pairs = dict(line.split(None, 1) for line in text.splitlines() if " " in line.strip())
    periods, throttled = procfs.number(pairs.get("nr_periods", "")), procfs.number(pairs.get("nr_throttled", ""))
    return None if isinstance(periods, Missing) or isinstance(throttled, Missing) else (periods, throttled)


def read_group(base: str, pid: int) -> CpuGroup | Missing:
    """Read the limit and where throttling is counted; UNSUPPORTED when its group is not to be seen from here."""
    text = procfs.read_text(f"{base}/proc/{pid}/cgroup")
    if isinstance(text, Missing):
        return text
    paths = parse_cgroup(text)
    place = _place(base, paths)
    if place is None or place[1].startswith("/.."):  # a group outside this namespace: the mount shows another one
        return Missing.UNSUPPORTED
    folders = list(_up(*place))
    limits = [(cores, folder) for folder in folders if (cores := _quota(folder)) is not None]
    if limits:
        cores, folder = min(limits)
        return CpuGroup(cores, f"{folder}/cpu.stat")
    counted = (f"{folder}/cpu.stat" for folder in folders)
    seen = (path for path in counted if not isinstance(procfs.read_text(path), Missing))
    return CpuGroup(Missing.NOT_EXPORTED, next(seen, ""))


def read_memory_limit(base: str, pid: int) -> float | Missing:
    """Bytes that its groups may take, the tightest limit on the way up; NOT_EXPORTED when nothing limits it."""
    text = procfs.read_text(f"{base}/proc/{pid}/cgroup")
    if isinstance(text, Missing):
        return text
    paths, mounts = parse_cgroup(text), f"{base}/sys/fs/cgroup"
    first = "memory" in paths
    place = (f"{mounts}/memory", paths["memory"]) if first else _place(base, {"": paths[""]} if "" in paths else {})
    if place is None or place[1].startswith("/.."):
        return Missing.UNSUPPORTED
    name = "memory.limit_in_bytes" if first else "memory.max"
    found = [procfs.number(procfs.read_text(f"{folder}/{name}")) for folder in _up(*place)]
    limits = [limit for limit in found if not isinstance(limit, Missing) and limit < _UNLIMITED]
    return min(limits, default=Missing.NOT_EXPORTED)


class ThrottleWatch:
    """Throttled share of the periods of each group over the last minute; the only writer of those windows."""

    def __init__(self) -> None:
        self._windows: dict[str, Window] = {}
        self._polled: dict[str, float | Missing] = {}
        self._at: float | None = None

    def ratio(self, now: float, stat_path: str) -> float | Missing:
        """Read a group once a poll. NEVER when no period passed: nothing ran, or nothing limits it."""
        if now != self._at:
            self._at, self._polled = now, {}
        if stat_path not in self._polled:
            self._polled[stat_path] = self._read(now, stat_path)
        return self._polled[stat_path]

    def _read(self, now: float, stat_path: str) -> float | Missing:
        text = procfs.read_text(stat_path) if stat_path else Missing.UNSUPPORTED
        if isinstance(text, Missing):
            return text
        counts = parse_cpu_stat(text)
        if counts is None:
            return Missing.NEVER
        growth = self._windows.setdefault(stat_path, Window()).add(now, *counts)
        if growth is None:
            return Missing.WARMING_UP
        periods, throttled = growth.rises
        return ratio(throttled, periods)


def _place(base: str, paths: dict[str, str]) -> tuple[str, str] | None:
    """Mount and path of the group whose files hold the CPU limit."""
    mounts = f"{base}/sys/fs/cgroup"
    if "cpu" in paths:
        for name in _V1_MOUNTS:
            if not isinstance(procfs.list_names(f"{mounts}/{name}"), Missing):
                return f"{mounts}/{name}", paths["cpu"]
    if "" not in paths:
        return None
    unified = f"{mounts}/unified"
    hybrid = not isinstance(procfs.list_names(unified), Missing)
    return (unified if hybrid else mounts), paths[""]


def _up(mount: str, path: str) -> Iterator[str]:
    """Folders from the group up to the mount; only the mount where the path is the host's and not seen here."""
    path = path.rstrip("/")
    if isinstance(procfs.list_names(mount + path), Missing):
        path = ""
    while path:
        yield mount + path
        path = path.rpartition("/")[0]
    yield mount


def _quota(folder: str) -> float | None:
    text = procfs.read_text(f"{folder}/cpu.max")
    if not isinstance(text, Missing):
        return parse_cpu_max(text)
    quota, period = procfs.read_text(f"{folder}/cpu.cfs_quota_us"), procfs.read_text(f"{folder}/cpu.cfs_period_us")
    return None if isinstance(quota, Missing) or isinstance(period, Missing) else parse_cfs(quota, period)
