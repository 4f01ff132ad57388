"""The four layers in a few lines each: what is there, what it does now, and what nobody watches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import SourceState
from perfconsole.view.discovery import FLAGS, none_found, search_of
from perfconsole.view.units import shown, told
from perfconsole.view.upstreamwords import upstream_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from perfconsole.model.entity import Entity
    from perfconsole.model.snapshot import Indicator, Snapshot, SourceHealth
    from perfconsole.view.discovery import Search


@dataclass(frozen=True, slots=True)
class LayerLine:
    """One entity of one layer, or why the layer is empty."""

    layer: str
    head: str
    cells: tuple[str, ...]


MARKS = {None: "", "warn": " !", "critical": " !!"}
"""Signs behind a value that passes a mark of the dictionary; a mark is not a finding."""
_EMPTY = {
    "gateway": "not watched: no gateway was named; give --gateway URL",
    "orchestration": "not watched: no orchestrator was named; give --orchestrator URL or PID",
    "engine": "not watched: no engine was named; give --engine URL",
    "hardware": "not watched",
}
ENGINE_SOURCES = ("engine", "metrics page")
"""Kinds of the source that reads an engine's page: before its first poll, and after."""
HOST_SOURCE, GPU_SOURCE, GPU_PAGE, HEALTH_SOURCE = "host", "gpu", "gpu page", "health route"
EXPORTER, HOST_PAGE = "hardware page", "host page"
"""The page of an exporter before anybody knows what it tells, and that of one that tells of a host."""
GPU_SOURCES = (GPU_SOURCE, GPU_PAGE)
"""The driver, and the page of an exporter that stands in for what the driver does not give."""
SOURCE_KINDS = {
    "gateway": ("gateway", "gateway page"),
    "orchestration": ("orchestrator", "orchestrator page", "orchestrator process"),
    "engine": ENGINE_SOURCES,
    "hardware": (HOST_SOURCE, *GPU_SOURCES, EXPORTER, HOST_PAGE),
}
"""Kinds of the sources that a layer cannot be seen without; a process is one where its number is all that was named."""
_FRONT = {"gateway": Kind.GATEWAY, "orchestration": Kind.ORCHESTRATOR}
"""The layers in front of the engines."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1", "[::1]")
LOST_S = 10.0
"""An answer that is not older still speaks for the run: on a busy host a poll may be away for some seconds."""
UNKNOWN = "state unknown"
_OPEN = frozenset(Missing) - {Missing.NOT_EXPORTED}
"""Reasons for which a counter that there is has no rate now."""
_GATEWAY_ROWS = (
    (
        ("requests", "gateway.request_rate"),
        ("errors", "gateway.error_ratio"),
        ("refused", "gateway.rate_limited_ratio"),
    ),
    (("in flight", "gateway.inflight"), ("health", "gateway.health_time"), ("cpu", "gateway.process_cpu")),
    (("TTFT p50", "gateway.ttft.p50"), ("p95", "gateway.ttft.p95")),
    (("latency p50", "gateway.latency.p50"), ("p95", "gateway.latency.p95")),
    (("out", "gateway.generation_rate"), ("past it", "gateway.bypass_ratio"), ("retries", "gateway.retry_ratio")),
)
_ORCHESTRATOR_ROWS = (
    (("in flight", "orchestration.inflight"), ("health", "orchestration.health_time")),
    (("cpu", "orchestration.process_cpu"), ("calls/task", "orchestration.llm_calls_per_task")),
    (
        ("tokens/task", "orchestration.tokens_per_task"),
        ("tools", "orchestration.tool_calls_per_task"),
        ("retrievals", "orchestration.retrievals_per_task"),
        ("prompts built", "orchestration.context_builds_per_task"),
    ),
    (
        ("prompt mean", "orchestration.llm_prompt_length.mean"),
        ("context growth", "orchestration.context_growth"),
    ),
    (("latency p50", "orchestration.latency.p50"), ("p95", "orchestration.latency.p95")),
)
_GPU_ROWS = (
    (("busy", "gpu.utilization"), ("memory", "gpu.mem_ratio"), ("bandwidth", "gpu.dram_active")),
    (("power", "gpu.power"), ("of limit", "gpu.power_ratio"), ("clock", "gpu.clock_ratio")),
    (("temperature", "gpu.temperature"), ("margin", "gpu.temp_margin")),
)
_ENGINE_ROWS = (
    (("running", "engine.requests_running"), ("waiting", "engine.requests_waiting"), ("cap", "engine.max_num_seqs")),
    (("KV", "engine.kv_cache_usage"), ("preempted/finished", "engine.preemption_ratio")),
    (("TTFT p50", "engine.ttft.p50"), ("p95", "engine.ttft.p95"), ("p99", "engine.ttft.p99")),
    (("ITL p50", "engine.itl.p50"), ("p95", "engine.itl.p95"), ("p99", "engine.itl.p99")),
    (("out", "engine.generation_rate"), ("in", "engine.prompt_rate"), ("finished", "engine.request_rate")),
    (("cpu front-end", "engine.frontend_cpu"), ("core", "engine.core_cpu"), ("worker", "engine.worker_cpu")),
)
_HOST_ROWS = (
    (
        ("cpu", "host.cpu_utilization"),
        ("busiest core", "host.cpu_busiest_core"),
        ("steal", "host.cpu_steal"),
        ("pressure", "host.psi_cpu"),
    ),
    (("memory free", "host.mem_available_ratio"), ("swap", "host.swap_used"), ("io wait", "host.iowait")),
)


def layer_lines(snapshot: Snapshot) -> list[LayerLine]:
    """Lines from the gateway down, in the order in which a request travels."""
    values = {(i.name, i.entity): i for i in snapshot.indicators}
    engines = [_engine(snapshot, e, values) for e in _of(snapshot, Kind.ENGINE)]
    gateways = [_gateway(snapshot, e, values) for e in _of(snapshot, Kind.GATEWAY)]
    callers = [_front("orchestration", e, _ORCHESTRATOR_ROWS, values) for e in _of(snapshot, Kind.ORCHESTRATOR)]
    gpus = [_gpu(snapshot, e, values) for e in _of(snapshot, Kind.GPU)]
    hosts = [_rows("hardware", e.name, e, _HOST_ROWS, values) for e in _of(snapshot, Kind.HOST)]
    groups = {"gateway": gateways, "orchestration": callers, "engine": engines, "hardware": [*gpus, *hosts]}
    return [line for layer, lines in groups.items() for line in lines or [_empty(layer, snapshot)]]


def _empty(layer: str, snapshot: Snapshot) -> LayerLine:
    """A layer without an entity: none was named or found, or what was asked for has not answered yet."""
    waiting = [s.name for s in snapshot.sources if s.kind in SOURCE_KINDS[layer]]
    if waiting:
        return LayerLine(layer, f"no answer yet from {', '.join(waiting)}", ())
    search = search_of(snapshot)
    found = f"{_sought(search, layer)}; name one with {FLAGS[layer]}" if search and layer in FLAGS else ""
    return LayerLine(layer, found or _EMPTY[layer], ())


def _sought(search: Search, layer: str) -> str:
    """What the search says of a layer; what it looked at stands with the engine, once."""
    return none_found(search if layer == "engine" else search._replace(looked=""), layer)


def _of(snapshot: Snapshot, kind: Kind) -> list[Entity]:
    return [e for e in snapshot.entities if e.kind is kind]


def _engine(snapshot: Snapshot, engine: Entity, values: Mapping[tuple[str, Entity], Indicator]) -> LayerLine:
    facts = {f.name: f.value for f in snapshot.facts if f.entity == engine}
    words = [facts[n] for n in ("engine.version", "engine.model") if n in facts]
    head = " ".join([engine.name, *words, activity(engine, values)])
    return _rows("engine", head, engine, _ENGINE_ROWS, values)


def _front(
    layer: str,
    entity: Entity,
    rows: tuple[tuple[tuple[str, str], ...], ...],
    values: Mapping[tuple[str, Entity], Indicator],
) -> LayerLine:
    up = values.get((f"{layer}.up", entity))
    state = {1.0: "up", 0.0: "down"}.get(up.value, UNKNOWN) if up and not isinstance(up.value, Missing) else UNKNOWN
    return _rows(layer, f"{entity.name} {state}", entity, rows, values)


def _gateway(snapshot: Snapshot, gateway: Entity, values: Mapping[tuple[str, Entity], Indicator]) -> LayerLine:
    line = _front("gateway", gateway, _GATEWAY_ROWS, values)
    return replace(line, cells=(*line.cells, *upstream_lines(snapshot, gateway)))


def _gpu(snapshot: Snapshot, gpu: Entity, values: Mapping[tuple[str, Entity], Indicator]) -> LayerLine:
    called = next((f" {f.value}" for f in snapshot.facts if f.entity == gpu and f.name == "gpu.name"), "")
    return _rows("hardware", f"GPU {gpu.name}{called}", gpu, _GPU_ROWS, values)


def activity(engine: Entity, values: Mapping[tuple[str, Entity], Indicator]) -> str:
    """What the engine does, from counters first: zero gauges alone do not prove that it is idle."""

    def value(name: str) -> float | Missing:
        found = values.get((name, engine))
        return found.value if found else Missing.NEVER

    if value("engine.up") == 0:
        return "down" if isinstance(value("engine.startup_time"), Missing) else "starting"
    gauges = [value("engine.requests_running"), value("engine.requests_waiting")]
    counters = [value("engine.generation_rate"), value("engine.request_rate")]
    moves = any(not isinstance(v, Missing) and v > 0 for v in (*counters, value("engine.prompt_rate")))
    unsure = any(isinstance(v, Missing) for v in counters)
    if any(not isinstance(v, Missing) and v > 0 for v in gauges):
        return "busy" if moves else "holds requests, progress unknown" if unsure else "holds requests, nothing moves"
    if moves and any(isinstance(v, Missing) for v in gauges):
        return "busy (counters move, gauges missing)"
    if moves:
        return "busy (gauges say 0, counters move)"
    unseen = isinstance(counters[0], Missing) or counters[1] in _OPEN  # some engines count tokens and no requests
    if unseen or any(isinstance(v, Missing) for v in gauges):
        return UNKNOWN
    lately = (value("engine.kv_cache_usage"), value("engine.itl.p50"), value("engine.http_inflight"))
    return "quiet for some seconds" if any(not isinstance(v, Missing) and v > 0 for v in lately) else "idle"


def unjudged(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Targets that no all-clear may cover, each with the reason: not answering at the end, or empty of meaning."""
    values = {(i.name, i.entity): i for i in snapshot.indicators}
    return [*_unjudged_engines(snapshot, values), *_unjudged_fronts(snapshot, values)]


