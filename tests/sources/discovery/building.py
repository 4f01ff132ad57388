"""Values of discovery in one line, for the tests of its pure parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.discovery.commandline import is_python
from perfconsole.sources.discovery.place import Place
from perfconsole.sources.discovery.program import Program

if TYPE_CHECKING:
    from perfconsole.sources.discovery.program import Programs


def program(pid: int, *argv: str, parent: int = 1) -> Program:
    """One program, a Python one where its command line says so."""
    return Program(pid, parent, pid, argv, bool(argv) and is_python(argv[0]))


def programs(*each: Program) -> Programs:
    """A table of programs."""
    return {one.pid: one for one in each}


def place(port: int, *owners: int, host: str = "127.0.0.1") -> Place:
    """One port, whose socket has the number of the port as inode."""
    return Place(port, host, frozenset({port}), frozenset(owners))
