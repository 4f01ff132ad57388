"""The GPUs of this host, asked through a helper process: one line of question, one line of JSON for an answer.

A driver call may hang for ever and keep its process from ending, so no such call is made here. Must never wait longer
for the helper than ANSWER_S, and never take its numbers for more than text: names and values are checked one by one.
A helper that ended or is silent for long is replaced from the thread that polls.
"""

from __future__ import annotations

import json
import re
import sys
import threading
from math import isfinite
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Absence, Batch, Fact, Missing, Sample, SeriesKey
from perfconsole.sources.nvml.belonging import PAIRS, Card, belong
from perfconsole.sources.nvml.keeper import Keeper
from perfconsole.sources.nvml.sight import NOT_IN_SIGHT
from perfconsole.sources.web.failure import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from perfconsole.clock import Clock
    from perfconsole.model.dictionary import Dictionary

    Owners = Callable[[], Mapping[Entity, frozenset[int]]]
    """Engines with the processes that are known of each."""

ANSWER_S = 1.2
"""A helper that is silent for this long has failed the poll; its answer may still come with a later one.

With a cadence of 1 s a helper that stops answering is so reported in time; the NVML helper answers within 1 s.
"""
LOOK_S = 30.0
"""Pause between two looks for a driver on a host that had none."""
_MOST_GPUS = 64
_MOST_NOTES = 50


class GpuSource:
    """Polls the GPUs of one host. `start` comes from the main thread, before the first poll."""

    name = "gpus"
    kind = "gpu"
    cadence_s = 1.0
    deadline_s = 5.0
    brief = False

    def __init__(
        self,
        argv: Sequence[str],
        dictionary: Dictionary,
        owners: Owners,
        host: Entity | None = None,
        clock: Clock | None = None,
        in_sight: Callable[[], bool] | None = None,
    ) -> None:
        self._dictionary = dictionary
        self._owners = owners
        self._host = host
        self._clock = clock or SystemClock()
        self._in_sight = in_sight
        self._by_sight = in_sight is not None
        """Whether a helper is needed is looked up; without that somebody starts it, or does not want it."""
        self._known: dict[int, dict[str, Sample]] = {}
        """GPU -> last sample of each name that was checked: 16 GPUs have 900 a second, most of them as before."""
        self._look_t = float("-inf")
        self._keeper = Keeper(argv, self._clock, "GPU helper")
        self._started = False
        self._stop = threading.Event()
        self.filled: frozenset[tuple[str, str]] = frozenset()
        """Indicators and names of GPUs that the last poll had values for; callable from any thread, as `indices` is."""
        self.indices: dict[str, str] = {}
        """Names of GPUs by UUID, of all that were seen."""

    def start(self) -> None:
        """Start the helper, where a driver is in sight; NotPermittedError when it cannot be."""
        self._started = True
        if self._look():
            self._keeper.start()

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One poll, for the monitor: always one batch."""
        if self._by_sight and self._keeper.child is None and not self._look():
            return (Batch(self.name, self.kind, now, wall, self.cadence_s, took_s=0.0, notes=(NOT_IN_SIGHT,)),)
        answer = self._ask()
        t = self._clock.now()
        took = t - now
        if isinstance(answer, str):
            self.filled = frozenset()
        if isinstance(answer, str) and self._keeper.starting:
            return (Batch(self.name, self.kind, t, wall + took, self.cadence_s, took_s=took, notes=(answer,)),)
        if isinstance(answer, str):
            return (Batch(self.name, self.kind, t, wall + took, self.cadence_s, took_s=took, error=answer),)
        batch = self.read(answer, t, wall + took, took)
        self.filled = frozenset((s.key.indicator, s.key.entity.name) for s in batch.samples)
        self.indices |= {fact.value: fact.entity.name for fact in batch.facts if fact.name == "gpu.uuid"}
        return (batch,)

    def interrupt(self) -> None:
        """Break a poll in flight; callable from any thread."""
        self._stop.set()

    def close(self) -> None:
        """End the helper; one that is stuck in the driver is left behind."""
        self._stop.set()
        self._keeper.close()

    def _look(self) -> bool:
        """Whether a driver is in sight. Once there was one, the helper says how it is."""
        if self._in_sight is None:
            return True
        now = self._clock.now()
        if now - self._look_t >= LOOK_S:
            self._look_t = now
            if self._in_sight():
                self._in_sight = None
        return self._in_sight is None

    def _ask(self) -> dict[str, object] | str:
        """The helper's answer, or why there is none."""
        if not self._started and not self._by_sight:
            return "the GPU helper was not started"
        self._stop.clear()
        line = self._keeper.restart() or self._keeper.ask(ANSWER_S, self._stop)
        return _document(line) if isinstance(line, bytes) else line

    def read(self, answer: Mapping[str, object], t: float, wall: float, took_s: float) -> Batch:
        """The batch of one answer; pure but for the engines that it is told of."""
        gpus = [gpu for entry in _dicts(answer.get("gpus"))[:_MOST_GPUS] if (gpu := self._gpu(entry)) is not None]
        error = answer.get("error")
        owned = belong([gpu.card() for gpu in gpus], self._owners())
        said = _texts(answer.get("notes"))
        return Batch(
            self.name,
            self.kind,
            t,
            wall,
            self.cadence_s,
            samples=(*(sample for gpu in gpus for sample in gpu.samples()), *owned.samples),
            facts=tuple(fact for gpu in gpus for fact in gpu.facts()),
            links=(*self._host_links(gpus), *owned.links),
            absences=(*(gap for gpu in gpus for gap in gpu.absences()), *owned.absences),
            took_s=took_s,
            error=printable(error) if isinstance(error, str) and error else None,
            notes=(*said, *owned.notes, *sorted({note for gpu in gpus for note in gpu.notes})),
            entities=tuple(gpu.entity for gpu in gpus),
        )

    def _gpu(self, entry: Mapping[str, object]) -> _Gpu | None:
        """An entry, None for one without a number to call it by."""
        index = entry.get("index")
        if not isinstance(index, int) or isinstance(index, bool) or index < 0:
            return None
        if len(self._known) > _MOST_GPUS:
            self._known.clear()
        return _Gpu(index, entry, self._dictionary, self._known.setdefault(index, {}))

    def _host_links(self, gpus: Iterable[_Gpu]) -> list[Link]:
        host = self._host
        return [Link(Relation.HOST_HAS, host, gpu.entity) for gpu in gpus if host]


