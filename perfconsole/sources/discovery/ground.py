"""What the decision on known programs rests on, and what can be told from it at once. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.afar import published
from perfconsole.sources.roles import forwards

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from perfconsole.sources.discovery.afar import Afar
    from perfconsole.sources.discovery.answer import Answer
    from perfconsole.sources.discovery.known import Known
    from perfconsole.sources.discovery.place import Place
    from perfconsole.sources.discovery.program import Programs
    from perfconsole.sources.discovery.settings import Settings

HERE = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Ground:
    """Everything that one look has read."""

    programs: Programs
    places: Mapping[int, Place]
    settings: Mapping[int, Settings]
    """By first process."""
    afar: Mapping[int, Afar] = field(default_factory=dict)
    goals: Collection[tuple[str, int]] = ()
    """Hosts and ports that are watched or were found before."""
    own_addresses: Collection[str] = ()
    """Addresses of this host."""
    ephemeral: tuple[int, int] = (32768, 60999)
    answers: Mapping[int, Answer] = field(default_factory=dict)
    """What ports said that were asked before."""
    calls: Mapping[int, Collection[int]] = field(default_factory=dict)
    """Ports of what is known, by process that was seen to call them."""


def normal(place: tuple[str, int], ground: Ground) -> tuple[str, int]:
    """The place with one name for this host."""
    host, port = place
    return (HERE if host in ground.own_addresses else host), port


def own_ports(known: Known, ground: Ground, *, all_members: bool = False) -> set[int]:
    """Listening ports of its front-end, or of all its processes, but for those that the kernel chose."""
    first, last = ground.ephemeral
    away = ground.afar.get(known.pid)
    owners = known.members if all_members else known.fronts
    held = {port for port, place in ground.places.items() if place.owners & owners}
    return {port for port in (held if away is None else away.ports) if not first <= port <= last}


def listens(port: int, known: Known, ground: Ground) -> bool:
    """Whether anything listens at that port of the network in which the program is."""
    away = ground.afar.get(known.pid)
    return port in (ground.places if away is None else away.ports)


def way_in(port: int, known: Known, ground: Ground) -> tuple[str, int]:
    """Host and port at which a program in a container is reached: a published port, else its own address."""
    away = ground.afar[known.pid]
    outer = published(ground.programs).get((away.address, port), 0)
    return (HERE, outer) if outer else (away.address, port)


def held_by_another(place: Place, known: Known, programs: Programs) -> bool:
    """Whether a program that is no part of the known one, and forwards nothing to it, holds the port."""
    owners = [programs[pid] for pid in place.owners if pid in programs]
    return bool(owners) and not place.owners & known.members and not all(forwards(program.argv) for program in owners)


def page_at(port: int, known: Known, ground: Ground) -> str:
    """URL of the page of a program at a port of its own, which may be bound to another address; empty for none."""
    place = ground.places.get(port)
    host, outer = (place.host if place else HERE), port
    if known.pid in ground.afar:
        host, outer = way_in(port, known, ground)
    return f"http://{host}:{outer}{known.kind.adapter.metrics_path or '/metrics'}" if port and host else ""
