"""Who is watched by this process, where it listens, which processes it has, and who was seen to call whom.

Sources ask it for links and owners. Each member's processes and each call are written by one source; anybody may read.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfconsole.model.entity import BEHIND, Link, Relation
from perfconsole.sources.layer import ENGINE, GATEWAY, ORCHESTRATOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from perfconsole.model.entity import Entity
    from perfconsole.sources.layer import Layer

    Place = tuple[str, int]
    """Host and port; the host is empty for this one."""

_CALL_S = 600.0
"""A connection that was seen stands for a link this long: callers open and close them all the time."""
_RELATION = {
    (GATEWAY.kind, ENGINE.kind): Relation.GATEWAY_TO_ENGINE,
    (ORCHESTRATOR.kind, ENGINE.kind): Relation.ORCHESTRATOR_TO_ENGINE,
    (GATEWAY.kind, GATEWAY.kind): Relation.GATEWAY_TO_GATEWAY,
    (GATEWAY.kind, ORCHESTRATOR.kind): Relation.GATEWAY_TO_ORCHESTRATOR,
    (ORCHESTRATOR.kind, GATEWAY.kind): Relation.ORCHESTRATOR_TO_GATEWAY,
}


@dataclass(eq=False)
class Member:
    """One target. Its own sources write `pids` and `upstreams`."""

    layer: Layer
    entity: Callable[[], Entity]
    settled: Callable[[], bool] = lambda: True
    """Its name is final: a link to a provisional one would outlive it."""
    place: Place = ("", 0)
    url: str = ""
    """Where it is, fit to be shown; empty for a process without HTTP."""
    source: str = ""
    """Name of the source that reads it, in health lines."""
    how: str = ""
    """How it was found; empty for one that somebody named."""
    adapter: Callable[[], str] = str
    """Name of the adapter that takes its page, or as what it was found; empty while nobody knows."""
    guessing: bool = True
    """With nothing known of what it calls it stands in front of every engine: somebody named it for a reason."""
    upstreams: Callable[[], Iterable[Place]] = tuple
    """Where its command line, its configuration or its page says that it sends requests."""
    names: Callable[[], Mapping[str, Place]] = dict
    """Places of what it calls by the names that its page has for them."""
    pids: frozenset[int] = frozenset()
    """Its processes as of the last poll; empty while none is known."""
    hidden: bool = True
    """Its processes may be there unseen: elsewhere, of another user, or not looked for yet."""
    calls: dict[Member, float] = field(default_factory=dict)
    """When a connection from it to another member was last seen; written by the sources of the one called."""
    held: dict[Member, int] = field(default_factory=dict)
    """Connections that it had to another member at the last look; written by the sources of the one called."""
    watched: bool = False
    """Who calls it is looked for: it is on this host, and its sockets can be read."""


class Directory:
    """The members, in the order in which they came."""

    def __init__(self) -> None:
        self._members: tuple[Member, ...] = ()
        self._lock = threading.Lock()

    def add(self, member: Member) -> Member:
        """Enter a member; callable from any thread."""
        with self._lock:
            self._members = (*self._members, member)
        return member

    def remove(self, entity: Entity) -> None:
        """Take out whoever has that name; callable from any thread."""
        with self._lock:
            self._members = tuple(m for m in self._members if m.entity() != entity)
            for member in self._members:
                for called in (*member.calls, *member.held):  # other threads write there
                    if called not in self._members:
                        member.calls.pop(called, None)
                        member.held.pop(called, None)

    def members(self, *layers: Layer) -> tuple[Member, ...]:
        """Those of these layers, of all when none is named."""
        return tuple(m for m in self._members if not layers or m.layer in layers)

    def ports(self) -> frozenset[int]:
        """Ports of this host that are watched."""
        return frozenset(port for host, port in (m.place for m in self._members) if not host and port)

    def at(self, place: Place) -> Member | None:
        """Who listens there. A host without a dot is a name of some container network: there the port decides."""
        host, port = place
        exact = next((m for m in self._members if m.place == place and port), None)
        alike = [m for m in self._members if m.place[1] == port and port and host and not set(host) & {".", ":"}]
        return exact or (alike[0] if len(alike) == 1 else None)

    def owners(self) -> dict[Entity, frozenset[int]]:
        """Engines under their final names, with their processes."""
        return {m.entity(): m.pids for m in self.members(ENGINE) if m.settled()}

    def links(self, caller: Member, now: float) -> tuple[Link, ...]:
        """From a gateway or an orchestrator to what it calls, and through gateways to the engines behind them."""
        called = self._called(caller, now)
        reached = called | {m for m in self._reached(called, now) if m.layer is ENGINE}
        there = sorted({m.entity() for m in reached - {caller} if m.settled()})
        kind = caller.layer.kind
        names = self._names(caller)
        itself = {m.entity() for m in called}
        return tuple(
            Link(relation, caller.entity(), entity, name)
            for entity in sorted({*there, *names})
            if (relation := _RELATION.get((kind, entity.kind))) is not None
            for name in names.get(entity, ["" if entity in itself else BEHIND])
        )

    def _names(self, caller: Member) -> dict[Entity, list[str]]:
        """What the page of the caller calls each of those that it sends requests to."""
        found: dict[Entity, list[str]] = {}
        for name, place in sorted(caller.names().items()):
            member = self.at(place)
            if member is not None and member is not caller and member.settled():
                found.setdefault(member.entity(), []).append(name)
        return found

    def _reached(self, called: set[Member], now: float) -> set[Member]:
        """All that requests to these come to in the end."""
        found, front = set(called), called
        while front:
            gateways = [each for each in front if each.layer is not ENGINE]
            front = {m for each in gateways for m in self._called(each, now)} - found
            found |= front
        return found

    def _called(self, caller: Member, now: float) -> set[Member]:
        """What it sends requests to itself: as stated, as seen, or for lack of both every engine."""
        stated = tuple(caller.upstreams())
        found = {m for place in stated if (m := self.at(place)) is not None}
        found |= {m for m, t in tuple(caller.calls.items()) if now - t <= _CALL_S}
        if found or stated or not caller.guessing:
            return found - {caller}
        return set(self.members(ENGINE))