class _Gpu:
    """One entry of an answer, checked."""

    def __init__(
        self, index: int, entry: Mapping[str, object], dictionary: Dictionary, known: dict[str, Sample]
    ) -> None:
        self.entity = Entity(Kind.GPU, str(index))
        self._known = known
        self.notes: list[str] = _texts(entry.get("notes"))
        self._entry = entry
        self._dictionary = dictionary
        self._processes = _dicts(entry.get("processes"))
        pids = (process.get("pid") for process in self._processes)
        self.pids = frozenset(pid for pid in pids if isinstance(pid, int))

    def samples(self) -> list[Sample]:
        """Values whose names are indicators of a GPU and which are numbers."""
        rows = self._named("values")
        found = [self._sample(key, number) for key, v in rows if (number := _number(v)) is not None]
        if isinstance(self._entry.get("processes"), list):
            given = {key.indicator for key, _ in rows}
            memory = [m for p in self._processes if (m := _number(p.get("memory"))) is not None]
            counted = {"gpu.process_count": float(len(self.pids))} | (
                {"gpu.process_memory": max(memory)} if memory else {}
            )
            found += [Sample(SeriesKey(name, self.entity), v) for name, v in counted.items() if name not in given]
        return found

    def absences(self) -> list[Absence]:
        """Values that it cannot have, with the reasons that the helper gives."""
        known = {str(reason): reason for reason in Missing}
        return [
            Absence(key.indicator, self.entity, known.get(str(reason), Missing.UNSUPPORTED))
            for key, reason in self._named("missing")
        ]

    def card(self) -> Card:
        """What its owners are found by."""
        peers = self._entry.get("peers")
        known = isinstance(self._entry.get("processes"), list)
        return Card(self.entity, self.pids if known else None, self._pairs(peers))

    def _pairs(self, peers: object) -> dict[str, tuple[int, int]] | None:
        """Statuses with other GPUs; None where the helper gives none, or says why it cannot."""
        missing = self._entry.get("missing")
        if not isinstance(peers, dict) or (isinstance(missing, dict) and any(name in missing for name in PAIRS)):
            return None
        rows = ((str(other), row) for other, row in peers.items() if isinstance(row, list) and len(row) == 2)
        return {other: (int(a), int(b)) for other, (a, b) in rows if isinstance(a, int) and isinstance(b, int)}

    def facts(self) -> list[Fact]:
        """What the card is called, and what else the helper has words for."""
        more = self._entry.get("facts")
        texts = [(f"gpu.{key}", self._entry.get(key)) for key in ("name", "uuid")]
        texts += [(key, text) for key, text in (more.items() if isinstance(more, dict) else ()) if _is_name(key)]
        return [Fact(key, self.entity, printable(text)) for key, text in texts if isinstance(text, str)]

    def _named(self, table: str) -> list[tuple[SeriesKey, object]]:
        """Rows of a table whose names the dictionary has for a GPU; a remark about every other one."""
        rows = self._entry.get(table)
        named = []
        for name, value in rows.items() if isinstance(rows, dict) else ():
            known = self._known.get(name)
            key = known.key if known is not None else self._key(name)
            if key is not None:
                named.append((key, value))
            else:
                self.notes.append(f"the GPU helper says {printable(str(name))}, which is no indicator of a GPU")
        return named

    def _key(self, name: str) -> SeriesKey | None:
        entry = self._dictionary.find(name)
        if entry is None or entry.scope is not Kind.GPU:
            return None
        return SeriesKey(entry.name, self.entity)

    def _sample(self, key: SeriesKey, value: float) -> Sample:
        """The sample of the last poll where its value is the same."""
        before = self._known.get(key.indicator)
        if before is not None and before.value == value:
            return before
        found = self._known[key.indicator] = Sample(key, value)
        return found


def _document(line: bytes) -> dict[str, object] | str:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return printable(f"the GPU helper says what is no JSON: {line[:60]!r}")
    if isinstance(document, dict):
        error = document.get("error")
        return printable(error) if isinstance(error, str) and error and not document.get("gpus") else document
    return printable(f"the GPU helper says what is no table: {line[:60]!r}")


def helper_argv() -> list[str]:
    """Command that starts the NVML helper; nothing of the folder it is started in is loaded."""
    return [sys.executable, "-P", "-m", "perfconsole.sources.nvml"]


def _texts(value: object) -> list[str]:
    """Remarks of the helper, made harmless."""
    lines = value if isinstance(value, list) else []
    return [printable(line) for line in lines[:_MOST_NOTES] if isinstance(line, str) and line]


def _is_name(key: object) -> bool:
    return isinstance(key, str) and re.fullmatch(r"gpu\.[a-z_]{1,40}", key) is not None


def _dicts(value: object) -> list[dict[str, object]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _number(value: object) -> float | None:
    """The value where it is a finite number and no truth value."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:  # JSON knows whole numbers of any length
        return None
    return number if isfinite(number) else None
