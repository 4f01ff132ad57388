"""One watched process: its CPU, memory, descriptors, limits. Never outlives it: a reused number is another object."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.cgroup import CpuGroup, ThrottleWatch, read_group
from perfconsole.sources.linux.rates import Rates
from perfconsole.sources.linux.refreshed import Refreshed
from perfconsole.sources.linux.taskstat import HZ, TaskStat
from perfconsole.sources.linux.threads import ThreadWatch
from perfconsole.sources.linux.values import ratio

if TYPE_CHECKING:
    from perfconsole.sources.linux.values import Values
    from perfconsole.sources.roles import Role

_FACT_S = 60.0
_GROUP_S = 10.0
"""A limit may be set while the process runs, and throttling must be named within half a minute."""
_LIMIT = re.compile(r"^Max open files\s+(\d+)", re.MULTILINE)


def parse_fd_limit(text: str) -> float | Missing:
    """Soft limit of open descriptors from /proc/PID/limits; NOT_EXPORTED when unlimited."""
    found = _LIMIT.search(text)
    return float(found[1]) if found else Missing.NOT_EXPORTED


class WatchedProcess:
    """A process of an engine; the only writer of its last readings."""

    def __init__(self, base: str, pid: int, start_ticks: int) -> None:
        self.pid = pid
        self.start_ticks = start_ticks
        self.title = ""
        self.role: Role | None = None
        self.busiest_thread = ""
        """Name of the thread that was busiest at the last poll; empty while none is."""
        self._base = base
        self._threads = ThreadWatch(base, pid)
        self._rates = Rates()
        self._limit = Refreshed(_FACT_S, self._read_limit)
        self._group: Refreshed[CpuGroup | Missing] = Refreshed(_GROUP_S, lambda: read_group(base, pid))

    def read(self, now: float, stat: TaskStat, throttle: ThrottleWatch, *, full: bool) -> Values:
        """All host.process_* figures but the sockets; `full` reads every thread."""
        use = self._threads.poll(now, full=full)
        self.busiest_thread = use.thread
        return {
            "host.process_cpu": use.busiest,
            "host.process_total_cpu": self._rates.per_second("cpu", now, stat.ticks / HZ),
            "host.process_rss": float(stat.rss),
            "host.process_threads": float(stat.threads),
            "host.process_runqueue_ratio": use.waiting,
            "host.process_core_demand": use.wanted,
            **self._descriptors(now),
            **self._limits(now, throttle),
        }

    def _descriptors(self, now: float) -> Values:
        names = procfs.list_names(f"{self._base}/proc/{self.pid}/fd")
        count = names if isinstance(names, Missing) else float(len(names))
        limit = self._limit.get(now)
        return {
            "host.process_fds": count,
            "host.process_fd_limit": limit,
            "host.process_fd_ratio": ratio(count, limit),
        }

    def _limits(self, now: float, throttle: ThrottleWatch) -> Values:
        group = self._group.get(now)
        throttled = group if isinstance(group, Missing) else throttle.ratio(now, group.stat_path)
        return {
            "host.process_cpu_quota": group if isinstance(group, Missing) else group.quota,
            "host.process_throttled_ratio": throttled,
        }

    @property
    def group_folder(self) -> str:
        """Folder of the control group that counts its CPU; empty where there is none to be seen."""
        group = self._group.last
        return "" if group is None or isinstance(group, Missing) else group.stat_path.rpartition("/")[0]

    def _read_limit(self) -> float | Missing:
        text = procfs.read_text(f"{self._base}/proc/{self.pid}/limits")
        return text if isinstance(text, Missing) else parse_fd_limit(text)
