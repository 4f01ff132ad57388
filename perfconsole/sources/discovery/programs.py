"""Reads the programs of this host from /proc, cheaply enough for every other second. The only writer of what it knows.

A look costs one listing of /proc and a few lines: new processes, young ones (a fork becomes another program by exec
without a new number), and a fifteenth of the others in turn.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.commandline import is_python
from perfconsole.sources.discovery.known import is_title_of
from perfconsole.sources.discovery.program import Program
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.taskstat import read_task_stat
from perfconsole.sources.linux.tree import read_argv, read_pids

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.sources.discovery.program import Programs

_YOUNG_LOOKS = 3
_TURNS = 15
"""At 2 s a look every process is read anew within 30 s."""


class ProgramTable:
    """All processes of a host. Only one thread calls it."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._programs: Programs = {}
        self._looks: dict[int, int] = {}
        self._turn = 0

    def look(self) -> Programs:
        """The programs of this moment; the same table as before when nothing changed."""
        pids = read_pids(self._base)
        self._turn = (self._turn + 1) % _TURNS
        self._looks = {pid: self._looks.get(pid, 0) + 1 for pid in pids}
        due = (pid for pid, looks in self._looks.items() if looks <= _YOUNG_LOOKS or pid % _TURNS == self._turn)
        return self._update(due)

    def again(self, pids: Iterable[int]) -> Programs:
        """Read some of them once more: those that have just begun to listen."""
        return self._update(pids)

    def _update(self, due: Iterable[int]) -> Programs:
        read = {pid: self._read(pid) for pid in due}
        changed = {pid: program for pid, program in read.items() if not _same(program, self._programs.get(pid))}
        gone = self._programs.keys() - self._looks.keys()
        if changed or gone:
            kept = {pid: program for pid, program in self._programs.items() if pid not in gone and pid not in changed}
            new = {pid: self._entitled(program) for pid, program in changed.items() if program is not None}
            self._programs = kept | new
        return self._programs

    def _entitled(self, program: Program) -> Program:
        """The program, with the arguments that it had before it put a title in their place."""
        before = self._programs.get(program.pid)
        if before is None or before.start_ticks != program.start_ticks:
            return program
        former = before.former or before.argv
        return replace(program, former=former) if is_title_of(former, program.argv) else program

    def _read(self, pid: int) -> Program | None:
        """One process; None for one that has ended, a zombie included."""
        stat = read_task_stat(self._base, pid)
        if stat is None or stat.state == "Z":
            return None
        argv = read_argv(self._base, pid)
        python = bool(argv) and (is_python(argv[0]) or is_python(procfs.read_link(f"{self._base}/proc/{pid}/exe")))
        return Program(pid, stat.parent, stat.start_ticks, argv, python)


def _same(program: Program | None, before: Program | None) -> bool:
    if program is None or before is None:
        return program is before
    return program == (replace(before, former=()) if before.former else before)
