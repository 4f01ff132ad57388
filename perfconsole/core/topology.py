"""Which entity belongs to which: answers "the GPUs of this engine" and "the host of this process" from typed links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind, Link

if TYPE_CHECKING:
    from collections.abc import Iterable

_LEVEL = {
    Kind.HOST: 0,
    Kind.GATEWAY: 1,
    Kind.ORCHESTRATOR: 2,
    Kind.ENGINE: 3,
    Kind.RANK: 4,
    Kind.PROCESS: 4,
    Kind.GPU: 4,
}
"""Paths only go down (to narrower kinds) or only up: an engine never reaches a neighbour through its host."""

_WITH_PARTS = frozenset((Kind.ENGINE, Kind.GATEWAY, Kind.ORCHESTRATOR))


class Topology:
    """The links of the session. Session is the only writer."""

    def __init__(self) -> None:
        self._said: dict[str, frozenset[Link]] = {}
        self._links: tuple[Link, ...] = ()
        self._near: dict[Entity, dict[Entity, None]] = {}
        self._cache: dict[tuple[Entity, Kind], tuple[Entity, ...]] = {}

    def replace(self, source: str, links: Iterable[Link]) -> None:
        """Take over what a source now says; what it said before and no longer says is dropped."""
        said = frozenset(links)
        if self._said.get(source, frozenset()) != said:
            self._said[source] = said
            self._rebuild()

    def forget(self, entity: Entity) -> None:
        """Drop an entity with its links."""
        doomed = frozenset(link for link in self._links if entity in (link.parent, link.child))
        if doomed:
            self._said = {source: said - doomed for source, said in self._said.items()}
            self._rebuild()

    def _rebuild(self) -> None:
        self._links = tuple(sorted(frozenset().union(*self._said.values())))
        self._cache.clear()
        self._near.clear()
        for link in self._links:
            self._near.setdefault(link.parent, {})[link.child] = None
            self._near.setdefault(link.child, {})[link.parent] = None

    @property
    def links(self) -> tuple[Link, ...]:
        """All links in a stable order."""
        return self._links

    def roles(self, parent: Entity, role: str) -> list[Entity]:
        """Children of an entity in one role (frontend, core, worker)."""
        return [link.child for link in self.links if link.parent == parent and link.role == role]

    def related(self, entity: Entity, kind: Kind) -> tuple[Entity, ...]:
        """Entities of a kind that belong to this one, or that it belongs to: the nearest along the links."""
        if entity.kind is kind:
            return (entity,)
        key = (entity, kind)
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = self._search(entity, kind)
        return found

    def _search(self, entity: Entity, kind: Kind) -> tuple[Entity, ...]:
        down = _LEVEL[kind] > _LEVEL[entity.kind]
        front = {entity}
        while front:
            nearer = {n for e in front for n in self._near.get(e, ()) if _onward(e, n, down=down)}
            hits = sorted(n for n in nearer if n.kind is kind)
            if hits:
                return tuple(hits)
            front = nearer
        return ()

    def beside(self, one: Entity, other: Entity) -> bool:
        """Two parts of the same kind in one engine, gateway or orchestrator."""
        if one.kind is not other.kind or _LEVEL[one.kind] < _LEVEL[Kind.RANK]:
            return False
        shared = self._near.get(one, {}).keys() & self._near.get(other, {}).keys()
        return any(entity.kind in _WITH_PARTS for entity in shared)

    def touch(self, one: Entity, other: Entity) -> bool:
        """The two are the same, or one belongs to the other."""
        return one == other or other in self.related(one, other.kind) or one in self.related(other, one.kind)


def _onward(here: Entity, there: Entity, *, down: bool) -> bool:
    step = _LEVEL[there.kind] - _LEVEL[here.kind]
    return step > 0 if down else step < 0
