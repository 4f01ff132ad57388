"""CPU of the busiest thread of a process, and how long it waits for a core. Never sums threads into one figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.taskstat import HZ, parse_ticks, parse_wait
from perfconsole.sources.linux.values import highest

if TYPE_CHECKING:
    from collections.abc import Iterable

_KEPT = 16
"""Threads still read between two full readings: the busiest ones of the last."""


@dataclass(frozen=True, slots=True)
class ThreadUse:
    """Use of the cores by the threads of one process since its last poll."""

    busiest: float | Missing
    """Cores, 1.0 at most."""
    waiting: float | Missing
    """Share of the time that its first or its busiest thread was runnable and had no core; the larger of the two."""


class ThreadWatch:
    """Reads the threads of one process; the only writer of their last times."""

    def __init__(self, base: str, pid: int) -> None:
        self._folder = f"{base}/proc/{pid}/task"
        self._leader = str(pid)
        self._ticks: dict[str, tuple[float, int]] = {}
        self._waits: dict[str, tuple[float, float]] = {}
        self._busiest: list[str] = []
        self._full_at: float | None = None

    def poll(self, now: float, *, full: bool) -> ThreadUse:
        """Use since the last poll; `full` reads every thread, else only those that were busy."""
        tids: list[str] | Missing = self._busiest
        if full or not self._busiest:
            tids = procfs.list_names(self._folder)
            full = True
        if isinstance(tids, Missing):
            return ThreadUse(tids, tids)
        shares = self._shares(now, tids)
        if full:
            self._forget(tids)
            self._full_at = now
            self._busiest = sorted(shares, key=shares.__getitem__, reverse=True)[:_KEPT]
        busiest = max(shares, key=shares.__getitem__, default=self._leader)
        waiting = highest([self._wait(now, tid) for tid in {self._leader, busiest}], Missing.NEVER)
        return ThreadUse(shares.get(busiest, Missing.WARMING_UP), waiting)

    def _shares(self, now: float, tids: Iterable[str]) -> dict[str, float]:
        """Cores used by thread since it was last read; a thread that is new since the last full reading began at 0."""
        shares: dict[str, float] = {}
        for tid in tids:
            text = procfs.read_text(f"{self._folder}/{tid}/stat")
            ticks = None if isinstance(text, Missing) else parse_ticks(text)
            if ticks is None:
                continue
            then, before = self._ticks.get(tid, (self._full_at, 0))
            self._ticks[tid] = (now, ticks)
            if then is not None and now > then and ticks >= before:
                shares[tid] = min(1.0, (ticks - before) / HZ / (now - then))
        return shares

    def _wait(self, now: float, tid: str) -> float | Missing:
        text = procfs.read_text(f"{self._folder}/{tid}/schedstat")
        wait = text if isinstance(text, Missing) else parse_wait(text)
        if wait is None or isinstance(wait, Missing):
            return wait or Missing.UNSUPPORTED
        then, before = self._waits.get(tid, (now, wait))
        self._waits[tid] = (now, wait)
        return min(1.0, max(0.0, wait - before) / (now - then)) if now > then else Missing.WARMING_UP

    def _forget(self, alive: list[str]) -> None:
        for gone in self._ticks.keys() - set(alive):
            del self._ticks[gone]
            self._waits.pop(gone, None)