def _unjudged_engines(snapshot: Snapshot, values: Mapping[tuple[str, Entity], Indicator]) -> Iterable[tuple[str, str]]:
    silent = {
        s.name: s.reason or "nothing was heard from there"
        for s in snapshot.sources
        if s.kind in ENGINE_SOURCES and (not s.answered or s.silent_s is None or s.silent_s > LOST_S)
    }
    up = [e for e in _of(snapshot, Kind.ENGINE) if (found := values.get(("engine.up", e))) and found.value == 1]
    if any(s.kind in ENGINE_SOURCES and s.state is SourceState.LATE for s in snapshot.sources):
        up = []  # its values are stale for a moment, not absent
    mute = {e.name: "its page has no running, waiting or token counts" for e in up if activity(e, values) == UNKNOWN}
    return (silent or mute).items()


def _unjudged_fronts(snapshot: Snapshot, values: Mapping[tuple[str, Entity], Indicator]) -> Iterator[tuple[str, str]]:
    """Gateways and orchestrators that are not known to be up, but for those that answered a moment ago."""
    for layer, kind in _FRONT.items():
        entities = _of(snapshot, kind)
        for page in (s for s in snapshot.sources if s.kind in SOURCE_KINDS[layer]):
            entity = next((e for e in entities if _reads(page.name, e.name)), None)
            up = values.get((f"{layer}.up", entity)) if entity else None
            health = health_of(snapshot, page)
            if (up is None or up.value != 1) and not any(_lately(s) for s in (page, health) if s):
                reasons = (s.reason for s in (page, health) if s and s.reason)
                yield page.name, next(reasons, "nothing was heard from there")


