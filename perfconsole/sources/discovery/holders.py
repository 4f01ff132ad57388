"""Who holds which listening socket, by the descriptors of all processes. Reads them only when a socket is new.

The only writer of what it found. A socket whose holder cannot be read is tried a few times and then left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.sockets import socket_inodes
from perfconsole.sources.roles import forwards

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from perfconsole.sources.discovery.program import Programs

_TRIES = 3
"""Looks; a process may be younger than the list that was read before."""


class Holders:
    """Holders by inode. Only one thread calls it."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._found: dict[int, frozenset[int]] = {}
        self._tries: dict[int, int] = {}

    def look(self, inodes: Collection[int], programs: Programs) -> Mapping[int, frozenset[int]]:
        """Holders of these sockets; those that only hold it for others do not count while there is another one."""
        self._found = {inode: self._found.get(inode, frozenset()) & programs.keys() for inode in inodes}
        self._tries = {inode: self._tries.get(inode, 0) for inode in inodes}
        unknown = {inode for inode, holders in self._found.items() if not holders and self._tries[inode] < _TRIES}
        if unknown:
            self._search(unknown, programs)
        return self._found

    def _search(self, unknown: set[int], programs: Programs) -> None:
        for inode in unknown:
            self._tries[inode] += 1
        for pid in programs:
            held = socket_inodes(self._base, pid)
            for inode in () if isinstance(held, Missing) else held & unknown:
                self._found[inode] |= {pid}
        for inode in unknown:
            real = frozenset(pid for pid in self._found[inode] if not forwards(programs[pid].argv))
            self._found[inode] = real or self._found[inode]
            if self._found[inode]:
                self._tries[inode] = 0
