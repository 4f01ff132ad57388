"""One line of /proc/PID/stat or /proc/PID/task/TID/stat. Never trips over a name with blanks or brackets in it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs

HZ = os.sysconf("SC_CLK_TCK")
"""Clock ticks a second in which the kernel gives CPU and start times; 100 nearly everywhere."""
PAGE = os.sysconf("SC_PAGE_SIZE")
_NEEDED = 22


@dataclass(frozen=True, slots=True)
class TaskStat:
    """The fields used here."""

    state: str
    """R running, S sleeping, D uninterruptible, T stopped, t traced, Z zombie, X dead, I idle kernel thread."""
    parent: int
    ticks: int
    """CPU time so far, user and system, in clock ticks."""
    threads: int
    start_ticks: int
    """Clock ticks between boot and start; with the PID it names one process for good."""
    rss: int
    """Resident bytes."""


def parse_task_stat(text: str) -> TaskStat | None:
    """Read the line; None when it is cut or no such line."""
    fields = text.rpartition(")")[2].split(None, _NEEDED + 1)
    if len(fields) < _NEEDED:
        return None
    try:
        ticks, pages = int(fields[11]) + int(fields[12]), int(fields[21])
        return TaskStat(fields[0], int(fields[1]), ticks, int(fields[17]), int(fields[19]), pages * PAGE)
    except ValueError:
        return None


def parse_ticks(text: str) -> int | None:
    """Read only the CPU time: a third of the cost, and an engine has hundreds of threads."""
    fields = text.rpartition(")")[2].split(None, 13)
    try:
        return int(fields[11]) + int(fields[12])
    except (IndexError, ValueError):
        return None


def parse_sched(text: str) -> tuple[float, float] | None:
    """Seconds a task ran, and was runnable and waited for a core, from its schedstat (nanoseconds).

    None for anything else, and for zeros: a kernel that does not count writes them for every task.
    """
    fields = text.split()
    if len(fields) < 2 or not (fields[0].isdecimal() and fields[1].isdecimal()) or fields[0] == "0":
        return None
    return int(fields[0]) / 1e9, int(fields[1]) / 1e9


def read_task_stat(base: str, pid: int) -> TaskStat | None:
    """Stat of a process; None when it is gone or hidden."""
    text = procfs.read_text(f"{base}/proc/{pid}/stat")
    return None if isinstance(text, Missing) else parse_task_stat(text)