def _reads(source: str, entity: str) -> bool:
    """The source of that name reads that entity: of one name, or `127.0.0.1:4000` and `litellm:4000`."""
    address = entity.rpartition("@")[2]
    if source in (entity, address, f"process {entity.removeprefix('pid-')}"):
        return True
    host, _, port = source.rpartition(":")
    return host in _LOOPBACK and address == entity and port == entity.rpartition(":")[2]


def _lately(source: SourceHealth) -> bool:
    """Its last word was no failure of now, or is young enough; a failure is heard of too, and is no answer."""
    young = source.answered and source.silent_s is not None and source.silent_s <= LOST_S
    return young and (source.kind.endswith("page") or source.state is not SourceState.DOWN)


def health_of(snapshot: Snapshot, page: SourceHealth) -> SourceHealth | None:
    """The health route beside a page."""
    name = f"{page.name} health"
    return next((s for s in snapshot.sources if s.kind == HEALTH_SOURCE and s.name == name), None)


def unheard(snapshot: Snapshot) -> list[str]:
    """Named targets that never answered, by the name of their source."""
    engines = {s.name for s in snapshot.sources if s.kind in ENGINE_SOURCES and not s.answered}
    kinds = {kind for layer in _FRONT for kind in SOURCE_KINDS[layer]}
    silent = [s for s in snapshot.sources if s.kind in kinds and not s.answered]
    # What stands in front need not have a page: its health route is an answer too.
    front = {s.name for s in silent if not _is_well(snapshot, s)}
    exporters = {s.name for s in snapshot.sources if s.kind in (EXPORTER, HOST_PAGE) and not s.answered}
    return sorted(engines | front | _strangers(snapshot, silent) | exporters)


