"""Values for the placeholders of checks: text facts of sources, and process numbers from the links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind

if TYPE_CHECKING:
    from perfconsole.core.store import SeriesStore
    from perfconsole.core.topology import Topology

_ROLE_PIDS = {
    "engine.frontend_pid": "frontend",
    "engine.core_pid": "core",
    "engine.rank_pids": "worker",
}
_KIND_OF_PREFIX = {
    "engine": Kind.ENGINE,
    "gateway": Kind.GATEWAY,
    "orchestration": Kind.ORCHESTRATOR,
    "process": Kind.PROCESS,
    "gpu": Kind.GPU,
    "host": Kind.HOST,
}


class Placeholders:
    """Lookup of `{engine.url}`, `{engine.core_pid}` and the like for one entity."""

    def __init__(self, store: SeriesStore, topology: Topology) -> None:
        self._store = store
        self._topology = topology

    def lookup(self, name: str, entity: Entity) -> str | None:
        """Text for the placeholder, None when nothing known fills it."""
        kind = _KIND_OF_PREFIX.get(name.partition(".")[0])
        for owner in self._topology.related(entity, kind) if kind else ():
            found = self._of_owner(name, owner)
            if found is not None:
                return found
        return None

    def _of_owner(self, name: str, owner: Entity) -> str | None:
        if name == "gpu.index" and not owner.name.isdecimal():
            return None  # a card elsewhere: a command here would ask the card of that number here
        if name in ("process.pid", "host.name", "gpu.index"):
            return owner.name
        if name in _ROLE_PIDS:
            pids = [p.name for p in self._topology.roles(owner, _ROLE_PIDS[name])]
            return " ".join(pids) or None
        if name in ("engine.pids", "gateway.pid", "orchestration.pid"):
            return ",".join(self._own_pids(owner)) or None
        if name == "gateway.lost_upstream":
            return self._lost(owner)
        return self._store.facts.text(name, owner)

    def _lost(self, gateway: Entity) -> str | None:
        """Host and port of an upstream that a gateway takes for unhealthy."""
        parts = self._store.parts("gateway.upstream_healthy", gateway).items()
        lost = sorted(name for labels, s in parts for key, name in labels if key == "upstream" and s.last() == 0)
        places = (self._store.facts.text(f"gateway.upstream.{name}", gateway) or name for name in lost)
        return next((place for place in places if place.rpartition(":")[2].isdecimal()), None)

    def _own_pids(self, owner: Entity) -> list[str]:
        """Processes of this very entity: those of an engine behind a gateway are not the gateway's."""
        near = self._topology.related(owner, Kind.PROCESS)
        mine = {link.child for link in self._topology.links if link.parent == owner} if near else set()
        return [p.name for p in near if p in mine]
