"""What listens on a port that a user named, and where its page is when requests come to another one. By its process."""

from __future__ import annotations

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

    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.discovery.configuration import Named
    from perfconsole.sources.discovery.known import Known
    from perfconsole.sources.discovery.place import Place


class Behind(NamedTuple):
    """The program behind a port."""

    adapter: Adapter | None = None
    page_url: str = ""
    """URL of its page; empty when it is on the port itself, at a path of the adapter."""
    named: Named = ()
    """Upstreams by the names that its page gives them."""
    upstreams: tuple[str, ...] = ()
    """URLs of what it calls."""


def behind(port: int, root: Path = Path("/")) -> Behind:
    """The known program that listens on a port of this host.

    One look through all processes, some 20 ms on a host with 300 of them.
    """
    base = procfs.base(root)
    bounds = read_listeners(base)
    if isinstance(bounds, Missing):
        return Behind()
    programs = ProgramTable(base).look()
    places = find_places(bounds, Holders(base).look({bound.inode for bound in bounds}, programs))
    owners = places[port].owners if port in places else frozenset()
    known = next((each for each in find_known(programs) if each.members & owners), None)
    if known is None:
        return Behind()
    settings = _settings(base, known)
    ground = Ground(programs, places, {known.pid: settings})
    if known.kind.adapter.proxy:
        url, name = page_of(known, ground, settings)
        return Behind(_called(name, known), url, settings.named, settings.upstreams)
    page = _page_port(known, port, places)
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
