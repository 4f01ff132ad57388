"""The GPUs on the pages of one DCGM exporter, page after page: figures, Xids, and what holds their clocks down.

Never takes an exporter's number of a GPU for NVML's while the UUID can tell them apart, nor one elsewhere for one here.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Fact, Missing, Sample, SeriesKey
from perfconsole.sources import dcgmpage
from perfconsole.sources.dcgmpage import ENGINE_ACTIVE, HELD_NS, RECOVERIES, Card
from perfconsole.sources.exporters.told import Told
from perfconsole.sources.linux.rates import EventCount, Window
from perfconsole.sources.throttles import THROTTLES
from perfconsole.sources.web.failure import printable
from perfconsole.sources.xid import XidLog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfconsole.sources.exposition import Page

MOST_GPUS = 64
_FROM_DCGM = (("source", "dcgm"),)
_HELD_S = 60.0
_HELD_LEAST_S = 30.0
"""Exporters read their GPUs every 30 s: of a shorter stretch they may say all or nothing."""
_NS = 1e9


class CardReader:
    """Reads the pages of one exporter; this object alone remembers what was on those before.

    `indices` gives the names of GPUs by UUID and `nvml_has` the indicators and names of GPUs that NVML fills now.
    """

    def __init__(
        self,
        indices: Callable[[], Mapping[str, str]] = dict,
        nvml_has: Callable[[], frozenset[tuple[str, str]]] = frozenset,
    ) -> None:
        self._indices = indices
        self._nvml_has = nvml_has
        self._ratio_scale: float | None = None
        self._xids = _Xids()
        self._held: dict[str, deque[tuple[float, int]]] = {}
        self._held_ns: dict[tuple[str, str], Window] = {}
        self._recoveries: dict[str, EventCount] = {}

    def read(self, page: Page, t: float, host: Entity | None, *, elsewhere: bool = False) -> Told:
        """What a page says of each whole GPU at `t`; those of a host `elsewhere` carry its name, as in `gpu-07/0`."""
        found, split = dcgmpage.cards(page)
        found = found[:MOST_GPUS]
        self._ratio_scale = dcgmpage.ratio_scale(found, self._ratio_scale)
        indices, nvml_has = self._indices(), self._nvml_has()
        prefix = f"{host.name}/" if elsewhere and host else ""
        placed = [(card, _gpu(card, indices, prefix)) for card in found]
        known = [(card, gpu) for card, gpu in placed if gpu is not None]
        notes = [*self._xids.notes(known), *_strangers(placed)]
        if split:
            notes.append("figures of MIG instances are left out: they are not those of a whole GPU")
        return Told(
            tuple(gpu for _, gpu in known),
            tuple(s for card, gpu in known for s in self._samples(card, gpu, nvml_has, t)),
            facts=tuple(fact for card, gpu in known if card.uuid not in indices for fact in _facts(card, gpu)),
            links=tuple(Link(Relation.HOST_HAS, host, gpu) for _, gpu in known if host),
            notes=tuple(notes),
        )

    def _samples(self, card: Card, gpu: Entity, nvml_has: frozenset[tuple[str, str]], t: float) -> list[Sample]:
        """What NVML does not say now; that the engine is active stands beside NVML's word, as a part of its own."""
        found = {
            **dcgmpage.values(card, self._ratio_scale),
            **self._shares(card, gpu, t),
            **self._recovered(card, gpu, t),
            **self._xids.read(card, gpu.name, t),
        }
        active = found.pop(ENGINE_ACTIVE, None)
        samples = [Sample(SeriesKey(n, gpu), v) for n, v in found.items() if (n, gpu.name) not in nvml_has]
        if active is not None:
            samples.append(Sample(SeriesKey(ENGINE_ACTIVE, gpu, _FROM_DCGM), active))
        return samples

    def _shares(self, card: Card, gpu: Entity, t: float) -> dict[str, float]:
        """Share of the last minute in which each reason held its clocks down: of its time, else of the polls."""
        return {**self._polled(card, gpu, t), **self._timed(card, gpu, t)}

    def _timed(self, card: Card, gpu: Entity, t: float) -> dict[str, float]:
        found = {name: total for name, names in HELD_NS.items() if (total := card.first(*names)) is not None}
        windows = {name: self._held_ns.setdefault((gpu.name, name), Window(_HELD_S, _HELD_LEAST_S)) for name in found}
        grown = {name: windows[name].add(t, total) for name, total in found.items()}
        return {name: min(1.0, g.rises[0] / _NS / g.elapsed_s) for name, g in grown.items() if g is not None}

    def _recovered(self, card: Card, gpu: Entity, t: float) -> dict[str, float]:
        """Recoveries of its links in the last hour, counted from the first page on."""
        total = card.first(*RECOVERIES)
        if total is None:
            return {}
        count = self._recoveries.setdefault(gpu.name, EventCount()).add(t, total)
        return {} if isinstance(count, Missing) else {"gpu.nvlink_recoveries": count}

    def _polled(self, card: Card, gpu: Entity, t: float) -> dict[str, float]:
        if card.reasons is None:
            return {}
        held = self._held.setdefault(gpu.name, deque())
        held.append((t, card.reasons))
        while held[0][0] <= t - _HELD_S:
            held.popleft()
        return {name: sum(bool(bits & bit) for _, bits in held) / len(held) for name, bit in THROTTLES.items()}


