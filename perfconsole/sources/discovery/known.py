"""Programs that adapters know by their command lines, each with all its processes. Pure; asks and reads nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from perfconsole.sources.catalogue import adapters_of
from perfconsole.sources.discovery.commandline import has_word, port_of, unwrapped
from perfconsole.sources.discovery.program import ancestors, families
from perfconsole.sources.discovery.strangers import is_generator, quotes_others
from perfconsole.sources.roles import Role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.discovery.program import Programs

_TALKS = frozenset({"--help", "-h", "--version"})
"""A command that ends with one of these says something and ends."""


@dataclass(frozen=True)
class Kind:
    """An adapter and the layer it belongs to."""

    layer: str
    adapter: Adapter


@dataclass(frozen=True, slots=True)
class Known:
    """One running engine or gateway."""

    kind: Kind
    pid: int
    """Its first process."""
    start_ticks: int
    argv: tuple[str, ...]
    """The arguments that it was started with; a mere title where no process has them any more."""
    members: frozenset[int]
    fronts: frozenset[int]
    """Processes that take requests, as far as titles tell: the first one and those titled front-end."""

    @property
    def titled(self) -> bool:
        """Nothing tells how it was started."""
        return len(self.argv) == 1


@cache
def kinds() -> tuple[Kind, ...]:
    """What command lines are compared with: any Python program may be an orchestrator, so those are told by pages."""
    return tuple(Kind(layer, adapter) for layer in ("engine", "gateway") for adapter in adapters_of(layer))


@lru_cache(maxsize=8192)
def launched(argv: tuple[str, ...]) -> Kind | None:
    """What a command line starts; None for nothing known. Remembered: a look has hundreds of them."""
    if quotes_others(argv) or is_generator(argv) or has_word(argv[-1:], _TALKS):
        return None
    return next((kind for kind in kinds() if kind.adapter.processes.launches(argv)), None)


@lru_cache(maxsize=8192)
def shows_orchestration(argv: tuple[str, ...]) -> bool:
    """Whether a command line starts a program whose page tells of an orchestrator: one of it, or an exporter for it."""
    return any(adapter.processes.launches(argv) for adapter in adapters_of("orchestration"))


@lru_cache(maxsize=8192)
def promised_page(argv: tuple[str, ...]) -> int:
    """Port at which an agent has the page of others, by the flag that an adapter has for it; 0 for none."""
    ports = (port_of(argv, kind.adapter.page_flags) for kind in kinds() if not kind.adapter.processes.launcher)
    return next((port for port in ports if port), 0)


@lru_cache(maxsize=8192)
def titled(argv: tuple[str, ...]) -> tuple[Kind, Role] | None:
    """What a title belongs to, and which part of it.

    Where several have that title, the one whose front-end has one too: the others run its parts.
    """
    if len(argv) != 1:
        return None
    found = [(kind, role) for kind in kinds() if (role := kind.adapter.processes.titled(argv[0])) is not None]
    return min(found, key=lambda pair: not pair[0].adapter.processes.frontend, default=None)


def is_title_of(argv: tuple[str, ...], title: tuple[str, ...]) -> bool:
    """Whether a program that was started so now carries that title, which says less."""
    kind = launched(argv) if len(argv) > 1 and len(title) == 1 else None
    named = titled(title)
    return kind is not None and kind in (launched(title), named[0] if named else None)


def find_known(programs: Programs) -> tuple[Known, ...]:
    """All of them, the first started first. A launcher below one of its own kind is a part of that.

    So is what only bears the title of a part, below whatever was started: the workers of Kong call themselves nginx's.
    """
    started = {pid: kind for pid, program in programs.items() if (kind := launched(program.argv)) is not None}
    named = {pid: found for pid, program in programs.items() if (found := titled(program.argv)) is not None}
    kind_by = {pid: kind for pid, (kind, _) in named.items()} | started
    fronts = {pid for pid, (_, role) in named.items() if role is Role.FRONTEND}
    bare = named.keys() - started.keys() - fronts
    parts = {pid for pid in bare if not started.keys().isdisjoint(ancestors(programs, pid))}
    whole = {pid: kind for pid, kind in kind_by.items() if pid not in parts}
    tops = [pid for pid, kind in whole.items() if not _below_its_kind(programs, pid, kind, whole)]
    family = families(programs, tops)
    all_known = []
    for top in sorted(tops, key=lambda pid: (programs[pid].start_ticks, pid)):
        members = frozenset(pid for pid, owner in family.items() if owner == top)
        if top in started or members & fronts:
            argv, ticks = unwrapped(programs[top].former or programs[top].argv), programs[top].start_ticks
            mine = {top, *(pid for pid in members if pid in fronts or _is_front(programs[pid].argv, kind_by[top]))}
            all_known.append(Known(kind_by[top], top, ticks, argv, members, members & mine))
    return tuple(all_known)


@lru_cache(maxsize=8192)
def _is_front(argv: tuple[str, ...], kind: Kind) -> bool:
    """Whether a part of a program is its front-end by its own command line."""
    return bool(argv) and kind.adapter.processes.titled(" ".join(argv)) is Role.FRONTEND


def _below_its_kind(programs: Programs, pid: int, kind: Kind, kind_by: Mapping[int, Kind]) -> bool:
    return any(kind_by.get(each) is kind for each in ancestors(programs, pid))
