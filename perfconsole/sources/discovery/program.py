"""The programs of this host as values, and who descends from whom. Never reads anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.commandline import short_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Program:
    """One process. The command line stays in this package."""

    pid: int
    parent: int
    start_ticks: int
    argv: tuple[str, ...]
    python: bool
    """Its program is a Python interpreter."""
    former: tuple[str, ...] = ()
    """Its arguments before it put a title in their place, if anybody saw them."""

    @property
    def name(self) -> str:
        """Short name, fit to be shown."""
        return short_name(self.argv)


Programs = dict[int, Program]
"""By PID. A table that is not changed any more: each look gives a new one when something is new."""


def ancestors(programs: Mapping[int, Program], pid: int) -> list[int]:
    """Parent, its parent and so on; a loop ends it."""
    line: list[int] = []
    while (program := programs.get(pid)) is not None and program.parent > 0 and program.parent not in line:
        pid = program.parent
        line.append(pid)
    return line


def families(programs: Mapping[int, Program], tops: Iterable[int]) -> dict[int, int]:
    """Nearest of the `tops` by process, for the tops themselves and all that descend from them."""
    children: dict[int, list[int]] = {}
    for pid, program in programs.items():
        children.setdefault(program.parent, []).append(pid)
    owner = {top: top for top in tops}
    line = list(owner)
    for pid in line:
        new = [child for child in children.get(pid, ()) if child not in owner]
        owner.update(dict.fromkeys(new, owner[pid]))
        line.extend(new)
    return owner


def topmost(programs: Mapping[int, Program], pids: Iterable[int]) -> int:
    """The process of the group from which the others descend; 0 for an empty group."""
    group = sorted(pids)
    return next((pid for pid in group if not set(ancestors(programs, pid)) & set(group)), group[0] if group else 0)
