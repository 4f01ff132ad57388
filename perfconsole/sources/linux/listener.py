"""Finds the process that started the engine behind a port. Never takes a forwarder or a look-alike for the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.sockets import Sockets, socket_inodes
from perfconsole.sources.linux.taskstat import read_task_stat
from perfconsole.sources.linux.tree import ancestors, descendants, read_argv, read_parents, read_pids
from perfconsole.sources.roles import Roles, forwards

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Root:
    """The topmost process of an engine."""

    pid: int
    start_ticks: int
    argv: tuple[str, ...]
    """Command line that started the engine; its children overwrite theirs with a title."""
    note: str = ""
    """What is unsure about it; empty when nothing is."""


@dataclass(frozen=True, slots=True)
class Nobody:
    """No engine was found, why, and in words."""

    reason: Missing
    note: str


def find_root(base: str, port: int, roles: Roles, sockets: Sockets | Missing) -> Root | Nobody:
    """Search all processes: who listens on the port, and up from there to the launcher.

    Where nobody listens yet (the engine loads its model) or the listener cannot be read (another user), a command line
    of the launcher that names the port stands in, if there is just one.
    """
    if isinstance(sockets, Missing):
        return Nobody(sockets, f"cannot read the TCP sockets of this host ({sockets})")
    if not sockets.listening:
        return _by_command_line(base, port, roles, None) or Nobody(Missing.NOT_EXPORTED, _nobody_listens(port))
    pid = _owner(base, sockets.listening)
    if pid is None:
        note = f"a socket listens on port {port}, its process cannot be read (another user or PID namespace)"
        return _by_command_line(base, port, roles, sockets) or Nobody(Missing.NO_PERMISSION, note)
    return _climb(base, port, roles, pid)


def topmost(argvs: Mapping[int, tuple[str, ...]], roles: Roles, pid: int, line: list[int]) -> tuple[int, int]:
    """From a listener and its ancestors: the topmost launcher, and the process whose arguments count (the lowest).

    Titled processes may stand between the listener and the launcher. Without any launcher both are the listener.
    """
    chain: list[int] = []
    for each in (pid, *line):
        argv = argvs.get(each, ())
        if roles.launches(argv):
            chain.append(each)
        elif chain or (each != pid and roles.titled(" ".join(argv)) is None):
            break
    return (chain[-1], chain[0]) if chain else (pid, pid)


def names_port(argv: tuple[str, ...], port: int) -> bool:
    """Whether an argument is the port, or ends in =port or :port."""
    text = str(port)
    return any(word == text or word.endswith((f"={text}", f":{text}")) for word in argv)


def _nobody_listens(port: int) -> str:
    return f"no process on this host listens on port {port} (remote engine, container or another network namespace)"


def _owner(base: str, inodes: frozenset[int]) -> int | None:
    """Find a process that holds one of the sockets; of several the youngest, the others are its relatives."""
    for pid in read_pids(base):
        held = socket_inodes(base, pid)
        if not isinstance(held, Missing) and held & inodes:
            return pid
    return None


def _climb(base: str, port: int, roles: Roles, pid: int) -> Root | Nobody:
    parents = read_parents(base)
    line = ancestors(parents, pid)
    argvs = {each: read_argv(base, each) for each in (pid, *line)}
    top, lowest = topmost(argvs, roles, pid, line)
    name = (argvs[pid] or ("?",))[0]
    if forwards(argvs[pid]):
        note = f"{name} (pid {pid}) holds port {port} for a process elsewhere (container, other host or namespace)"
        return Nobody(Missing.NOT_EXPORTED, note)
    family = (read_argv(base, each) for each in descendants(parents, top))
    known = roles.launches(argvs[lowest]) or any(roles.titled(" ".join(argv)) for argv in family)
    note = "" if known or not roles.launcher else f"{name} (pid {pid}) listens on port {port} and is no known launcher"
    return _root(base, top, argvs[lowest], note) or Nobody(Missing.NOT_EXPORTED, _nobody_listens(port))


def _root(base: str, pid: int, argv: tuple[str, ...], note: str) -> Root | None:
    stat = read_task_stat(base, pid)
    return Root(pid, stat.start_ticks, argv, note) if stat else None


def _by_command_line(base: str, port: int, roles: Roles, sockets: Sockets | None) -> Root | None:
    """Find the one launcher that names the port.

    Without a listening socket it must share the network namespace of the console; with one it must be of its user.
    """
    parents = read_parents(base)
    argvs = {pid: read_argv(base, pid) for pid in parents} if roles.launcher else {}
    named = [pid for pid, argv in argvs.items() if roles.launches(argv) and names_port(argv, port)]
    near = [pid for pid in named if (_near(base, pid) if sockets is None else _user(base, pid) in sockets.owners)]
    tops = {topmost(argvs, roles, pid, ancestors(parents, pid)) for pid in near}
    roots = {top for top, _ in tops}
    if len(roots) != 1:
        return None
    lowest = min(low for _, low in tops)
    why = "nothing listens on it yet" if sockets is None else "the owner of its socket cannot be read"
    return _root(base, roots.pop(), argvs[lowest], f"process found by --port {port} on its command line: {why}")


def _near(base: str, pid: int) -> bool:
    here = procfs.read_link(f"{base}/proc/self/ns/net")
    return bool(here) and here == procfs.read_link(f"{base}/proc/{pid}/ns/net")


def _user(base: str, pid: int) -> int | None:
    """Effective user id of a process."""
    text = procfs.read_text(f"{base}/proc/{pid}/status")
    lines = [] if isinstance(text, Missing) else text.splitlines()
    ids = next((line.split() for line in lines if line.startswith("Uid:")), [])
    return int(ids[2]) if len(ids) > 2 and ids[2].isdecimal() else None
