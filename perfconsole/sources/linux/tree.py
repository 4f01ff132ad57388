"""The process tree: parents, descendants, command lines. Never reads more than one line of a process it only passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.taskstat import read_task_stat
from perfconsole.sources.roles import parse_argv

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_pids(base: str) -> list[int]:
    """All processes to be seen, the youngest numbers first."""
    names = procfs.list_names(f"{base}/proc")
    return [] if isinstance(names, Missing) else sorted((int(name) for name in names if name.isdecimal()), reverse=True)


def read_parents(base: str) -> dict[int, int]:
    """Parent by process. One line of each process on the host: about 12 us apiece."""
    stats = ((pid, read_task_stat(base, pid)) for pid in read_pids(base))
    return {pid: stat.parent for pid, stat in stats if stat}


def read_argv(base: str, pid: int) -> tuple[str, ...]:
    """Command line or title of a process; its short name where both are empty; empty when it is gone."""
    text = procfs.read_text(f"{base}/proc/{pid}/cmdline")
    argv = () if isinstance(text, Missing) else parse_argv(text)
    if argv:
        return argv
    name = procfs.read_text(f"{base}/proc/{pid}/comm")
    return () if isinstance(name, Missing) or not name.strip() else (name.strip(),)


def ancestors(parents: Mapping[int, int], pid: int) -> list[int]:
    """Parent, its parent and so on; a loop, which a table read while processes come and go may show, ends it."""
    line: list[int] = []
    while (pid := parents.get(pid, 0)) > 0 and pid not in line:
        line.append(pid)
    return line


def descendants(parents: Mapping[int, int], top: int) -> list[int]:
    """List the process itself and all that descend from it, parents before children."""
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    line = [top]
    seen = {top}
    for pid in line:
        new = [child for child in children.get(pid, ()) if child not in seen]
        seen.update(new)
        line.extend(new)
    return line
