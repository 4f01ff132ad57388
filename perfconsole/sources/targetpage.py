"""One target's page over time: which adapter takes it, restarts, age, and the batch that each page becomes.

Pure on bytes and times: live polling and replays of recorded pages go through the same code.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum, isnan
from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity
from perfconsole.model.sample import Absence, Batch, Fact, Missing, Sample, SeriesKey
from perfconsole.sources.exposition import Page, PageError, PageParser
from perfconsole.sources.layer import ENGINE, Layer
from perfconsole.sources.mapping.mapper import PageMapper
from perfconsole.sources.ownpolls import OwnPolls
from perfconsole.sources.turns import ALTERNATING, JUMPING, Turns
from perfconsole.sources.version import within
from perfconsole.sources.whosepage import joined, read_page, recognise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.mapping.mapper import Mapped


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
class TargetFacts:
    """What the info routes, the command line or the user said about a target."""

    version: str = ""
    samples: tuple[tuple[str, float, tuple[tuple[str, str], ...]], ...] = ()
    """Indicator, number, tag."""
    texts: tuple[tuple[str, str], ...] = ()


class TargetPage:
    """Turns the pages of one target into batches. The entity is named once its adapter is known."""

    def __init__(
        self,
        address: str,
        adapters: tuple[Adapter, ...],
        dictionary: Dictionary,
        name: str = "",
        url: str = "",
        layer: Layer = ENGINE,
    ) -> None:
        self.layer = layer
        self._address = address
        self._url = url
        self._given_name = name
        self.adapters = adapters
        self.dictionary = dictionary
        self._parser = PageParser()
        self._mapper: PageMapper | None = None
        self.adapter: Adapter | None = None
        self._turns = Turns()
        self._age = _Age()
        self._own_polls = OwnPolls()
        self._had_own = False
        self._said: frozenset[str] = frozenset()
        self.facts = TargetFacts()
        self.upstreams: frozenset[str] = frozenset()
        """URLs in the labels of the last good page that name what it calls; to find links by, never to be shown."""
        self.named: frozenset[str] = frozenset()
        """Names of upstreams that parts of the last good page carry."""
        self.places: Mapping[str, str] = {}
        """Host and port of those whose names the configuration of the target explains."""
        self._provisional: Entity | None = self.entity

    @property
    def entity(self) -> Entity:
        """The target, `vllm:8000` once known as vLLM; before, just its address."""
        if self._given_name:
            return Entity(self.layer.kind, self._given_name)
        adapter = self.adapter.name if self.adapter and self.layer.named_by_adapter else ""
        return Entity(self.layer.kind, _target_name(adapter, self._address))

    @property
    def source(self) -> str:
        """Name of the source in health lines: the address, which stays the same when the adapter becomes known."""
        return self._given_name or self._address

    def take(self, adapter: Adapter) -> None:
        """Fix the adapter; from here on only its names are parsed."""
        self.adapter = adapter
        self._mapper = PageMapper(adapter, self.dictionary)
        self._parser = PageParser(self._mapper.wanted)

    def batch(self, poll: Poll, beside: Sequence[Page] = ()) -> Batch:
        """The batch of one page, and of those that stand beside it.

        A page that cannot be read or belongs to no known program is an error in words.
        """
        if not poll.body.strip():
            return self.failed(poll, "the page is empty")
        try:
            adapters = (self.adapter,) if self.adapter else self.adapters
            page = read_page(poll.body, self._parser, adapters, openmetrics=poll.openmetrics)
        except PageError as error:
            if self.adapter is None and poll.body.lstrip()[:1] == b"<":
                return self.failed(poll, f"it is a web page: {self.layer.stranger}")
            stranger = "" if self.adapter else f"{self.layer.stranger}; as Prometheus text: "
            return self.failed(poll, f"{stranger}{error}")
        if self.adapter is None:
            found = recognise(page, self.adapters)
            if found is None:
                return self.failed(poll, f"{self.layer.stranger} ({_glimpse(page)})")
            self.take(found)
        return self._mapped(joined(page, *beside), poll)

    def only_beside(self, poll: Poll, beside: Sequence[Page], note: str) -> Batch:
        """The batch of a target whose page is switched off, of what the pages beside it say."""
        batch = self._mapped(joined(*beside), poll)
        return batch if batch.error is not None else replace(batch, notes=(note,))  # what is missing is no news then

    def failed(self, poll: Poll, error: str) -> Batch:
        """The batch of a poll that gave nothing usable."""
        self._said = frozenset()
        return Batch(
            self.source,
            self.layer.page_kind,
            poll.t,
            poll.wall,
            poll.cadence_s,
            facts=tuple(Fact(name, self.entity, text) for name, text in self._place()),
            took_s=poll.took_s,
            error=error,
            gone=self._superseded(),
            entities=(self.entity,),
        )

    def absent(self, poll: Poll, note: str) -> Batch:
        """The batch of a target that has no page, which is no fault: a remark in place of values."""
        rows = {name for a in self.adapters for name in (*a.unexported, *(m.indicator for m in a.metrics))}
        due = sorted(rows | self.dictionary.of_pages(self.entity.kind))
        return replace(
            self.failed(poll, ""),
            error=None,
            notes=(note,),
            absences=tuple(Absence(name, self.entity, Missing.NOT_EXPORTED) for name in due),
        )

    def says(self, indicator: str) -> bool:
        """The last page that came had the indicator, and no poll has failed since."""
        return indicator in self._said

    @property
    def settled(self) -> bool:
        """The entity has its final name."""
        return bool(self._given_name) or self.adapter is not None or not self.layer.named_by_adapter

    def _superseded(self) -> tuple[Entity, ...]:
        """The provisional name, once, in the first batch after the adapter became known."""
        if self.adapter is None or self._provisional is None:
            return ()
        before, self._provisional = self._provisional, None
        return (before,) if before != self.entity else ()

    def _mapped(self, page: Page, poll: Poll) -> Batch:
        assert self._mapper is not None  # noqa: S101 - set by take()
        assert self.adapter is not None  # noqa: S101 - set by take()
        target = self.entity
        started = _first(page, self.adapter.started)
        if self._turns.alternate(started, poll.t):
            return self.failed(poll, ALTERNATING)
        restarted = self._turns.others(started)
        if restarted:
            self._mapper.restart()
        mapped = self._mapper.map(page, target, self.facts.version)
        if mapped.own_series == 0 and self._had_own:
            return self.failed(poll, f"the page no longer has {self.adapter.title}'s series: what answers here now?")
        if started is None and self._turns.jump(_total(mapped, self.layer.moves), poll.t):
            return self.failed(poll, JUMPING)
        self._turns.use(started)
        self._had_own = mapped.own_series > 0
        self.upstreams, self.named = mapped.upstreams, mapped.named
        self._said = frozenset(sample.key.indicator for sample in mapped.samples)
        samples = mapped.samples
        if mapped.counts_polls:
            samples = self._own_polls.without(samples, self.layer.moves)
        silent = () if self._had_own else (self.adapter.silent_hint,)
        prefix = self.layer.name("upstream")
        named = ((f"{prefix}.{name}", place) for name, place in self.places.items() if name in self.named)
        return Batch(
            self.source,
            self.layer.page_kind,
            poll.t,
            poll.wall,
            poll.cadence_s,
            samples=(*samples, *self._own_samples(page, poll, target)),
            facts=tuple(Fact(name, target, text) for name, text in (*self.facts.texts, *self._place(), *named)),
            links=mapped.links,
            absences=mapped.absences,
            took_s=poll.took_s,
            notes=(*mapped.notes, *silent),
            gone=self._superseded(),
            restarted=(target,) if restarted else (),
            entities=(target,),
        )

    def _place(self) -> tuple[tuple[str, str], ...]:
        """What the target is, and where, for the commands of checks; a recording is nowhere."""
        port = self._address.rpartition(":")[2]
        where = ((self.layer.name("url"), self._url), (self.layer.name("port"), port)) if self._url else ()
        named = where and self.adapter is not None and self.layer is not ENGINE  # an engine's name and version say it
        return (*where, (self.layer.name("adapter"), self.adapter.title)) if named and self.adapter else where

    def _own_samples(self, page: Page, poll: Poll, target: Entity) -> list[Sample]:
        """Facts of the info routes, and what its layer knows of uptime, age of the page and cost of the poll."""
        found = [(name, value, tag) for name, value, tag in self.facts.samples]
        if poll.took_s > 0:  # a recording need not say what its polls took
            found.append((self.layer.name("scrape_time"), poll.took_s, ()))
        started = _first(page, self.adapter.started if self.adapter else ())
        if started is not None:
            found.append((self.layer.name("uptime"), max(0.0, poll.wall - started), ()))
        age = self._age.at(_first(page, self.adapter.moving if self.adapter else ()), poll.t)
        if age is not None:
            found.append((self.layer.name("metrics_age"), age, ()))
        known = ((name, value, tag) for name, value, tag in found if self.dictionary.find(name))
        return [Sample(SeriesKey(name, target, tag), value) for name, value, tag in known]


class _Age:
    """Age of a page by a sample that moves whenever it is built anew; the only writer of when it last moved."""

    def __init__(self) -> None:
        self._moved: tuple[float, float] | None = None

    def at(self, value: float | None, t: float) -> float | None:
        """Seconds since the sample last moved; None when the page has none."""
        if value is None:
            return None
        if self._moved is None or self._moved[0] != value:
            self._moved = (value, t)
        return max(0.0, t - self._moved[1])


def _first(page: Page, names: tuple[str, ...]) -> float | None:
    """Smallest value of the first of the names that the page has."""
    for name in names:
        values = [value for place in page.places(name) if not isnan(value := page.values[place])]
        if values:
            return min(values)
    return None


def default_facts(
    adapter: Adapter, version: str, stated: set[str]
) -> tuple[tuple[str, float, tuple[tuple[str, str], ...]], ...]:
    """Defaults that only some releases have, this one among them, for facts that nothing else stated."""
    return tuple(
        (d.indicator, d.value, d.tag)
        for d in adapter.defaults
        if d.until and d.indicator not in stated and within(version, "", d.until)
    )


def _target_name(adapter: str, address: str) -> str:
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
