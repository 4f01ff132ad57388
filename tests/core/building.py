"""Batches by hand, and a small session without rules: a store, a history and the frames over them."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from perfconsole.core.formulas import FORMULAS
from perfconsole.core.frame import Frame
from perfconsole.core.history import History
from perfconsole.core.store import SeriesStore
from perfconsole.core.topology import Topology
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Batch, Histogram, Missing, Sample, SeriesKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfconsole.model.sample import Value

ENGINE = Entity(Kind.ENGINE, "vllm:8000")
OTHER = Entity(Kind.ENGINE, "vllm:8001")
GATEWAY = Entity(Kind.GATEWAY, "nginx")
HOST = Entity(Kind.HOST, "gpu-07")
PROCESS = Entity(Kind.PROCESS, "4312")
GPU = Entity(Kind.GPU, "0")

BOUNDS = (0.1, 0.5, 1.0, inf)


def sample(name: str, value: Value, entity: Entity = ENGINE, /, **labels: str) -> Sample:
    """One sample; keywords are its labels."""
    return Sample(SeriesKey(name, entity, tuple(labels.items())), value)


def page(t: float, *samples: Sample, source: str = "page", cadence_s: float = 1.0) -> Batch:
    """A poll that worked."""
    return Batch(source, "metrics page", t, t, cadence_s, samples=samples, took_s=0.01)


def failed(t: float, *samples: Sample, source: str = "page", entity: Entity = ENGINE) -> Batch:
    """A poll that failed, perhaps with what could be observed of the failure."""
    return Batch(
        source, "metrics page", t, t, 1.0, samples=samples, took_s=0.01, error="connection refused", entities=(entity,)
    )


def histogram(*counts: float, total: float = 0.0, bounds: tuple[float, ...] = BOUNDS) -> Histogram:
    """A histogram over four buckets from its cumulative counts."""
    return Histogram(bounds, counts, total)


def known(value: float | Missing | None) -> float:
    """The value, which must be there."""
    assert value is not None
    assert not isinstance(value, Missing), value
    return value


class World:
    """A store with its history and topology, as a session keeps them."""

    def __init__(self, run_s: float | None = None) -> None:
        self.store = SeriesStore(DEFAULT)
        self.history = History()
        self.topology = Topology()
        self.run_s = run_s

    def apply(self, *batches: Batch) -> None:
        """Take in polls."""
        for batch in batches:
            self.store.apply(batch)

    def play(
        self, values: Mapping[str, Iterable[float | None]], start: float = 0.0, step_s: float = 1.0, **labels: str
    ) -> float:
        """Poll the engine with rows of values, None being a gap; the time of the last poll."""
        rows = [list(row) for row in values.values()]
        t = start
        for place in range(max(len(row) for row in rows)):
            t = start + place * step_s
            cells = [(name, row[place]) for name, row in zip(values, rows, strict=True)]
            self.apply(page(t, *(sample(n, v, **labels) for n, v in cells if v is not None), cadence_s=step_s))
        return t

    def frame(self, t: float) -> Frame:
        """What a tick at t sees."""
        return Frame(t, self.store, self.history, self.topology, DEFAULT, FORMULAS, self.run_s)

    def value(self, name: str, t: float, entity: Entity = ENGINE) -> float | Missing:
        """One indicator at t."""
        return self.frame(t).value(name, entity)


def growth(
    world: World, t: float, name: str = "engine.generation_tokens", window_s: float = 60.0
) -> tuple[float, float] | Missing:
    """First cell and seconds of an increase."""
    found = world.store.increase(name, ENGINE, (t - window_s, t))
    return found if isinstance(found, Missing) else (found.cells[0], found.seconds)


def after(seconds: float, *grown: Sample, now: tuple[Sample, ...] = ()) -> World:
    """An engine whose counters stood at 0 at second 0 and at these values at `seconds`."""
    world = World()
    zeros = [sample(s.key.indicator, 0.0, **dict(s.key.labels)) for s in grown]
    world.apply(page(0.0, *zeros, cadence_s=seconds), page(seconds, *grown, *now, cadence_s=seconds))
    return world


ITL = "engine.itl"


def itl(*pages: Histogram, step_s: float = 1.0) -> World:
    """An engine whose ITL histogram was polled so."""
    world = World()
    for i, hist in enumerate(pages):
        world.apply(page(i * step_s, sample(ITL, hist), cadence_s=step_s))
    return world
