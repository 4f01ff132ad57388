"""The Python processes of this host that serve something, by layer: whose stacks one may want. Never touches them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.masked import masked
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing
from perfconsole.model.suspect import Suspect
from perfconsole.sources.catalogue import LAYERS, adapters_of
from perfconsole.sources.discovery.strangers import is_console
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.stackaccess import version_in
from perfconsole.sources.linux.taskstat import HZ, read_task_stat
from perfconsole.sources.linux.tree import ancestors, read_argv, read_parents, read_pids
from perfconsole.sources.roles import Role, is_helper

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from perfconsole.model.entity import Link

_ORDER = ("gateway", "orchestration", "engine", "")
_LAYERS = {Kind.GATEWAY: "gateway", Kind.ORCHESTRATOR: "orchestration", Kind.ENGINE: "engine"}
_ROLES = ("frontend", "core", "worker", "")
_PYTHON = re.compile(r"(?:^|/)(?:python|pypy)[\d.]*(?: \(deleted\))?$")


class Pythons:
    """Looks twice: CPU is a share of the time between two looks. The only writer of the times of the first."""

    def __init__(self, base: str = "", *, me: int = 0) -> None:
        self._base = base
        self._me = me
        """Number of the console's own process, which is none of them, nor is what started it or was started by it."""
        self._then: dict[int, tuple[float, int]] = {}

    def look(self, now: float) -> tuple[Suspect, ...]:
        """Processes by layer and role, the busiest of each first."""
        parents = read_parents(self._base)
        own = {self._me, *ancestors(parents, self._me)}
        found = [s for pid in read_pids(self._base) if pid not in own and (s := self._suspect(pid))]
        layered = _with_children(found, parents)
        return tuple(sorted((self._with_cpu(s, now) for s in layered), key=_place))

    def _suspect(self, pid: int) -> Suspect | None:
        argv = read_argv(self._base, pid)
        python = _python_of(self._base, pid, argv)
        if python is None or is_helper(" ".join(argv)) or is_console(argv):
            return None
        stat = read_task_stat(self._base, pid)
        if stat is None or stat.state in "ZX":
            return None
        layer, kind, role = _known(argv)
        return Suspect(pid, layer, role, kind, masked(" ".join(argv)), None, stat.threads, python)

    def _with_cpu(self, suspect: Suspect, now: float) -> Suspect:
        stat = read_task_stat(self._base, suspect.pid)
        then = self._then.get(suspect.pid)
        if stat is None:
            return suspect
        self._then[suspect.pid] = (now, stat.ticks)
        if then is None or now <= then[0]:
            return suspect
        return replace(suspect, cpu=max(0.0, (stat.ticks - then[1]) / HZ / (now - then[0])))


def owned(suspects: Iterable[Suspect], links: Iterable[Link]) -> tuple[Suspect, ...]:
    """The same with the layer and the role that the session's links give; it knows services that no title names."""
    by = {link.child.name: link for link in links if link.child.kind is Kind.PROCESS and link.parent.kind in _LAYERS}
    told = [
        replace(s, layer=_LAYERS[by[str(s.pid)].parent.kind], role=by[str(s.pid)].role or s.role)
        if str(s.pid) in by
        else s
        for s in suspects
    ]
    return tuple(sorted(told, key=_place))


def matching(suspects: Iterable[Suspect], word: str) -> tuple[Suspect, ...]:
    """Those that a number or a word of the title, the kind, the layer or the role names."""
    if word.isdecimal():
        return tuple(s for s in suspects if s.pid == int(word))
    low = word.lower()
    every = tuple(suspects)
    exact = tuple(s for s in every if low in (s.kind, s.role, s.layer))
    return exact or tuple(s for s in every if low in s.title.lower())


def _python_of(base: str, pid: int, argv: Sequence[str]) -> str | None:
    """Version of its Python, empty where it cannot be seen; None where it is none."""
    exe = procfs.read_link(f"{base}/proc/{pid}/exe")
    if not exe:
        return "" if argv and _PYTHON.search(argv[0]) else None
    if _PYTHON.search(exe):
        version = version_in(exe)
        return ".".join(map(str, version)) if version else ""
    if not argv or not re.search(r"python|::", " ".join(argv[:2])):
        return None  # no map is read of processes that do not look like it: a host has hundreds of them
    maps = procfs.read_text(f"{base}/proc/{pid}/maps")
    version = None if isinstance(maps, Missing) else version_in(maps)
    return ".".join(map(str, version)) if version else None


def _known(argv: tuple[str, ...]) -> tuple[str, str, str]:
    """Layer, adapter and role that its command line or title gives; empty ones where nothing does."""
    title = " ".join(argv)
    for layer in LAYERS:
        for adapter in adapters_of(layer):
            role = adapter.processes.titled(title)
            if role or adapter.processes.launches(argv):
                return layer, adapter.name, str(role or Role.FRONTEND) if layer == "engine" else ""
    return "", "", ""


def _with_children(found: Sequence[Suspect], parents: Mapping[int, int]) -> list[Suspect]:
    """A process without a layer of its own has the one of the nearest process above it that has one."""
    known = {s.pid: s for s in found if s.layer}
    layered: list[Suspect] = []
    for suspect in found:
        above = next((known[p] for p in ancestors(parents, suspect.pid) if p in known), None)
        if suspect.layer or above is None:
            layered.append(suspect)
        else:
            role = str(Role.WORKER) if above.layer == "engine" else ""
            layered.append(replace(suspect, layer=above.layer, kind=above.kind, role=role))
    return layered


def _place(suspect: Suspect) -> tuple[int, int, float, int]:
    role = _ROLES.index(suspect.role) if suspect.role in _ROLES else len(_ROLES)
    return _ORDER.index(suspect.layer), role, -(suspect.cpu or 0.0), suspect.pid