def _strangers(snapshot: Snapshot, silent: list[SourceHealth]) -> set[str]:
    """Gateways of no program that is known: a web server answers each question, and tells nothing.

    One that is known by its process is watched without its page, and an agent has a process and calls.
    """
    known = {fact.entity for fact in snapshot.facts if fact.name == "gateway.adapter"}
    unknown = {e.name for e in snapshot.entities if e.kind is Kind.GATEWAY and e not in known}
    return {s.name for s in silent if s.state is SourceState.DOWN and s.name in unknown}


def _is_well(snapshot: Snapshot, page: SourceHealth) -> bool:
    """The health route beside a page has answered."""
    health = health_of(snapshot, page)
    return health is not None and health.answered


def watches_engines(snapshot: Snapshot) -> bool:
    """Some engine was named or found."""
    return any(s.kind in ENGINE_SOURCES for s in snapshot.sources)


def _rows(
    layer: str,
    head: str,
    entity: Entity,
    rows: tuple[tuple[tuple[str, str], ...], ...],
    values: Mapping[tuple[str, Entity], Indicator],
) -> LayerLine:
    cells = [_cell(row, entity, values) for row in rows]
    return LayerLine(layer, head, tuple(c for c in cells if c))


def _cell(row: tuple[tuple[str, str], ...], entity: Entity, values: Mapping[tuple[str, Entity], Indicator]) -> str:
    """`TTFT p50 1.2 s  p95 2.5 s`; one reason when all of a row is missing for the same one."""
    found = [(label, values.get((name, entity))) for label, name in row]
    known = [(label, i) for label, i in found if i is not None]
    if all(isinstance(i.value, Missing) for _, i in known):
        mean = values.get((f"{row[0][1].rpartition('.')[0]}.mean", entity))
        if mean is not None and not isinstance(mean.value, Missing):  # some sources know no more than that
            return f"{row[0][0].split(' ')[0]} mean {told(mean)}{MARKS[mean.mark]}"
        reasons = {i.value for _, i in known if isinstance(i.value, Missing)}
        if len(reasons) == 1:
            return f"{known[0][0].split(' ')[0]} {shown(next(iter(reasons)), '')}"
    return "  ".join(f"{label} {told(i)}{MARKS[i.mark]}" for label, i in known)
