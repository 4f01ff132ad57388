"""Figures of every process of one tree, poll by poll: what engines, gateways and orchestrators have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Fact, Missing
from perfconsole.sources.linux.cgroup import ThrottleWatch

if TYPE_CHECKING:
    from perfconsole.sources.linux.enginetree import Change, EngineTree
    from perfconsole.sources.linux.sockets import Sockets, SocketWatch
    from perfconsole.sources.linux.values import Values

_THREADS = 512
"""Threads of one tree up to which all are read at each poll, at about 12 us a thread."""
_TURNS = 5
"""Above that the full list of a process is read at every fifth poll, its busiest threads at each."""


def entity_of(pid: int) -> Entity:
    """The entity of a process."""
    return Entity(Kind.PROCESS, str(pid))


class TreeReader:
    """Reads the processes of one tree; the only writer of whose turn it is."""

    def __init__(self, tree: EngineTree, watch: SocketWatch | None) -> None:
        self._tree = tree
        self._watch = watch
        self._throttle = ThrottleWatch()
        self._turn = 0

    def read(self, now: float, change: Change, sockets: Sockets | Missing) -> dict[int, Values]:
        """All host.process_* figures, by process."""
        self._turn += 1
        many = sum(stat.threads for stat in change.stats.values()) > _THREADS
        found: dict[int, Values] = {}
        for place, (pid, stat) in enumerate(change.stats.items()):
            full = not many or (self._turn + place) % _TURNS == 0
            found[pid] = self._tree.members[pid].read(now, stat, self._throttle, full=full)
        waiting = self._close_wait(found, sockets)
        for pid, values in found.items():
            unread = sockets if isinstance(sockets, Missing) else values["host.process_fds"]
            values["host.process_close_wait"] = float(waiting[pid]) if pid in waiting else unread
        return found

    def _close_wait(self, found: dict[int, Values], sockets: Sockets | Missing) -> dict[int, int]:
        readable = [pid for pid, values in found.items() if not isinstance(values["host.process_fds"], Missing)]
        if self._watch is None or isinstance(sockets, Missing):
            return {}
        return self._watch.close_wait(sockets, readable)

    def groups(self, change: Change) -> tuple[Fact, ...]:
        """Folder of each process's control group, for the commands of checks."""
        folders = {pid: self._tree.members[pid].group_folder for pid in change.stats}
        return tuple(Fact("process.cgroup", entity_of(pid), folder) for pid, folder in folders.items() if folder)

    def notes(self, change: Change) -> tuple[str, ...]:
        """Why there is no process, or what is unsure about those there are."""
        if not change.stats:
            return (self._tree.absent.note,) if self._tree.absent else ()
        return (self._tree.root.note,) if self._tree.root and self._tree.root.note else ()
