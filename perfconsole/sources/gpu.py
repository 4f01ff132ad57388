"""The GPUs of this host, asked through a helper process: one line of question, one line of JSON for an answer.

A driver call may hang for ever and keep its process from ending, so no such call is made here. Must never wait longer
for the helper than ANSWER_S, and never take its numbers for more than text: names and values are checked one by one.
"""

from __future__ import annotations

import json
import threading
from math import isfinite
from typing import TYPE_CHECKING

from perfconsole.actions import run
from perfconsole.clock import SystemClock
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Absence, Batch, Fact, Missing, Sample, SeriesKey
from perfconsole.sources.web.failure import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from perfconsole.actions.run import Child
    from perfconsole.clock import Clock
    from perfconsole.model.dictionary import Dictionary

    Owners = Callable[[], Mapping[Entity, frozenset[int]]]
    """Engines with the processes that are known of each."""

ANSWER_S = 3.0
"""A helper that is silent for this long has failed the poll; its answer may still come with a later one."""
_GLANCE_S = 0.25
_MOST_GPUS = 64


class GpuSource:
    """Polls the GPUs of one host. `start` comes from the main thread, before the first poll."""

    name = "gpus"
    kind = "gpu"
    cadence_s = 1.0
    deadline_s = 5.0

    def __init__(
        self,
        argv: Sequence[str],
        dictionary: Dictionary,
        owners: Owners,
        host: Entity | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._argv = tuple(argv)
        self._dictionary = dictionary
        self._owners = owners
        self._host = host
        self._clock = clock or SystemClock()
        self._child: Child | None = None
        self._asked = False
        self._stop = threading.Event()

    def start(self) -> None:
        """Start the helper; NotPermittedError when it cannot be."""
        if self._child is None:
            self._child = run.start(self._argv)

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One poll, for the monitor: always one batch."""
        answer = self._ask()
        t = self._clock.now()
        took = t - now
        if isinstance(answer, str):
            return (Batch(self.name, self.kind, t, wall + took, self.cadence_s, took_s=took, error=answer),)
        return (self.read(answer, t, wall + took, took),)

    def interrupt(self) -> None:
        """Break a poll in flight; callable from any thread."""
        self._stop.set()

    def close(self) -> None:
        """End the helper; one that is stuck in the driver is left behind."""
        self._stop.set()
        if self._child is not None:
            self._child.end()

    def _ask(self) -> dict[str, object] | str:
        """The helper's answer, or why there is none."""
        child = self._child
        if child is None:
            return "the GPU helper was not started"
        self._stop.clear()
        if not self._asked:
            self._asked = child.send(b"\n")
        line = self._line(child)
        if line is not None:
            self._asked = False
            return _document(line)
        if child.code() is not None or child.mute or not self._asked:
            return _obituary(child)
        return f"the GPU helper (pid {child.pid}) has not answered within {ANSWER_S:.0f} s; the driver may hang"

    def _line(self, child: Child) -> bytes | None:
        deadline = self._clock.now() + ANSWER_S
        while (left := deadline - self._clock.now()) > 0 and not self._stop.is_set():
            line = child.line(min(left, _GLANCE_S))
            if line is not None or child.mute:
                return line
        return None

    def read(self, answer: Mapping[str, object], t: float, wall: float, took_s: float) -> Batch:
        """The batch of one answer; pure but for the engines that it is told of."""
        gpus = [_Gpu(entry, self._dictionary) for entry in _dicts(answer.get("gpus"))[:_MOST_GPUS]]
        gpus = [gpu for gpu in gpus if gpu.entity is not None]
        error = answer.get("error")
        return Batch(
            self.name,
            self.kind,
            t,
            wall,
            self.cadence_s,
            samples=tuple(sample for gpu in gpus for sample in gpu.samples()),
            facts=tuple(fact for gpu in gpus for fact in gpu.facts()),
            links=(*self._host_links(gpus), *self._owner_links(gpus)),
            absences=tuple(gap for gpu in gpus for gap in gpu.absences()),
            took_s=took_s,
            error=printable(error) if isinstance(error, str) and error else None,
            notes=tuple(sorted({note for gpu in gpus for note in gpu.notes})),
            entities=tuple(gpu.entity for gpu in gpus if gpu.entity is not None),
        )

    def _host_links(self, gpus: Iterable[_Gpu]) -> list[Link]:
        host = self._host
        return [Link(Relation.HOST_HAS, host, gpu.entity) for gpu in gpus if host and gpu.entity]

    def _owner_links(self, gpus: Sequence[_Gpu]) -> list[Link]:
        """By the processes on each GPU; where they tell nothing, a single engine has them all."""
        owners = self._owners()
        found = [
            Link(Relation.ENGINE_USES_GPU, engine, gpu.entity)
            for gpu in gpus
            for engine, pids in owners.items()
            if gpu.entity and pids & gpu.pids
        ]
        if found or len(owners) != 1:
            return found
        (engine,) = owners
        return [Link(Relation.ENGINE_USES_GPU, engine, gpu.entity) for gpu in gpus if gpu.entity]


class _Gpu:
    """One entry of an answer, checked."""

    def __init__(self, entry: Mapping[str, object], dictionary: Dictionary) -> None:
        index = entry.get("index")
        whole = isinstance(index, int) and not isinstance(index, bool) and index >= 0
        self.entity = Entity(Kind.GPU, str(index)) if whole else None
        self.notes: list[str] = []
        self._entry = entry
        self._dictionary = dictionary
        self._processes = _dicts(entry.get("processes"))
        pids = (process.get("pid") for process in self._processes)
        self.pids = frozenset(pid for pid in pids if isinstance(pid, int))

    def samples(self) -> list[Sample]:
        """Values whose names are indicators of a GPU and which are numbers."""
        found = {name: number for name, v in self._named("values") if (number := _number(v)) is not None}
        if isinstance(self._entry.get("processes"), list):
            found.setdefault("gpu.process_count", float(len(self.pids)))
            memory = [m for p in self._processes if (m := _number(p.get("memory"))) is not None]
            if memory:
                found.setdefault("gpu.process_memory", max(memory))
        return [Sample(SeriesKey(name, self.entity), v) for name, v in found.items() if self.entity]

    def absences(self) -> list[Absence]:
        """Values that it cannot have, with the reasons that the helper gives."""
        known = {str(reason): reason for reason in Missing}
        return [
            Absence(name, self.entity, known.get(str(reason), Missing.UNSUPPORTED))
            for name, reason in self._named("missing")
            if self.entity
        ]

    def facts(self) -> list[Fact]:
        """What the card is called."""
        texts = ((f"gpu.{key}", self._entry.get(key)) for key in ("name", "uuid"))
        return [Fact(key, self.entity, printable(text)) for key, text in texts if self.entity and isinstance(text, str)]

    def _named(self, table: str) -> list[tuple[str, object]]:
        """Rows of a table whose names the dictionary has for a GPU; a remark about every other one."""
        rows = self._entry.get(table)
        named = []
        for name, value in rows.items() if isinstance(rows, dict) else ():
            entry = self._dictionary.find(name) if isinstance(name, str) else None
            if entry is not None and entry.scope is Kind.GPU:
                named.append((entry.name, value))
            else:
                self.notes.append(f"the GPU helper says {printable(str(name))}, which is no indicator of a GPU")
        return named


def _document(line: bytes) -> dict[str, object] | str:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return printable(f"the GPU helper says what is no JSON: {line[:60]!r}")
    if isinstance(document, dict):
        error = document.get("error")
        return printable(error) if isinstance(error, str) and error and not document.get("gpus") else document
    return printable(f"the GPU helper says what is no table: {line[:60]!r}")


def _obituary(child: Child) -> str:
    words = printable(child.last_words())
    code = child.code()
    how = "closed its output" if code is None else f"ended by signal {-code}" if code < 0 else f"ended with code {code}"
    return f"the GPU helper (pid {child.pid}) {how}" + (f": {words}" if words else "")


def _dicts(value: object) -> list[dict[str, object]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _number(value: object) -> float | None:
    """The value where it is a finite number and no truth value."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return float(value) if good and isinstance(value, int | float) else None
