"""Finds the first process of a service: the one that holds a port, or the one with a number that was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.listener import Nobody, Root
from perfconsole.sources.linux.sockets import Sockets, socket_inodes
from perfconsole.sources.linux.taskstat import read_task_stat
from perfconsole.sources.linux.tree import ancestors, read_argv, read_parents, read_pids
from perfconsole.sources.roles import forwards

if TYPE_CHECKING:
    from collections.abc import Callable


def by_port(base: str, port: int) -> Callable[[Sockets | Missing], Root | Nobody]:
    """Find the topmost process that holds the listening socket: workers inherit it from the one that started them."""

    def find(sockets: Sockets | Missing) -> Root | Nobody:
        if isinstance(sockets, Missing):
            return Nobody(sockets, f"cannot read the TCP sockets of this host ({sockets})")
        if not sockets.listening:
            note = f"no process on this host listens on port {port} (remote, in a container, or not running)"
            return Nobody(Missing.NOT_EXPORTED, note)
        holders = _holders(base, sockets.listening)
        if not holders:
            note = f"a socket listens on port {port}, its process cannot be read (another user or PID namespace)"
            return Nobody(Missing.NO_PERMISSION, note)
        parents = read_parents(base)
        top = next(pid for pid in holders if not set(ancestors(parents, pid)) & set(holders))
        return _root(base, top) or Nobody(Missing.NEVER, f"the process on port {port} has just ended")

    return find


def by_number(base: str, pid: int) -> Callable[[Sockets | Missing], Root | Nobody]:
    """Find the process of that number. Once it has ended it is gone: the number may come to mean another one."""
    first = read_task_stat(base, pid)

    def find(_sockets: Sockets | Missing) -> Root | Nobody:
        root = _root(base, pid)
        if root is None or first is None or root.start_ticks != first.start_ticks:
            return Nobody(Missing.NEVER, f"no process {pid} on this host" if first is None else f"{pid} has ended")
        return root

    return find


def _holders(base: str, inodes: frozenset[int]) -> list[int]:
    """Processes with one of the sockets, but for those that only hold it for others."""
    held = ((pid, socket_inodes(base, pid)) for pid in read_pids(base))
    found = [pid for pid, mine in held if not isinstance(mine, Missing) and mine & inodes]
    return [pid for pid in found if not forwards(read_argv(base, pid))]


def _root(base: str, pid: int) -> Root | None:
    stat = read_task_stat(base, pid)
    return Root(pid, stat.start_ticks, read_argv(base, pid)) if stat and stat.state != "Z" else None
