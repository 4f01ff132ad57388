"""Which programs hold connections to known engines and gateways, and since when.

A one-off client must not count, so a call counts once it was seen twice, two seconds or more apart. Owners of
connections are looked for among the processes that the caller names, those first that were callers before. Reading
descriptors is what costs here (some 1 ms for 300 of them), so it comes the more rarely the longer it took.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.model.sample import Missing
from perfconsole.sources.linux.listeners import read_connections
from perfconsole.sources.linux.sockdiag import end_of
from perfconsole.sources.linux.sockets import socket_inodes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from perfconsole.clock import Clock
    from perfconsole.sources.linux.sockdiag import Row

_APART_S = 1.9
"""Two seconds by a timer that may come a little early."""
_PACE_S = 2.0
_SLOW_PACE_S = 10.0
_MANY = 5000
"""Connections on the host from which they are read at the slow pace: some 0.4 us each."""
_KEEP_S = 60.0
"""A caller that opens a connection for each request is seen now and then."""
_SHARE = 0.01
"""Of one core, for reading descriptors."""
_ANEW_S = 30.0
"""A caller may begin to listen after its first call, so that its sockets are read again."""
_LOOPBACK_END = "0100007F:"


@dataclass(frozen=True, slots=True)
class Call:
    """One process calls one port."""

    pid: int
    port: int
    serves: frozenset[int]
    """Inodes of all sockets that the process holds: by them its own listening ports are found."""
    first: float
    last: float

    @property
    def lasting(self) -> bool:
        """Seen often enough."""
        return self.last - self.first >= _APART_S


Targets = frozenset[tuple[str, int]]
"""Hosts and ports that are known; 127.0.0.1 is this host under all its addresses."""


class Calls:
    """Calls by process. Only one thread calls it."""

    def __init__(self, base: str, clock: Clock | None = None) -> None:
        self._base = base
        self._clock = clock or SystemClock()
        self._owners: dict[int, int] = {}
        self._calls: dict[tuple[int, int], Call] = {}
        self._due = self._search_due = self._anew = float("-inf")
        self._pace_s = _PACE_S
        """Between two searches among descriptors."""

    def look(self, targets: Targets, callers: Collection[int], now: float) -> tuple[Call, ...]:
        """The calls of the last minute of those programs; read anew when it is time."""
        keep_s = max(_KEEP_S, 3 * self._pace_s)
        self._calls = {
            key: call for key, call in self._calls.items() if call.pid in callers and now - call.last < keep_s
        }
        if targets and callers and now >= self._due:
            rows, seen = read_connections(self._base, frozenset(port for _, port in targets))
            self._due = now + (_SLOW_PACE_S if seen > _MANY else _PACE_S) - 0.1
            self._note(near_ends(rows, targets), callers, now)
        return tuple(self._calls.values())

    def _note(self, near: dict[int, int], callers: Collection[int], now: float) -> None:
        """Enter the callers of connections, given by inode with the port they go to."""
        self._owners = {inode: pid for inode, pid in self._owners.items() if inode in near}
        new = near.keys() - self._owners.keys()
        anew = bool(self._owners) and now >= self._anew
        held = self._search(set(new), callers, now, anew=anew) if (new or anew) and now >= self._search_due else {}
        for inode, pid in self._owners.items():
            if pid in callers:
                self._enter(pid, near[inode], held.get(pid), now)

    def _search(self, new: set[int], callers: Collection[int], now: float, *, anew: bool) -> dict[int, frozenset[int]]:
        """Sockets by process, of as many as it takes to find who holds the new ones: callers are read first."""
        started = self._clock.now()
        before = {pid for pid, _ in self._calls if pid in callers}
        missing, held = set(new), {}
        for pid in (*before, *(pid for pid in callers if pid not in before)):
            if not missing and not (anew and pid in before):
                break
            inodes = socket_inodes(self._base, pid)
            if not isinstance(inodes, Missing):
                held[pid] = inodes
                self._owners.update(dict.fromkeys(inodes & missing, pid))
                missing -= inodes
        self._owners.update(dict.fromkeys(missing, 0))
        self._pace_s = max(_PACE_S, (self._clock.now() - started) / _SHARE)
        self._search_due = now + self._pace_s - 0.1
        if anew or not before:
            self._anew = now + _ANEW_S
        return held

    def _enter(self, pid: int, port: int, held: frozenset[int] | None, now: float) -> None:
        before = self._calls.get((pid, port))
        serves = held if held is not None else before.serves if before else frozenset()
        self._calls[pid, port] = Call(pid, port, serves, before.first if before else now, now)


def by_process(calls: Iterable[Call]) -> dict[int, frozenset[int]]:
    """Ports that lasting calls go to, by process."""
    found: dict[int, frozenset[int]] = {}
    for call in calls:
        if call.lasting:
            found[call.pid] = found.get(call.pid, frozenset()) | {call.port}
    return found


def near_ends(rows: Iterable[Row], targets: Targets) -> dict[int, int]:
    """Of connections that lead to a target: the inode of the calling socket and the port called.

    One to a port of this host has its other end on this host too; without that it leads to another host.
    """
    every = [row for row in rows if row.inode]
    pairs = {(row.near, row.far) for row in every}
    local = {port for host, port in targets if host == "127.0.0.1"}
    distant = {end_of(host, port) for host, port in targets if host != "127.0.0.1" and host.count(".") == 3}
    return {
        row.inode: port
        for row in every
        for port in (int(row.far.rpartition(":")[2], 16),)
        if row.far in distant or (port in local and ((row.far, row.near) in pairs or row.far.startswith(_LOOPBACK_END)))
    }
