"""One engine's page over time: which adapter takes it, restarts, age, and the batch that each page becomes.

Pure on bytes and times: live polling and replays of recorded pages go through the same code.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, isnan
from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Batch, Fact, Sample, SeriesKey
from perfconsole.sources.exposition import PageError, PageParser
from perfconsole.sources.mapping import PageMapper
from perfconsole.sources.turns import ALTERNATING, JUMPING, Turns
from perfconsole.sources.version import within

if TYPE_CHECKING:
    from perfconsole.model.dictionary import Dictionary
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.exposition import Page
    from perfconsole.sources.mapping import Mapped

KIND = "metrics page"
_COUNTER = "engine.generation_tokens"


@dataclass(frozen=True, slots=True)
class Poll:
    """One fetched page and its moment."""

    body: bytes
    openmetrics: bool
    t: float
    wall: float
    took_s: float
    cadence_s: float


@dataclass(slots=True)
class EngineFacts:
    """What the info routes, the command line or the user said about an engine."""

    version: str = ""
    samples: tuple[tuple[str, float, tuple[tuple[str, str], ...]], ...] = ()
    """Indicator, number, tag."""
    texts: tuple[tuple[str, str], ...] = ()


class EnginePage:
    """Turns the pages of one engine into batches. The engine's entity is named once its adapter is known."""

    def __init__(
        self, address: str, adapters: tuple[Adapter, ...], dictionary: Dictionary, name: str = "", url: str = ""
    ) -> None:
        self._address = address
        self._url = url
        self._given_name = name
        self.adapters = adapters
        self._dictionary = dictionary
        self._parser = PageParser()
        self._mapper: PageMapper | None = None
        self.adapter: Adapter | None = None
        self._turns = Turns()
        self._moving: tuple[float, float] | None = None
        self._had_own = False
        self.facts = EngineFacts()
        self._provisional: Entity | None = self.entity

    @property
    def entity(self) -> Entity:
        """The engine, `vllm:8000` once known as vLLM; before, just its address."""
        if self._given_name:
            return Entity(Kind.ENGINE, self._given_name)
        return Entity(Kind.ENGINE, _engine_name(self.adapter.name if self.adapter else "", self._address))

    @property
    def source(self) -> str:
        """Name of the source in health lines: the address, which stays the same when the adapter becomes known."""
        return self._given_name or self._address

    def take(self, adapter: Adapter) -> None:
        """Fix the adapter; from here on only its names are parsed."""
        self.adapter = adapter
        self._mapper = PageMapper(adapter, self._dictionary)
        self._parser = PageParser(self._mapper.wanted)

    def recognise(self, page: Page) -> Adapter | None:
        """The adapter whose own series are on the page, with the label that only the program itself sets."""
        for adapter in self.adapters:
            own = [s for s in page.series if s.name.startswith(adapter.prefixes)]
            if own and (not adapter.requires_label or any(adapter.requires_label in dict(s.labels) for s in own)):
                return adapter
        return None

    def batch(self, poll: Poll) -> Batch:
        """The batch of one page; a page that cannot be read or belongs to no known engine is an error in words."""
        if not poll.body.strip():
            return self.failed(poll, "the page is empty")
        try:
            page = self._parser.parse(poll.body, openmetrics=poll.openmetrics)
        except PageError as error:
            stranger = "" if self.adapter else "no engine that is known here has such a page; as Prometheus text: "
            return self.failed(poll, f"{stranger}{error}")
        if self.adapter is None:
            found = self.recognise(page)
            if found is None:
                return self.failed(poll, f"no engine that is known here has such a page ({_glimpse(page)})")
            self.take(found)
        return self._mapped(page, poll)

    def failed(self, poll: Poll, error: str) -> Batch:
        """The batch of a poll that gave nothing usable."""
        return Batch(
            self.source,
            KIND,
            poll.t,
            poll.wall,
            poll.cadence_s,
            facts=tuple(Fact(name, self.entity, text) for name, text in self._place()),
            took_s=poll.took_s,
            error=error,
            gone=self._superseded(),
            entities=(self.entity,),
        )

    def _superseded(self) -> tuple[Entity, ...]:
        """The provisional name, once, in the first batch after the adapter became known."""
        if self.adapter is None or self._provisional is None:
            return ()
        before, self._provisional = self._provisional, None
        return (before,) if before != self.entity else ()

    def _mapped(self, page: Page, poll: Poll) -> Batch:
        assert self._mapper is not None  # noqa: S101 - set by take()
        assert self.adapter is not None  # noqa: S101 - set by take()
        engine = self.entity
        started = self._first(page, self.adapter.started)
        if self._turns.alternate(started, poll.t):
            return self.failed(poll, ALTERNATING)
        restarted = self._turns.others(started)
        if restarted:
            self._mapper.restart()
        mapped = self._mapper.map(page, engine, self.facts.version)
        if mapped.own_series == 0 and self._had_own:
            return self.failed(poll, f"the page no longer has {self.adapter.title}'s series: what answers here now?")
        if started is None and self._turns.jump(_total(mapped, _COUNTER), poll.t):
            return self.failed(poll, JUMPING)
        self._turns.use(started)
        self._had_own = mapped.own_series > 0
        silent = () if self._had_own else (self.adapter.silent_hint,)
        return Batch(
            self.source,
            KIND,
            poll.t,
            poll.wall,
            poll.cadence_s,
            samples=(*mapped.samples, *self._own_samples(page, poll, engine)),
            facts=tuple(Fact(name, engine, text) for name, text in (*self.facts.texts, *self._place())),
            links=mapped.links,
            absences=mapped.absences,
            took_s=poll.took_s,
            notes=(*mapped.notes, *silent),
            gone=self._superseded(),
            restarted=(engine,) if restarted else (),
            entities=(engine,),
        )

    def _place(self) -> tuple[tuple[str, str], ...]:
        """Where the engine is, for the commands of checks; a recording is nowhere."""
        port = self._address.rpartition(":")[2]
        return (("engine.url", self._url), ("engine.port", port)) if self._url else ()

    def _own_samples(self, page: Page, poll: Poll, engine: Entity) -> list[Sample]:
        """Facts of the info routes, uptime, age of the page and what the poll cost."""
        found = [(name, value, tag) for name, value, tag in self.facts.samples]
        if poll.took_s > 0:  # a recording need not say what its polls took
            found.append(("engine.scrape_time", poll.took_s, ()))
        started = self._first(page, self.adapter.started if self.adapter else ())
        if started is not None:
            found.append(("engine.uptime", max(0.0, poll.wall - started), ()))
        age = self._age(page, poll.t)
        if age is not None:
            found.append(("engine.metrics_age", age, ()))
        return [Sample(SeriesKey(name, engine, tag), value) for name, value, tag in found]

    @staticmethod
    def _first(page: Page, names: tuple[str, ...]) -> float | None:
        """Smallest value of the first of the names that the page has."""
        for name in names:
            values = [v for s, v in zip(page.series, page.values, strict=True) if s.name == name and not isnan(v)]
            if values:
                return min(values)
        return None

    def _age(self, page: Page, t: float) -> float | None:
        """Seconds since a sample that moves with every page last moved; None when the page has none."""
        value = self._first(page, self.adapter.moving if self.adapter else ())
        if value is None:
            return None
        if self._moving is None or self._moving[0] != value:
            self._moving = (value, t)
        return max(0.0, t - self._moving[1])


