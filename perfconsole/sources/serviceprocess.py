"""The source for the processes of one gateway or orchestrator on this host, by its port or its number.

A blocked event loop cannot answer for itself; the kernel still can. Never emits a command line, never signals or
traces a process.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Link, Relation
from perfconsole.model.sample import Batch, Fact, Missing
from perfconsole.sources.lastname import LastName
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.enginetree import Change, EngineTree
from perfconsole.sources.linux.engineuse import stopped
from perfconsole.sources.linux.holder import by_number, by_port
from perfconsole.sources.linux.outside import Outside
from perfconsole.sources.linux.reading import TreeReader, entity_of
from perfconsole.sources.linux.sockets import Sockets, SocketWatch
from perfconsole.sources.linux.values import Values, highest, split
from perfconsole.sources.roles import Roles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.sources.callers import Callers
    from perfconsole.sources.layer import Layer

_ROLES = Roles(worker=r".")
"""Every process below the first one serves."""
_STATES = {"T": "stopped", "t": "held by a tracer", "D": "waits in the kernel (D)", "Z": "ended, not yet reaped"}
_ENDED = (Missing.NOT_EXPORTED, Missing.NEVER)
"""Reasons of a search that could look and found nobody; with any other, the processes may be there unseen."""


class ServiceProcessSource:
    """Polls the processes of one service. Either `port` or `pid` says which; a number is all there is to know of it."""

    cadence_s = 1.0
    deadline_s = 5.0
    brief = True

    def __init__(  # noqa: PLR0913 - what to watch, for whom, and where it stands
        self,
        name: str,
        layer: Layer,
        service: Callable[[], Entity],
        dictionary: Dictionary,
        *,
        port: int = 0,
        pid: int = 0,
        host: Entity | None = None,
        page_says: Callable[[str], bool] = lambda _indicator: False,
        links: Callable[[float], Iterable[Link]] = lambda _now: (),
        callers: Callers | None = None,
        root: Path = Path("/"),
    ) -> None:
        self.name = name
        self._layer = layer
        self._service = service
        self._dictionary = dictionary
        self._alone = not port
        self._before: dict[int, str] = {}
        """What the kernel said of each process at the last poll."""
        self.kind = f"{layer.noun} process" if self._alone else "processes"
        self._host = host
        self._page_says = page_says
        self._links_ahead = links
        self._callers = callers
        base = procfs.base(root)
        self._tree = EngineTree(base, port, _ROLES, by_port(base, port) if port else by_number(base, pid))
        self._sockets = SocketWatch(base, port) if port else None
        self._reader = TreeReader(self._tree, self._sockets)
        self._outside = Outside(base)
        self._last_name = LastName()

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One poll, for the monitor: always one batch."""
        return (self.batch(now, wall),)

    def batch(self, now: float, wall: float) -> Batch:
        """Figures of the processes and of the service at `now` (monotonic seconds), `wall` in epoch seconds."""
        service = self._service()
        sockets = self._sockets.read(now) if self._sockets else Missing.UNSUPPORTED
        change = self._tree.refresh(now, sockets)
        if self._callers:
            absent = self._tree.absent
            unseen = not self._tree.members and absent is not None and absent.reason not in _ENDED
            self._callers.own(self._tree.members, hidden=unseen)
            self._callers.look(sockets, now)
        processes = self._reader.read(now, change, sockets)
        for pid, values in self._outside.read(now, change).items():
            processes[pid].update(values)
        own = self._values(change, processes, sockets)
        notes = self._reader.notes(change)
        lost = self._alone and not _alive(change)
        parts = [split(service, own), *(split(entity_of(pid), values) for pid, values in processes.items())]
        return Batch(
            self.name,
            self.kind,
            now,
            wall,
            self.cadence_s,
            samples=tuple(sample for there, _ in parts for sample in there),
            facts=(
                *self._reader.groups(change),
                *_states(change),
                *self._outside.words(now, change, self._tree.members),
            ),
            links=self._links(service, change, now),
            absences=tuple(gap for _, gaps in parts for gap in gaps),
            error="; ".join(notes) or "its process has ended" if lost else None,
            notes=() if lost else notes,
            gone=(*self._last_name.left(service), *map(entity_of, change.gone)),
            restarted=((service,) if change.restarted else ()) + tuple(entity_of(pid) for pid in change.reused),
            entities=(service, *map(entity_of, processes)),
        )

    def interrupt(self) -> None:
        """Files of the kernel have no time-out: there is nothing to break off."""

    def close(self) -> None:
        """Nothing is held open between polls."""

    def _values(self, change: Change, processes: dict[int, Values], sockets: Sockets | Missing) -> Values:
        """What the layer has a name for: alive, how many, the busiest thread, and connections held."""
        alive = _alive(change)
        busiest = highest([processes[pid]["host.process_cpu"] for pid in alive], self._reason())
        found: Values = {"process_cpu": busiest, "processes": float(len(alive)) if alive else self._none_left()}
        if change.stats:
            states = {pid: stat.state for pid, stat in change.stats.items()}
            found["stopped_processes"] = float(stopped(states, self._before))
            self._before = states
        if self._alone:  # nothing else can say whether it lives
            found["up"] = 1.0 if alive else 0.0
        if self._callers:
            found["connections"] = self._callers.held()
            found["unknown_callers"] = self._callers.unknown()
        inflight = self._layer.name("inflight")
        if self._layer.counts_connections and not self._page_says(inflight):
            found["inflight"] = self._connections(sockets)
        named = {self._layer.name(noun): value for noun, value in found.items()}
        return {name: value for name, value in named.items() if self._dictionary.find(name)}

    def _reason(self) -> Missing:
        """Why there are no figures; of processes that have ended there is nothing more to know."""
        return Missing.NEVER if self._tree.absent is None or self._gone() else self._tree.absent.reason

    def _none_left(self) -> float | Missing:
        """0 only where there was one, and a search did not just fail to see whether another took its place."""
        return 0.0 if self._gone() else self._reason()

    def _gone(self) -> bool:
        absent = self._tree.absent
        return self._tree.seen and (absent is None or absent.reason in _ENDED)

    def _connections(self, sockets: Sockets | Missing) -> float | Missing:
        """Connections to its port, those that wait to be accepted included; the console's own do not count."""
        if self._sockets is None or isinstance(sockets, Missing):
            return sockets if isinstance(sockets, Missing) else Missing.UNSUPPORTED
        return float(self._sockets.inflight(sockets)) if sockets.listening else Missing.NOT_EXPORTED

    def _links(self, service: Entity, change: Change, now: float) -> tuple[Link, ...]:
        """With its processes and its host, and with what it calls where no health route is there to say it."""
        here = (Link(Relation.HOST_HAS, self._host, service),) if self._host else ()
        own = (Link(self._layer.has_process, service, entity_of(pid)) for pid in sorted(change.stats))
        return (*here, *self._links_ahead(now), *own)


def _states(change: Change) -> tuple[Fact, ...]:
    """What the kernel says of processes that neither run nor wait for an event; empty for those that do."""
    return tuple(Fact("process.state", entity_of(pid), _STATES.get(s.state, "")) for pid, s in change.stats.items())


def _alive(change: Change) -> list[int]:
    return [pid for pid, stat in change.stats.items() if stat.state != "Z"]
