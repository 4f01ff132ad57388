"""A host for the benchmarks: 16 engines on 8 GPUs behind 2 gateways, every indicator of a busy healthy host filled."""

from __future__ import annotations

from pathlib import Path

import yaml

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Batch, Sample, SeriesKey

HOSTS = Path(__file__).parent.parent / "hosts" / "healthy-hosts.yaml"
HEALTHY: dict[str, float | list[float]] = yaml.safe_load(HOSTS.read_text())["healthy-busy"]
OVERLOADED = {
    "engine.requests_running": 230.0,
    "engine.requests_waiting": 300.0,
    "engine.http_inflight": 531.0,
    "engine.batch_fill": 0.9,
    "engine.rank_running": 230.0,
    "engine.kv_cache_usage": 0.97,
    "engine.rank_kv_cache_usage": 0.97,
    "engine.preemption_ratio": 0.08,
    "engine.ttft.p50": 20.0,
    "engine.ttft.p95": 60.0,
    "engine.ttft.p99": 90.0,
    "engine.queue_time.p95": 50.0,
    "engine.itl.p50": 0.03,
    "engine.itl.p90": 0.07,
    "engine.itl.p99": 0.1,
    "engine.tpot.p90": 0.07,
    "engine.scheduler_itl": 0.038,
}
"""What an overloaded engine has instead."""


class World:
    """So many engines, half as many GPUs, an eighth as many gateways and one host, polled once a second."""

    def __init__(self, engines: int = 16) -> None:
        self.host = Entity(Kind.HOST, "h")
        self.engines = [Entity(Kind.ENGINE, f"e{i:03}") for i in range(engines)]
        self.ranks = [Entity(Kind.RANK, f"{e.name}/{i}") for e in self.engines for i in range(2)]
        self.gpus = [Entity(Kind.GPU, str(i)) for i in range(engines // 2)]
        self.processes = [Entity(Kind.PROCESS, str(4000 + i)) for i in range(engines)]
        self.gateways = [Entity(Kind.GATEWAY, f"g{i}") for i in range(max(1, engines // 8))]
        self.entities = [self.host, *self.engines, *self.ranks, *self.gpus, *self.processes, *self.gateways]
        self.links = tuple(self._links())

    def _links(self) -> list[Link]:
        links = [Link(Relation.HOST_HAS, self.host, e) for e in self.entities[1:]]
        for i, engine in enumerate(self.engines):
            links += [Link(Relation.ENGINE_HAS_RANK, engine, rank) for rank in self.ranks[2 * i : 2 * i + 2]]
            links.append(Link(Relation.ENGINE_USES_GPU, engine, self.gpus[i // 2]))
            links.append(Link(Relation.ENGINE_HAS_PROCESS, engine, self.processes[i], "frontend"))
            links.append(Link(Relation.GATEWAY_TO_ENGINE, self.gateways[i % len(self.gateways)], engine))
        return links

    def batch(self, t: float, troubled: float) -> Batch:
        """One poll in which this share of the engines is overloaded; every value moves a little from tick to tick."""
        sick = set(self.engines[: round(troubled * len(self.engines))])
        samples = []
        for entity in self.entities:
            for name, value in self._values(entity, entity in sick).items():
                samples.append(Sample(SeriesKey(name, entity), _moved(value, t)))
        return Batch("bench", "bench", t, t, 1.0, samples=tuple(samples), links=self.links, took_s=0.0)

    def _values(self, entity: Entity, sick: bool) -> dict[str, float]:  # noqa: FBT001 - a fact of the entity
        found = {}
        for name, value in HEALTHY.items():
            entry = DEFAULT.find(name)
            if entry is not None and entry.scope is entity.kind:
                found[name] = value if isinstance(value, (int, float)) else value[0]
        return {**found, **OVERLOADED} if sick else found


def _moved(value: float, t: float) -> float:
    """Shares and latencies move by a thousandth, counts and switches stand still."""
    return float(value) if value == int(value) else value * (1 + (t % 3) / 1000)