def default_facts(
    adapter: Adapter, version: str, stated: set[str]
) -> tuple[tuple[str, float, tuple[tuple[str, str], ...]], ...]:
    """Defaults that only some releases have, this one among them, for facts that nothing else stated."""
    return tuple(
        (d.indicator, d.value, d.tag)
        for d in adapter.defaults
        if not d.for_all and d.indicator not in stated and within(version, d.since, d.until)
    )


def _engine_name(adapter: str, address: str) -> str:
    """`vllm:8000` on this host, `vllm@gpu-07:8000` elsewhere, `vllm` in a recording, the address while unknown."""
    host, colon, port = address.rpartition(":")
    if not adapter:
        return address
    if not colon:
        return adapter
    local = host in ("localhost", "127.0.0.1", "::1", "[::1]")
    return f"{adapter}:{port}" if local else f"{adapter}@{address}"


def _total(mapped: Mapped, indicator: str) -> float | None:
    """Sum of all parts of a counter, None when the page has none."""
    parts = [s.value for s in mapped.samples if s.key.indicator == indicator and isinstance(s.value, float)]
    return fsum(parts) if parts else None


def _glimpse(page: Page) -> str:
    names = sorted({s.name for s in page.series})
    return f"it has {len(names)} names, e.g. {', '.join(names[:3])}" if names else "it has no samples"
