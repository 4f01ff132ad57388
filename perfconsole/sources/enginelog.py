"""The log of one engine, read where it is readable: what it was started with, and what went wrong in the last hour.

Only numbers and the path of the file leave here: never a line, a prompt or a key. Opens nothing but regular files.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.model.sample import Absence, Batch, Fact, Missing, Sample, SeriesKey
from perfconsole.sources.lastname import LastName
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.taskstat import HZ, read_task_stat
from perfconsole.sources.logs import happenings
from perfconsole.sources.logs.book import GATES, LogBook
from perfconsole.sources.logs.journal import Journal
from perfconsole.sources.logs.lines import Dates, candidates
from perfconsole.sources.logs.place import Nowhere, Place, find_places
from perfconsole.sources.logs.tail import Tail, Unreadable
from perfconsole.sources.logs.wordings import LABELS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfconsole.model.entity import Entity
    from perfconsole.sources.logs.tail import Piece

    Line = tuple[float, bytes | None]
    """When it was written, and the line; None for a stretch that was not read."""
    Named = Callable[[], tuple[str, ...] | str]
    """Files that a person named for this engine; in words why that cannot be told."""

LOG_KIND = "engine log"
OOM_SIZES = ("engine.oom_request", "engine.oom_free", "engine.oom_reserved_free")
LOGGED = (
    *happenings.EVENTS,
    *OOM_SIZES,
    "engine.captured_batch",
    "engine.kv_max_concurrency",
    "engine.kv_pool",
    "engine.layers_on_gpu",
    "engine.nccl_shm",
)
"""What there is nowhere else: missing with a reason while no log is read."""
_JOURNAL_S = 10.0
"""Between two runs of journalctl, which cost some 30 ms each."""
_HOUR_S = 3600.0
_START_S = 1800.0
"""How long an engine may take to start; what it says of itself stands there."""
_LOOK_S = 10.0
"""Between two looks where the output goes; at once when the processes are others."""


class EngineLogSource:
    """Polls the log of one engine. `pids` are its processes as others know them, `named` files that somebody gave."""

    kind = LOG_KIND
    cadence_s = 2.0
    deadline_s = 15.0
    brief = True

    def __init__(
        self,
        name: str,
        engine: Callable[[], Entity],
        pids: Callable[[], frozenset[int]],
        named: Named = tuple,
        root: Path = Path("/"),
        journal: Callable[[str], Journal] | None = None,
    ) -> None:
        self.name = name
        self._engine = engine
        self._pids = pids
        self._named = named
        self._base = procfs.base(root)
        self._make_journal = journal or (lambda group: Journal((f"_SYSTEMD_CGROUP={group}",)))
        self._book = LogBook()
        self._tails: list[Tail] = []
        self._journal: tuple[str, Journal] | None = None
        self._looked: tuple[float, frozenset[int]] = (float("-inf"), frozenset())
        self._place: tuple[Place, ...] | Nowhere = ()
        self._closing = False
        self._last_name = LastName()

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One poll, for the monitor: always one batch."""
        self._closing = False
        named = self._named()
        if isinstance(named, str):
            return (self._batch(now, wall, error=named, reason=Missing.NOT_EXPORTED),)
        if named:
            return (self._files(now, wall, tuple(Place(path, path) for path in named), named=True),)
        place = self._look(now)
        if not isinstance(place, Nowhere):
            return (self._files(now, wall, place, named=False),)
        if place.journal:
            return (self._of_journal(now, wall, place.journal),)
        return (self._batch(now, wall, note=place.words, reason=place.reason),)

    def interrupt(self) -> None:
        """Let a run of journalctl end; files are read in milliseconds."""
        self._closing = True

    def close(self) -> None:
        """Let go of the files."""
        self._closing = True
        for tail in self._tails:
            tail.close()

    def _look(self, now: float) -> tuple[Place, ...] | Nowhere:
        pids = self._pids()
        looked, known = self._looked
        if now - looked >= _LOOK_S or pids != known:
            self._looked = now, pids
            self._place = find_places(self._base, pids)
        return self._place

    def _files(self, now: float, wall: float, places: tuple[Place, ...], *, named: bool) -> Batch:
        tails = [self._tail_of(place) for place in places]
        for tail in self._tails:
            if tail not in tails:
                tail.close()
        self._tails = tails
        read = [(place, tail.read()) for place, tail in zip(places, self._tails, strict=True)]
        lines: list[Line] = []
        for _, pieces in read:
            lines += [] if isinstance(pieces, Unreadable) else _lines(pieces, wall)
        self._book.read(sorted(lines, key=lambda line: line[0]) if len(read) > 1 else lines)
        failed = [(place, pieces) for place, pieces in read if isinstance(pieces, Unreadable)]
        words = "; ".join(f"{place.shown} {why.words}" for place, why in failed)
        if len(failed) == len(read):
            reason = failed[0][1].reason if failed else Missing.NOT_EXPORTED
            return self._batch(now, wall, error=words if named else "", note=words, reason=reason)
        shown = next(place.shown for place, pieces in read if not isinstance(pieces, Unreadable))
        return self._batch(now, wall, note=words, shown=shown)

    def _tail_of(self, place: Place) -> Tail:
        """The reader of that file: also of one that was renamed, or that another process of the engine holds."""
        same = [tail for tail in self._tails if tail.reads(place.path)] or [
            tail for tail in self._tails if tail.shown == place.shown
        ]
        tail = same[0] if same else Tail(place.path)
        tail.path, tail.shown = place.path, place.shown
        return tail

    def _of_journal(self, now: float, wall: float, group: str) -> Batch:
        lines: list[Line] = []
        if self._journal is None or self._journal[0] != group:
            self._journal = group, self._make_journal(group)
            begun = self._begun(wall)
            start = self._journal[1].start_of(begun, _START_S) if begun and begun < wall - _HOUR_S else b""
            if not isinstance(start, Unreadable):
                lines += _dated(start, wall, Dates(start, wall, 0.0), gap=False)
        found = self._journal[1].read(wall - _HOUR_S, lambda: self._closing)
        if isinstance(found, Unreadable):
            return self._batch(now, wall, note=found.words, reason=found.reason, cadence_s=_JOURNAL_S)
        lines += _dated(found, wall, Dates(found, wall, 0.0), gap=bool(lines) or self._journal[1].gap)
        self._book.read(lines)
        return self._batch(now, wall, cadence_s=_JOURNAL_S)

    def _begun(self, wall: float) -> float | None:
        """When the first of the processes started, epoch seconds."""
        stats = [stat for pid in self._pids() if (stat := read_task_stat(self._base, pid)) is not None]
        text = procfs.read_text(f"{self._base}/proc/uptime")
        uptime = text if isinstance(text, Missing) else procfs.number(text.partition(" ")[0])
        if not stats or isinstance(uptime, Missing):
            return None
        return wall - (uptime - min(stat.start_ticks for stat in stats) / HZ)

    def _batch(
        self,
        now: float,
        wall: float,
        *,
        error: str = "",
        note: str = "",
        reason: Missing | None = None,
        shown: str = "",
        cadence_s: float = 0.0,
    ) -> Batch:
        """What is known; with a reason there is nothing but that."""
        engine = self._engine()
        samples = self._samples(engine, wall) if reason is None else ()
        have = {sample.key.indicator for sample in samples}
        wanted = OOM_SIZES if reason is None else LOGGED
        return Batch(
            self.name,
            self.kind,
            now,
            wall,
            cadence_s or self.cadence_s,
            samples=samples,
            facts=(Fact("engine.log", engine, shown),) if shown else (),
            absences=tuple(Absence(name, engine, reason or Missing.NEVER) for name in wanted if name not in have),
            error=error or None,
            notes=(note,) if note and not error else (),
            gone=self._last_name.left(engine),
            entities=(engine,),
        )

    def _samples(self, engine: Entity, wall: float) -> tuple[Sample, ...]:
        values = {**self._book.facts, **self._book.counts(wall)}
        oom = self._book.last_oom(wall)
        sizes = (oom.request, oom.free, oom.reserved_free) if oom else (None, None, None)
        values |= {name: size for name, size in zip(OOM_SIZES, sizes, strict=True) if size is not None}
        return tuple(Sample(SeriesKey(name, engine, LABELS.get(name, ())), value) for name, value in values.items())


def _lines(pieces: list[Piece], wall: float) -> list[Line]:
    """Lines of one file. Only its end is as old as its last change: that tells in which time zone its dates are."""
    found: list[Line] = []
    last = next((piece for piece in reversed(pieces) if not piece.fresh), None)
    shift_s = Dates(last.data, min(last.written, wall)).shift_s if last is not None else 0.0
    for piece in pieces:
        dates = None if piece.fresh else Dates(piece.data, min(piece.written, wall), shift_s)
        found += _dated(piece.data, wall, dates, gap=piece.gap)
    return found


def _dated(data: bytes, wall: float, dates: Dates | None, *, gap: bool) -> Iterable[Line]:
    """Lines worth a look with their times: as they are dated, or now where they have just come."""
    found: list[Line] = [(dates.of(0) if dates else wall, None)] if gap else []
    return found + [(dates.of(start) if dates else wall, line) for start, line in candidates(data, GATES)]
