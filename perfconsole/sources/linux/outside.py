"""What the outside can tell of a service that exports nothing: switches of its processes, and what they wait for.

Reads small files of the kernel and no more; never stops or traces a process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Fact
from perfconsole.sources.linux.mainthread import MainThread
from perfconsole.sources.linux.reading import entity_of
from perfconsole.sources.linux.switches import SwitchWatch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfconsole.sources.linux.enginetree import Change
    from perfconsole.sources.linux.values import Values
    from perfconsole.sources.linux.watched import WatchedProcess

MAIN, BUSIEST = "process.main_thread", "process.busiest_thread"


class Outside:
    """One reader for the processes of a service; the only writer of what is kept of each."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._switches: dict[int, SwitchWatch] = {}
        self._main: dict[int, MainThread] = {}

    def read(self, now: float, change: Change) -> dict[int, Values]:
        """Switches a second, by process; a number that stands for another process now begins anew."""
        for pid in {*self._switches, *self._main} - change.stats.keys() | {*change.reused}:
            self._switches.pop(pid, None)
            self._main.pop(pid, None)
        for pid in change.stats.keys() - self._switches.keys():
            self._switches[pid], self._main[pid] = SwitchWatch(self._base, pid), MainThread(self._base, pid)
        return {pid: self._switches[pid].read(now) for pid in change.stats}

    def words(self, now: float, change: Change, members: Mapping[int, WatchedProcess]) -> tuple[Fact, ...]:
        """What the first thread of each process did in the last minute, and which thread is busiest now."""
        main = (Fact(MAIN, entity_of(pid), self._main[pid].look(now, s.state)) for pid, s in change.stats.items())
        return (*main, *(Fact(BUSIEST, entity_of(pid), members[pid].busiest_thread) for pid in change.stats))
