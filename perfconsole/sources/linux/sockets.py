"""TCP sockets of the engine's port, from the kernel's socket diagnosis, else from /proc/net/tcp and tcp6.

Never counts the console's own connections.
"""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.ownsockets import OwnSockets
from perfconsole.sources.linux.sockdiag import CLOSE_WAIT, ESTABLISHED, LISTEN, Row
from perfconsole.sources.linux.socketround import SocketRound

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

_FIELDS = 10
_TABLES = {"tcp": socket.AF_INET, "tcp6": socket.AF_INET6}
_MANY = 5000
"""Sockets from which a table is read only every _PATIENCE_S: the kernel takes about 1 us to write each line."""
_PATIENCE_S = 5.0
"""Also for the table without the listener. An empty one costs the kernel 3.5 ms: it walks 200,000 hash buckets."""
_NOBODY_S = 2.0
"""While nobody listens on the port."""
_ROUND = SocketRound()
"""What all ports of this host have in common: the kernel tells of all of them or of none at the same price."""
_SOCKET = re.compile(r"socket:\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Sockets:
    """The sockets that matter for one port. An end is the last 8 hex digits of an address, a colon and the port."""

    listening: frozenset[int]
    """Inodes of the sockets that listen on the port."""
    owners: frozenset[int]
    """User ids of those."""
    served: tuple[str, ...]
    """Far ends of established connections to the port, one for each, those not yet accepted included."""
    calling: tuple[tuple[int, str], ...]
    """Inode and near end of local sockets connected to that port, here or elsewhere."""
    close_wait: frozenset[int]
    """Inodes of all accepted or connected sockets, of any port, whose far end has closed."""
    rows: int
    """Lines in the tables."""


def parse_tcp(text: str, port: int) -> Sockets:
    """Read a table in the form of /proc/net/tcp; head lines and cut lines are left out."""
    lines = text.splitlines()
    return collect(_rows(lines, f":{port:04X}"), port, len(lines))


def _rows(lines: Sequence[str], mark: str) -> Iterator[Row]:
    for line in lines:
        if mark in line or " 08 " in line:
            yield from _row(line)


def parse_rows(lines: Iterable[str], state: int) -> Iterator[Row]:
    """Rows in one state of a table in the form of /proc/net/tcp; head lines and cut lines are left out."""
    mark = f" {state:02X} "
    for line in lines:
        if mark in line:
            yield from (row for row in _row(line) if row.state == state)


def _row(line: str) -> Iterator[Row]:
    fields = line.split(None, _FIELDS)
    if len(fields) < _FIELDS or not (fields[7] + fields[9]).isdecimal() or not _is_hex(fields[3]):
        return
    yield Row(_end(fields[1]), _end(fields[2]), int(fields[3], 16), int(fields[7]), int(fields[9]))


def _is_hex(text: str) -> bool:
    return bool(text) and all(c in "0123456789ABCDEFabcdef" for c in text)


def collect(rows: Iterable[Row], port: int, count: int) -> Sockets:
    """What matters of the rows for one port; `count` is how many the table has."""
    mark = f":{port:04X}"
    listening, owners, served, calling, close_wait = set(), set(), [], [], set()
    for near, far, state, uid, inode in rows:
        if state == LISTEN and near.endswith(mark):
            listening.add(inode)
            owners.add(uid)
        elif state == ESTABLISHED and near.endswith(mark):
            served.append(far)
        elif state == ESTABLISHED and far.endswith(mark):
            calling.append((inode, near))
        elif state == CLOSE_WAIT and inode:
            close_wait.add(inode)
    return Sockets(frozenset(listening), frozenset(owners), tuple(served), tuple(calling), frozenset(close_wait), count)


def socket_inodes(base: str, pid: int | str) -> frozenset[int] | Missing:
    """Inodes of the sockets a process holds open, or why they cannot be read."""
    folder = f"{base}/proc/{pid}/fd"
    names = procfs.list_names(folder)
    if isinstance(names, Missing):
        return names
    links = (_SOCKET.fullmatch(procfs.read_link(f"{folder}/{name}")) for name in names)
    return frozenset(int(link[1]) for link in links if link)


def merge(tables: Sequence[Sockets | Missing]) -> Sockets | Missing:
    """Put the IPv4 and the IPv6 table together; missing only when both are."""
    there = [table for table in tables if not isinstance(table, Missing)]
    if not there:
        return Missing.UNSUPPORTED if Missing.NO_PERMISSION not in tables else Missing.NO_PERMISSION
    return Sockets(
        frozenset().union(*(table.listening for table in there)),
        frozenset().union(*(table.owners for table in there)),
        tuple(end for table in there for end in table.served),
        tuple(call for table in there for call in table.calling),
        frozenset().union(*(table.close_wait for table in there)),
        sum(table.rows for table in there),
    )


_OWN = OwnSockets(lambda base: socket_inodes(base, "self"))
"""The console is one process, whatever the port."""


class SocketWatch:
    """The tables of one port; the only writer of what was read last."""

    def __init__(self, base: str, port: int) -> None:
        self._base = base
        self._port = port
        self._tables: dict[str, tuple[float, Sockets | Missing]] = {}
        self._waiting: dict[int, int | None] = {}
        self._strangers: frozenset[int] = frozenset()
        """Inodes of sockets of others that call the port, as the last poll found."""

    def read(self, now: float) -> Sockets | Missing:
        """Sockets of the port; up to 5 s old in the table without its listener, or with thousands of sockets."""
        listened = any(not isinstance(table, Missing) and table.listening for _, table in self._tables.values())
        for name in _TABLES:
            if name not in self._tables or self._due(now, *self._tables[name], listened=listened):
                self._tables[name] = (now, self._read_table(name, now))
        return merge([table for _, table in self._tables.values()])

    def _read_table(self, name: str, now: float) -> Sockets | Missing:
        """The table of one family; netlink speaks of the real host only, never of another root."""
        told = _ROUND.dump(_TABLES[name], self._port, now) if not self._base else None
        if told is not None:
            return collect(told.rows, self._port, told.seen)
        text = procfs.read_text(f"{self._base}/proc/net/{name}")
        return text if isinstance(text, Missing) else parse_tcp(text, self._port)

    def inflight(self, sockets: Sockets) -> int:
        """Count established connections to the port, without those this process made itself."""
        if not sockets.served or not sockets.calling:
            return len(sockets.served)
        inodes = frozenset(inode for inode, _ in sockets.calling)
        own, self._strangers = _OWN.part(self._base, inodes, self._strangers)
        mine = {end for inode, end in sockets.calling if inode in own}
        return sum(end not in mine for end in sockets.served)

    def close_wait(self, sockets: Sockets, pids: Collection[int]) -> dict[int, int]:
        """Count sockets in CLOSE_WAIT by process; descriptors are read only when a socket is new."""
        new = sockets.close_wait - self._waiting.keys()
        self._waiting = {inode: self._waiting.get(inode) for inode in sockets.close_wait}
        for pid in pids if new else ():
            held = socket_inodes(self._base, pid)
            if not isinstance(held, Missing):
                self._waiting.update(dict.fromkeys(held & new, pid))
        owners = list(self._waiting.values())
        return {pid: owners.count(pid) for pid in pids}

    def _due(self, now: float, read_at: float, table: Sockets | Missing, *, listened: bool) -> bool:
        if isinstance(table, Missing) or table.rows > _MANY:
            return now - read_at >= _PATIENCE_S
        if table.listening:
            return now > read_at
        return now - read_at >= (_PATIENCE_S if listened else _NOBODY_S)


def _end(address: str) -> str:
    """Cut to the last 32 bits of the address and the port: alike for IPv4 and for IPv4 inside IPv6."""
    return address[-13:]
