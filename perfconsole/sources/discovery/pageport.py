"""What listens on a port that a user named, and where its page is when requests come to another one. By its process."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.sample import Missing
from perfconsole.sources.catalogue import adapters_of
from perfconsole.sources.discovery.ground import Ground, page_at
from perfconsole.sources.discovery.holders import Holders
from perfconsole.sources.discovery.known import find_known
from perfconsole.sources.discovery.place import find_places
from perfconsole.sources.discovery.programs import ProgramTable
from perfconsole.sources.discovery.proxies import page_of
from perfconsole.sources.discovery.settings import Settings, by_flags, read_settings
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.listeners import read_listeners
from perfconsole.sources.linux.sockets import socket_inodes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfconsole.clock import Clock
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.discovery.configuration import Named
    from perfconsole.sources.discovery.known import Known
    from perfconsole.sources.discovery.place import Place
    from perfconsole.sources.discovery.program import Programs

SHARED_S = 2.0


class Behind(NamedTuple):
    """The program behind a port."""

    adapter: Adapter | None = None
    page_url: str = ""
    """URL of its page; empty when it is on the port itself, at a path of the adapter."""
    named: Named = ()
    """Upstreams by the names that its page gives them."""
    upstreams: tuple[str, ...] = ()
    """URLs of what it calls."""


@dataclass(frozen=True, slots=True)
class _Sight:
    """What one look through all processes found."""

    programs: Programs
    places: Mapping[int, Place]
    known: tuple[Known, ...]


class Doors:
    """What is behind the ports of this host, for many that ask at a time. The only writer of the last look.

    A look goes through all processes, some 20 ms on a host with 300 of them: it serves all that ask within SHARED_S.
    """

    def __init__(self, clock: Clock, root: Path = Path("/")) -> None:
        self._clock = clock
        self._base = procfs.base(root)
        self._lock = threading.Lock()
        self._last: tuple[float, _Sight | None] = (float("-inf"), None)

    def behind(self, port: int) -> Behind:
        """The known program that listens on a port; callable from any thread."""
        with self._lock:
            at, sight = self._last
            if self._clock.now() - at >= SHARED_S:
                sight = _look(self._base)
                self._last = self._clock.now(), sight
        return _behind(port, sight, self._base) if sight else Behind()


def _look(base: str) -> _Sight | None:
    bounds = read_listeners(base)
    if isinstance(bounds, Missing):
        return None
    programs = ProgramTable(base).look()
    places = find_places(bounds, Holders(base).look({bound.inode for bound in bounds}, programs))
    return _Sight(programs, places, find_known(programs))


def _behind(port: int, sight: _Sight, base: str) -> Behind:
    owners = sight.places[port].owners if port in sight.places else frozenset()
    known = next((each for each in sight.known if each.members & owners), None)
    if known is None:
        return Behind()
    settings = _settings(base, known)
    ground = Ground(sight.programs, sight.places, {known.pid: settings})
    if known.kind.adapter.proxy:
        url, name = page_of(known, ground, settings)
        return Behind(_called(name, known), url, settings.named, settings.upstreams)
    page = _page_port(known, port, sight.places)
    url = page_at(page, known, ground) if page != port else ""
    return Behind(known.kind.adapter, url, settings.named, settings.upstreams)


def _settings(base: str, known: Known) -> Settings:
    """What it was told, by its command line alone where its files are odd."""
    try:
        return read_settings(base, known)
    except Exception:  # noqa: BLE001 - as discovery does: an odd file is no reason not to watch
        return by_flags(known)


def _called(name: str, known: Known) -> Adapter:
    """The adapter of that name in the layer of the program; its own where there is none."""
    return next((each for each in adapters_of(known.kind.layer) if each.name == name), known.kind.adapter)


def door_of(pid: int, root: Path = Path("/")) -> str:
    """URL of the one port that a process listens on; empty where it has none, several, or cannot be read."""
    base = procfs.base(root)
    bounds, held = read_listeners(base), socket_inodes(base, pid)
    if isinstance(bounds, Missing) or isinstance(held, Missing):
        return ""
    places = find_places(tuple(bound for bound in bounds if bound.inode in held), {})
    return next(iter(places.values())).url if len(places) == 1 else ""


def _page_port(known: Known, port: int, places: Mapping[int, Place]) -> int:
    """By its arguments; where a title has taken their place, the other port that it has."""
    adapter = known.kind.adapter
    others = [each.port for each in places.values() if each.owners & known.fronts and each.port != port]
    if known.titled and adapter.page_port and len(others) == 1:
        return others[0]
    return by_flags(known).page_port
