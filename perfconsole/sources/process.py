"""The source for the processes of one local engine. Never emits a command line, never signals or traces a process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Link, Relation
from perfconsole.model.sample import Batch, Missing, Sample, SeriesKey
from perfconsole.sources.lastname import LastName
from perfconsole.sources.linux import engineuse, procfs
from perfconsole.sources.linux.enginetree import Change, EngineTree, counted
from perfconsole.sources.linux.reading import TreeReader, entity_of
from perfconsole.sources.linux.sockets import Sockets, SocketWatch
from perfconsole.sources.linux.taskstat import HZ
from perfconsole.sources.linux.values import Values, split
from perfconsole.sources.roles import Role, Roles

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.sources.callers import Callers
    from perfconsole.sources.flags import Stated
    from perfconsole.sources.linux.listener import Root


class ProcessSource:
    """Polls the processes of the engine that listens on a port of this host."""

    kind = "processes"
    cadence_s = 1.0
    deadline_s = 5.0
    """A poll takes milliseconds; one this long is stuck on the kernel's lock of another process's memory."""
    brief = True

    def __init__(
        self,
        name: str,
        port: int,
        engine: Callable[[], Entity],
        roles: Roles,
        flags: Callable[[tuple[str, ...]], tuple[Stated, ...]],
        root: Path = Path("/"),
        host: Entity | None = None,
        callers: Callers | None = None,
    ) -> None:
        self.name = name
        self._host = host
        self._callers = callers
        self._engine = engine
        self._flags = flags
        self._base = procfs.base(root)
        self._tree = EngineTree(self._base, port, roles)
        self._sockets = SocketWatch(self._base, port)
        self._reader = TreeReader(self._tree, self._sockets)
        self._states: dict[int, str] = {}
        self._last_name = LastName()

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One poll, for the monitor: always one batch."""
        return (self.batch(now, wall),)

    def batch(self, now: float, wall: float) -> Batch:
        """Figures of the processes and of the engine at `now` (monotonic seconds), `wall` in epoch seconds."""
        engine = self._engine()
        sockets = self._sockets.read(now)
        change = self._tree.refresh(now, sockets)
        if self._callers:
            self._callers.own(self._tree.members, hidden=not self._tree.members)
            self._callers.look(sockets, now)
        processes = self._reader.read(now, change, sockets)
        figures = [
            (engine, self._read_engine(change, processes, sockets)),
            *((entity_of(p), v) for p, v in processes.items()),
        ]
        parts = [split(entity, values) for entity, values in figures]
        root = self._tree.root if change.stats else None
        return Batch(
            self.name,
            self.kind,
            now,
            wall,
            self.cadence_s,
            samples=tuple(sample for there, _ in parts for sample in there) + self._stated(engine, root),
            facts=self._reader.groups(change),
            links=self._links(engine, change),
            absences=tuple(gap for _, gaps in parts for gap in gaps),
            notes=self._reader.notes(change),
            gone=(*self._last_name.left(engine), *map(entity_of, change.gone)),
            restarted=((engine,) if change.restarted else ()) + tuple(entity_of(pid) for pid in change.reused),
            entities=tuple(entity for entity, _ in figures),
        )

    def interrupt(self) -> None:
        """Files of the kernel have no time-out: there is nothing to break off."""

    def close(self) -> None:
        """Nothing is held open between polls."""

    def _read_engine(self, change: Change, processes: dict[int, Values], sockets: Sockets | Missing) -> Values:
        pids = counted(self._tree.members, change.stats)
        states = {pid: change.stats[pid].state for pid in pids}
        stopped, self._states = engineuse.stopped(states, self._states), states
        if not pids:
            reason = self._tree.absent.reason if self._tree.absent else Missing.NEVER
            values = engineuse.absent(reason, seen=self._tree.seen)
        else:
            values = {"engine.processes": float(len(pids)), "engine.stopped_processes": float(stopped)}
            values |= engineuse.cpu([(self._role(pid), processes[pid]) for pid in pids])
            values["engine.uptime"] = self._uptime(change)
        values["engine.http_inflight"] = self._inflight(sockets, values)
        values["engine.foreign_peers"] = self._callers.foreign() if self._callers else Missing.UNSUPPORTED
        values["engine.unknown_callers"] = self._callers.unknown() if self._callers else Missing.UNSUPPORTED
        return values

    def _inflight(self, sockets: Sockets | Missing, values: Values) -> float | Missing:
        """Count connections held for the front-end, those that wait to be accepted included; idle ones count too."""
        if isinstance(sockets, Missing):
            return sockets
        elsewhere = values.get("engine.http_inflight", Missing.NEVER)
        if not sockets.listening or elsewhere is Missing.NOT_EXPORTED:
            return elsewhere
        return float(self._sockets.inflight(sockets))

    def _uptime(self, change: Change) -> float | Missing:
        root = self._tree.root
        stat = change.stats.get(root.pid) if root else None
        text = procfs.read_text(f"{self._base}/proc/uptime")
        if stat is None:
            return Missing.NEVER
        since_boot = text if isinstance(text, Missing) else procfs.number(text.partition(" ")[0])
        if isinstance(since_boot, Missing):
            return since_boot
        # Negative where a container shows its own time since boot: then there is nothing to compare with.
        uptime = since_boot - stat.start_ticks / HZ
        return uptime if uptime >= 0 else Missing.UNSUPPORTED

    def _role(self, pid: int) -> Role:
        return self._tree.members[pid].role or Role.HELPER

    def _links(self, engine: Entity, change: Change) -> tuple[Link, ...]:
        here = (Link(Relation.HOST_HAS, self._host, engine),) if self._host else ()
        return here + tuple(
            Link(Relation.ENGINE_HAS_PROCESS, engine, entity_of(pid), str(self._role(pid)))
            for pid in sorted(change.stats)
        )

    def _stated(self, engine: Entity, root: Root | None) -> tuple[Sample, ...]:
        """What the launcher's command line states; the command line itself goes no further."""
        return tuple(
            Sample(SeriesKey(name, engine, tag), v) for name, v, tag in (self._flags(root.argv) if root else ())
        )
