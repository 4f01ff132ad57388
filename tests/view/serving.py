"""A made-up machine that serves: one engine whose batch is full, its GPUs, its host, and what a test adds."""

from __future__ import annotations

from math import inf, sin
from typing import TYPE_CHECKING

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Fact, Missing
from perfconsole.model.snapshot import Baseline, Indicator
from perfconsole.view.glyphs import UNICODE
from perfconsole.view.picture import Picture
from tests.view.pictures import ENGINE, HOST, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.view.glyphs import Glyphs

GATEWAY = Entity(Kind.GATEWAY, "litellm:4000")
AGENT = Entity(Kind.ORCHESTRATOR, "agent.py")
Values = dict[str, "float | Missing"]

ENGINE_VALUES: Values = {
    "engine.up": 1.0,
    "engine.requests_running": 32.0,
    "engine.requests_waiting": 80.0,
    "engine.max_num_seqs": 32.0,
    "engine.batch_fill": 1.0,
    "engine.kv_cache_usage": 0.52,
    "engine.generation_rate": 1900.0,
    "engine.prompt_rate": 3200.0,
    "engine.request_rate": 5.1,
    "engine.preemption_ratio": 0.0,
    "engine.ttft.p50": 1.2,
    "engine.ttft.p95": 2.5,
    "engine.ttft.p99": 3.1,
    "engine.ttft.mean": 1.6,
    "engine.itl.p50": 0.038,
    "engine.itl.p95": 0.044,
    "engine.itl.p99": 0.051,
    "engine.queue_time.mean": 1.5,
    "engine.prefill_time.mean": 0.03,
    "engine.decode_time.mean": 0.7,
    "engine.e2e.p50": 2.2,
    "engine.e2e.p95": 4.4,
    "engine.e2e.mean": 2.3,
    "engine.kv_time_to_full": inf,
    "engine.kv_transfer_failures": Missing.NOT_EXPORTED,
    "engine.kv_transfer_time.p50": Missing.NOT_EXPORTED,
    "engine.kv_transfer_time.p95": Missing.NOT_EXPORTED,
}
HOST_VALUES: Values = {
    "host.cpu_utilization": 0.22,
    "host.cpu_busiest_core": 0.4,
    "host.mem_available_ratio": 0.59,
    "host.psi_cpu": 0.2,
    "net.link_ratio": Missing.UNSUPPORTED,
}
GPU_VALUES: Values = {
    "gpu.up": 1.0,
    "gpu.utilization": 0.6,
    "gpu.dram_active": Missing.UNSUPPORTED,
    "gpu.mem_ratio": 0.91,
    "gpu.power": 410.0,
    "gpu.temperature": 62.0,
}


def indicators(values: Values, entity: Entity) -> list[Indicator]:
    """Indicators of one entity with their marks; quantiles with a lifetime figure, KV use with two ranks."""
    return [_indicator(name, value, entity) for name, value in values.items()]


def _indicator(name: str, value: float | Missing, entity: Entity) -> Indicator:
    known = not isinstance(value, Missing)
    mark = DEFAULT.marked(name, value) if not isinstance(value, Missing) else None
    life = 0.5 if known and DEFAULT.split(name)[1] else None
    entry = DEFAULT.find(name)
    owner = entry.owner if entry else ""
    healthy = Baseline(0.01, "lifetime at first scrape") if name.startswith("engine.itl") else None
    parts = (("rank=0", 0.5), ("rank=1", 0.54)) if name == "engine.kv_cache_usage" else ()
    return Indicator(name, entity, value, DEFAULT.unit(name), healthy, life, mark, parts, owner)


def waves(name: str, entity: Entity, step_s: float, columns: int) -> tuple[float | None, ...]:  # noqa: ARG001 - the form of Trails
    """A history that goes up and down, with a gap every 17 stretches."""
    return tuple(None if place % 17 == 3 else 0.6 + 0.3 * sin(place / 4 + len(name)) for place in range(columns))


def serving(
    *,
    gpus: int = 2,
    glyphs: Glyphs = UNICODE,
    more: Iterable[Indicator] = (),
    less: Iterable[str] = (),
    links: Iterable[Link] = (),
) -> Picture:
    """The machine with `gpus` GPUs, `more` indicators (and their entities) and without those named in `less`."""
    cards = [Entity(Kind.GPU, str(place)) for place in range(gpus)]
    more = list(more)
    own = [*indicators(ENGINE_VALUES, ENGINE), *indicators(HOST_VALUES, HOST)]
    own += [i for card in cards for i in indicators(GPU_VALUES, card)]
    taken = {(i.name, i.entity) for i in more}
    kept = [i for i in own if i.name not in set(less) and (i.name, i.entity) not in taken]
    return Picture(
        snapshot(
            indicators=(*kept, *more),
            entities=tuple(dict.fromkeys((ENGINE, HOST, *cards, *(i.entity for i in more)))),
            facts=(Fact("engine.version", ENGINE, "0.11.0"), Fact("engine.model", ENGINE, "qwen2.5-7b")),
            links=(
                *(Link(Relation.ENGINE_USES_GPU, ENGINE, card) for card in cards),
                Link(Relation.HOST_HAS, HOST, ENGINE),
                *links,
            ),
        ),
        DEFAULT,
        waves,
        glyphs,
        started=-500.0,
    )