class _Xids:
    """Xids of each GPU by what page after page says; the only writer of what was on the last one."""

    def __init__(self) -> None:
        self._log = XidLog()
        self._counted: dict[tuple[str, int], float] = {}
        self._last: dict[str, int] = {}
        self._found: dict[str, int] = {}
        """Xids that were there at the first look."""

    def read(self, card: Card, gpu: str, t: float) -> dict[str, float]:
        """How many of each class in the last hour; nothing while all there is was there at the first look.

        An exporter keeps the last one for good. It may be of this minute or of last month: 0 would be as wrong as 1.
        """
        if card.xid_counts is not None:
            self._count(gpu, card.xid_counts, t)
        elif card.xid_last is not None:
            self._watch(gpu, card.xid_last, t)
            if card.xid_last and card.xid_last == self._found.get(gpu):
                return {}
        else:
            return {}
        return self._log.counts(gpu, t)

    def notes(self, known: list[tuple[Card, Entity]]) -> list[str]:
        """A remark about each last Xid whose time nobody knows."""
        old = [(gpu, card.xid_last) for card, gpu in known if card.xid_counts is None and card.xid_last]
        return [
            f"GPU {gpu.name}: its last Xid is {xid}, and the exporter does not say when that came"
            for gpu, xid in old
            if self._found.get(gpu.name, xid) == xid
        ]

    def _count(self, gpu: str, counts: dict[int, float], t: float) -> None:
        """The exporter's window slides, so that only a rise is news."""
        for xid, count in counts.items():
            more = int(count - self._counted.get((gpu, xid), 0.0))
            if more > 0:
                self._log.add(gpu, xid, t, more)
        self._counted = {key: n for key, n in self._counted.items() if key[0] != gpu}
        self._counted |= {(gpu, xid): count for xid, count in counts.items()}

    def _watch(self, gpu: str, xid: int, t: float) -> None:
        """It holds the last number for good, so that only another one is news."""
        before = self._last.get(gpu)
        self._last[gpu] = xid
        if before is None:
            self._found[gpu] = xid
        if xid and before is not None and xid != before:
            self._log.add(gpu, xid, t)


def _gpu(card: Card, indices: Mapping[str, str], prefix: str) -> Entity | None:
    """The GPU that NVML has under this UUID; its number where NVML has none of that number."""
    if card.uuid in indices:
        return Entity(Kind.GPU, indices[card.uuid])
    plain = card.number.isascii() and card.number.isdecimal() and len(card.number) <= 3
    usable = plain and card.number not in indices.values()
    return Entity(Kind.GPU, f"{prefix}{card.number}") if usable else None


def _strangers(placed: list[tuple[Card, Entity | None]]) -> list[str]:
    names = [printable(card.number or "without a number") for card, gpu in placed if gpu is None]
    return [f"the exporter's GPU {name} is none that NVML shows here: left out" for name in names]


def _facts(card: Card, gpu: Entity) -> list[Fact]:
    texts = (("gpu.name", card.model), ("gpu.uuid", card.uuid))
    return [Fact(name, gpu, printable(text)) for name, text in texts if text]
