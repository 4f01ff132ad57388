"""The GPUs of this host as a DCGM exporter sees them: what NVML does not say now, and the profiling figures.

An exporter reads its GPUs every 30 s unless told otherwise, so that NVML's own figures are preferred where there are
any. Never takes an exporter's number of a GPU for NVML's while the UUID can tell them apart.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Batch, Fact, Sample, SeriesKey
from perfconsole.sources import dcgmpage
from perfconsole.sources.dcgmpage import ENGINE_ACTIVE, Card
from perfconsole.sources.exposition import PageError, PageParser
from perfconsole.sources.health import status_text
from perfconsole.sources.http import FetchError
from perfconsole.sources.throttles import THROTTLES
from perfconsole.sources.web.failure import printable
from perfconsole.sources.xid import XidLog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfconsole.clock import Clock
    from perfconsole.sources.http import Fetcher, Reply

DEFAULT_PORT = 9400
MOST_GPUS = 64
_FROM_DCGM = (("source", "dcgm"),)
_HELD_S = 60.0


class DcgmSource:
    """Polls one exporter on this host.

    `nvml_has` gives the indicators and names of GPUs that NVML fills now, `indices` the names of GPUs by UUID.
    """

    kind = "gpu page"
    cadence_s = 5.0
    """Its figures are 30 s old at most before the poll; every 5 s sees a new one soon and costs next to nothing."""
    deadline_s = 15.0

    def __init__(
        self,
        address: str,
        fetcher: Fetcher,
        *,
        indices: Callable[[], Mapping[str, str]],
        nvml_has: Callable[[], frozenset[tuple[str, str]]],
        host: Entity | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.name = f"dcgm {address}"
        self._fetcher = fetcher
        self._indices = indices
        self._nvml_has = nvml_has
        self._host = host
        self._clock = clock or SystemClock()
        self._parser = PageParser(dcgmpage.wanted)
        self._ratio_scale: float | None = None
        self._xids = _Xids()
        self._held: dict[str, deque[tuple[float, int]]] = {}

    def poll(self, now: float, wall: float) -> tuple[Batch, ...]:
        """One poll, for the monitor: always one batch."""
        reply: Reply | str
        try:
            reply = self._fetcher.get("/metrics")
        except FetchError as error:
            reply = str(error)
        t = self._clock.now()
        found = reply if isinstance(reply, str) else self._cards(reply)
        if isinstance(found, str):
            took = t - now
            return (Batch(self.name, self.kind, t, wall + took, self.cadence_s, took_s=took, error=found),)
        return (self._batch(*found, t, wall + t - now, t - now),)

    def interrupt(self) -> None:
        """Break a poll in flight; callable from any thread."""
        self._fetcher.interrupt()

    def close(self) -> None:
        """Let go of the connection."""
        self._fetcher.close()

    def _cards(self, reply: Reply) -> tuple[list[Card], bool] | str:
        """GPUs of a page and whether some are split, or why it is no page of an exporter."""
        if reply.status != 200:
            return status_text(reply.status, reply.url, "DCGM exporter")
        try:
            page = self._parser.parse(reply.body, openmetrics="openmetrics" in reply.content_type)
        except PageError as error:
            return str(error)
        if not page.series:
            return "its page has no series of a DCGM exporter"
        found, split = dcgmpage.cards(page)
        return found[:MOST_GPUS], split

    def _batch(self, cards: list[Card], split: bool, t: float, wall: float, took_s: float) -> Batch:  # noqa: FBT001 - what one page said
        self._ratio_scale = dcgmpage.ratio_scale(cards, self._ratio_scale)
        indices, nvml_has = self._indices(), self._nvml_has()
        placed = [(card, _gpu(card, indices)) for card in cards]
        known = [(card, gpu) for card, gpu in placed if gpu is not None]
        notes = [*self._xids.notes(known), *_strangers(placed)]
        if split:
            notes.append("figures of MIG instances are left out: they are not those of a whole GPU")
        return Batch(
            self.name,
            self.kind,
            t,
            wall,
            self.cadence_s,
            samples=tuple(s for card, gpu in known for s in self._samples(card, gpu, nvml_has, t)),
            facts=tuple(fact for card, gpu in known if card.uuid not in indices for fact in _facts(card, gpu)),
            links=tuple(Link(Relation.HOST_HAS, self._host, gpu) for _, gpu in known if self._host),
            took_s=took_s,
            notes=tuple(notes),
            entities=tuple(gpu for _, gpu in known),
        )

    def _samples(self, card: Card, gpu: Entity, nvml_has: frozenset[tuple[str, str]], t: float) -> list[Sample]:
        """What NVML does not say now; that the engine is active stands beside NVML's word, as a part of its own."""
        found = {
            **dcgmpage.values(card, self._ratio_scale),
            **self._shares(card, gpu, t),
            **self._xids.read(card, gpu.name, t),
        }
        active = found.pop(ENGINE_ACTIVE, None)
        samples = [Sample(SeriesKey(n, gpu), v) for n, v in found.items() if (n, gpu.name) not in nvml_has]
        if active is not None:
            samples.append(Sample(SeriesKey(ENGINE_ACTIVE, gpu, _FROM_DCGM), active))
        return samples

    def _shares(self, card: Card, gpu: Entity, t: float) -> dict[str, float]:
        """Share of the polls of the last minute at which each reason held its clocks down."""
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


def _gpu(card: Card, indices: Mapping[str, str]) -> Entity | None:
    """The GPU that NVML has under this UUID; its number where NVML has none of that number."""
    if card.uuid in indices:
        return Entity(Kind.GPU, indices[card.uuid])
    plain = card.number.isascii() and card.number.isdecimal() and len(card.number) <= 3
    usable = plain and card.number not in indices.values()
    return Entity(Kind.GPU, card.number) if usable else None


def _strangers(placed: list[tuple[Card, Entity | None]]) -> list[str]:
    names = [printable(card.number or "without a number") for card, gpu in placed if gpu is None]
    return [f"the exporter's GPU {name} is none that NVML shows here: left out" for name in names]


def _facts(card: Card, gpu: Entity) -> list[Fact]:
    texts = (("gpu.name", card.model), ("gpu.uuid", card.uuid))
    return [Fact(name, gpu, printable(text)) for name, text in texts if text]
