"""CPU of the busiest thread of a process, and how long it waits for a core. Never sums threads into one figure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.taskstat import HZ, parse_sched, parse_ticks
from perfconsole.sources.linux.values import highest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_KEPT = 16
"""Threads still read between two full readings: the busiest ones of the last."""
_BUSY = 0.02
"""Cores from which a thread is worth a name."""


@dataclass(frozen=True, slots=True)
class ThreadUse:
    """Use of the cores by the threads of one process since its last poll."""

    busiest: float | Missing
    """Cores, 1.0 at most."""
    waiting: float | Missing
    """Share of the time that its first or its busiest thread was runnable and had no core; the larger of the two."""
    wanted: float | Missing
    """Cores that one thread ran on or waited for, 1.0 at most: what it would use on a host of its own."""
    thread: str = ""
    """Name of the busiest thread, with its number unless it is the first one; empty while none is busy."""


@dataclass(frozen=True, slots=True)
class _Share:
    ran: float
    waited: float | Missing

    @property
    def wanted(self) -> float | Missing:
        return self.waited if isinstance(self.waited, Missing) else min(1.0, self.ran + self.waited)


class ThreadWatch:
    """Reads the threads of one process; the only writer of their last times."""

    def __init__(self, base: str, pid: int) -> None:
        self._folder = f"{base}/proc/{pid}/task"
        self._leader = str(pid)
        self._times: dict[str, tuple[float, float, float | Missing]] = {}
        """When a thread was read, its seconds on a core and its seconds of waiting for one."""
        self._busiest: list[str] = []
        self._full_at: float | None = None
        self._has_sched = True
        self._named = ("", "")
        """The thread whose name was read last, and that name."""

    def poll(self, now: float, *, full: bool) -> ThreadUse:
        """Use since the last poll; `full` reads every thread, else only those that were busy."""
        tids: list[str] | Missing = self._busiest
        if full or not self._busiest:
            tids = procfs.list_names(self._folder)
            full = True
        if isinstance(tids, Missing):
            return ThreadUse(tids, tids, tids)
        shares = self._shares(now, tids)
        if full:
            self._forget(tids)
            self._full_at = now
            self._busiest = sorted(shares, key=lambda tid: shares[tid].ran, reverse=True)[:_KEPT]
        use = _use(list(shares.values()), shares.get(self._leader), self._nothing())
        return replace(use, thread=self._name(shares))

    def _name(self, shares: Mapping[str, _Share]) -> str:
        busiest = max(shares, key=lambda tid: shares[tid].ran, default="")
        if not busiest or shares[busiest].ran < _BUSY:
            return ""
        if busiest != self._named[0]:
            text = procfs.read_text(f"{self._folder}/{busiest}/comm")
            name = "" if isinstance(text, Missing) else text.strip()
            self._named = (busiest, f"{name}/{busiest}" if name and busiest != self._leader else name)
        return self._named[1]

    def _nothing(self) -> Missing:
        return Missing.WARMING_UP if self._has_sched else Missing.UNSUPPORTED

    def _shares(self, now: float, tids: Iterable[str]) -> dict[str, _Share]:
        """By thread, since it was last read; a thread that is new since the last full reading began at 0."""
        shares: dict[str, _Share] = {}
        for tid in tids:
            times = self._read(tid)
            if times is None:
                continue
            ran, waited = times
            then, ran_then, waited_then = self._times.get(tid, (self._full_at, 0.0, 0.0))
            self._times[tid] = (now, ran, waited)
            if then is not None and now > then and ran >= ran_then:
                span = now - then
                waits = _longer(waited, waited_then)
                share = waits if isinstance(waits, Missing) else min(1.0, waits / span)
                shares[tid] = _Share(min(1.0, (ran - ran_then) / span), share)
        return shares

    def _read(self, tid: str) -> tuple[float, float | Missing] | None:
        """Seconds on a core and of waiting for one, so far; None when the thread is gone.

        One small file has both to the nanosecond; a kernel without it has the first, in clock ticks, in another.
        """
        text = procfs.read_text(f"{self._folder}/{tid}/schedstat") if self._has_sched else Missing.UNSUPPORTED
        times = None if isinstance(text, Missing) else parse_sched(text)
        if times:
            return times
        text = procfs.read_text(f"{self._folder}/{tid}/stat")
        ticks = None if isinstance(text, Missing) else parse_ticks(text)
        if ticks is None:
            return None
        self._has_sched = False
        return ticks / HZ, Missing.UNSUPPORTED

    def _forget(self, alive: list[str]) -> None:
        for gone in self._times.keys() - set(alive):
            del self._times[gone]


def _use(shares: Sequence[_Share], leader: _Share | None, nothing: Missing) -> ThreadUse:
    busiest = max(shares, key=lambda share: share.ran, default=None)
    if busiest is None:
        return ThreadUse(Missing.WARMING_UP, nothing, nothing)
    waiting = highest([share.waited for share in (leader, busiest) if share], nothing)
    return ThreadUse(busiest.ran, waiting, highest([share.wanted for share in shares], nothing))


def _longer(now: float | Missing, then: float | Missing) -> float | Missing:
    if isinstance(now, Missing):
        return now
    return then if isinstance(then, Missing) else max(0.0, now - then)
