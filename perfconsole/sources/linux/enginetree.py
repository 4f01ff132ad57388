"""Which processes belong to one engine now, through restarts. Never searches the host more often than every 2 s."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.listener import Nobody, Root, find_root
from perfconsole.sources.linux.parentround import ParentRound
from perfconsole.sources.linux.sockets import Sockets, socket_inodes
from perfconsole.sources.linux.taskstat import TaskStat, read_task_stat
from perfconsole.sources.linux.tree import descendants, read_argv
from perfconsole.sources.linux.watched import WatchedProcess
from perfconsole.sources.roles import Role, Roles, assign

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Find = Callable[[Sockets | Missing], Root | Nobody]
    """How the first process is found; by the port of an engine unless told otherwise."""

SEARCH_S = 2.0
_SEARCH_MOST_S = 30.0
"""Between two searches that find nothing new: each costs about 10 ms for a thousand processes."""
_YOUNG_S = 60.0
_YOUNG_TREE_S = 2.0
_TREE_S = 10.0
"""Between two looks at the whole table for new children; shorter while an engine has just been found."""
_ROUND = ParentRound()


@dataclass(frozen=True, slots=True)
class Change:
    """The tree at one poll, against the poll before."""

    stats: Mapping[int, TaskStat]
    """Processes there now."""
    gone: tuple[int, ...]
    reused: tuple[int, ...]
    """Numbers that stand for another process now."""
    restarted: bool
    """The engine has a new first process."""


class EngineTree:
    """Finds and keeps the processes of the engine behind a port; the only writer of `members` and `root`."""

    def __init__(self, base: str, port: int, roles: Roles, find: Find | None = None) -> None:
        self._base = base
        self._roles = roles
        self._find = find or (lambda sockets: find_root(base, port, roles, sockets))
        self.root: Root | None = None
        self.absent: Nobody | None = None
        """Why the last search found nothing; None while an engine is there."""
        self.members: dict[int, WatchedProcess] = {}
        self.seen = False
        """An engine was there once."""
        self._found_at = 0.0
        self._tree_at: float | None = None
        self._search_at: float | None = None
        self._wait_s = SEARCH_S
        self._listening: frozenset[int] = frozenset()

    def refresh(self, now: float, sockets: Sockets | Missing) -> Change:
        """Look at the known processes, and search where they are gone or new ones are due."""
        before = {pid: member.start_ticks for pid, member in self.members.items()}
        stats = self._living()
        fresh = self._lost(stats) and self._search(now, sockets, stats)
        if self.root and (fresh or (stats and self._tree_due(now, fewer=len(stats) < len(before)))):
            self._tree_at = now
            self._rebuild(self.root, sockets, {} if fresh else stats, now)
            stats = self._living()
        self.members = {pid: member for pid, member in self.members.items() if pid in stats}
        shared = before.keys() & stats.keys()
        reused = tuple(pid for pid in shared if stats[pid].start_ticks != before[pid])
        return Change(stats, tuple(sorted(before.keys() - stats.keys())), reused, fresh and self._again())

    def _again(self) -> bool:
        again, self.seen = self.seen, True
        return again

    def _living(self) -> dict[int, TaskStat]:
        """Stats of the members that are still the processes they were."""
        stats = {pid: read_task_stat(self._base, pid) for pid in self.members}
        return {pid: stat for pid, stat in stats.items() if stat and stat.start_ticks == self.members[pid].start_ticks}

    def _lost(self, stats: Mapping[int, TaskStat]) -> bool:
        return self.root is None or self.root.pid not in stats or stats[self.root.pid].state == "Z"

    def _search(self, now: float, sockets: Sockets | Missing, stats: Mapping[int, TaskStat]) -> bool:
        """Whether another engine was found."""
        listening = frozenset[int]() if isinstance(sockets, Missing) else sockets.listening
        patient = self._wait_s if listening == self._listening else SEARCH_S
        if self._search_at is not None and now - self._search_at < patient:
            return False
        self._search_at = now
        found = self._find(sockets)
        if isinstance(found, Nobody):
            self._wait_s = min(_SEARCH_MOST_S, patient * 2)
            self._listening = listening
            self.absent = found
            return False
        self._wait_s, self.absent = SEARCH_S, None
        if self.root and found.pid in stats:  # what is left of the engine, its first process gone
            self.root = replace(found, argv=self.root.argv)
            return False
        self.root, self._found_at = found, now
        return True

    def _tree_due(self, now: float, *, fewer: bool) -> bool:
        if self._tree_at is None:
            return True
        young = now - self._found_at < _YOUNG_S
        return now - self._tree_at >= (_YOUNG_TREE_S if young or fewer else _TREE_S)

    def _rebuild(self, root: Root, sockets: Sockets | Missing, known: Mapping[int, TaskStat], now: float) -> None:
        """Take the whole tree below the root, and those known that have lost their parent."""
        top = read_task_stat(self._base, root.pid)
        there = top is not None and top.start_ticks == root.start_ticks
        below = descendants(_ROUND.parents(self._base, root.pid, now), root.pid) if there else []
        pids = dict.fromkeys([*below, *known])
        stats = {pid: read_task_stat(self._base, pid) for pid in pids}
        self.members = {pid: self._member(pid, stat) for pid, stat in stats.items() if stat}
        titles = {pid: member.title for pid, member in self.members.items()}
        for pid, role in assign(self._roles, titles, self._fronts(root, sockets)).items():
            self.members[pid].role = role

    def _member(self, pid: int, stat: TaskStat) -> WatchedProcess:
        known = self.members.get(pid)
        member = known if known and known.start_ticks == stat.start_ticks else None
        member = member or WatchedProcess(self._base, pid, stat.start_ticks)
        if stat.state != "Z" or not member.title:  # a zombie has lost its title, not its role
            member.title = " ".join(read_argv(self._base, pid))
        return member

    def _fronts(self, root: Root, sockets: Sockets | Missing) -> frozenset[int]:
        listening = frozenset[int]() if isinstance(sockets, Missing) else sockets.listening
        fronts = {root.pid}
        for pid in self.members if listening else ():
            held = socket_inodes(self._base, pid)
            if not isinstance(held, Missing) and held & listening:
                fronts.add(pid)
        return frozenset(fronts)


def counted(members: Mapping[int, WatchedProcess], stats: Mapping[int, TaskStat]) -> tuple[int, ...]:
    """Pick the processes that make up the engine: no helpers, and none where only zombies are left."""
    pids = tuple(pid for pid in stats if members[pid].role is not Role.HELPER)
    return pids if any(stats[pid].state != "Z" for pid in pids) else ()
