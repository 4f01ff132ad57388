"""What the main page says of each layer: rows by importance, so that the first ones stay when room is short."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing
from perfconsole.view.canvas import Row, Span, ends, fit, row, width, wrap
from perfconsole.view.chart import spark
from perfconsole.view.discovery import FLAGS, none_found, search_of, still_looking
from perfconsole.view.fronts import process_cells
from perfconsole.view.gpurows import fails, gpus_and_all, source_rows
from perfconsole.view.layers import GPU_SOURCE, LOST_S, UNKNOWN, activity
from perfconsole.view.layerstate import sources_of
from perfconsole.view.plain import plain
from perfconsole.view.readings import Labelled, joined, packed, reading, readings
from perfconsole.view.spelling import spelled
from perfconsole.view.trends import card_row
from perfconsole.view.units import duration
from perfconsole.view.upstreams import upstream_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfconsole.model.entity import Entity
    from perfconsole.model.snapshot import SourceHealth
    from perfconsole.view.picture import Picture

STEP_S = 10.0
"""Seconds that one column of a small chart stands for: charts then shift six times a minute, not at every tick."""
_CHARTS = (8, 16, 60)
"""Columns of a small chart: the least worth drawing, those at 80 columns, and those of ten minutes."""
_BESIDE = 46
"""Columns that three quantiles take at most as a rule: a chart that leaves them begins where its neighbours do."""
_FEW = 3
"""Rows up to which the host gets only one beside the GPUs."""
_ACTIVITY_STYLE = {"busy": "", "holds requests, nothing moves": "warn"}
_BRIEF = {
    "holds requests, nothing moves": "nothing moves",
    "holds requests, progress unknown": "progress unknown",
    "busy (counters move, gauges missing)": "busy (gauges missing)",
    "busy (gauges say 0, counters move)": "busy (gauges say 0)",
}
"""What is left of a state where room is short: the queue beside it says that requests are held."""
_SOUGHT_ROWS = 3
"""Rows of what was looked for: at 57 columns it takes three."""
_NAMED_BY = {
    "gateway": "no gateway is named: --gateway URL",
    "orchestration": "no orchestrator is named: --orchestrator URL or PID",
    "engine": "no engine is named: --engine URL",
    "hardware": "neither this host nor its GPUs are read",
}
_GATEWAY: tuple[tuple[Labelled, ...], ...] = (
    (("req", "gateway.request_rate"), ("errors", "gateway.error_ratio"), ("429", "gateway.rate_limited_ratio")),
    (("inflight", "gateway.inflight"), ("queue", "gateway.queue_depth"), ("retries", "gateway.retry_ratio")),
    (("bypass", "gateway.bypass_ratio"), ("calls/request", "gateway.amplification"), ("cpu", "gateway.process_cpu")),
)
_ORCHESTRATOR: tuple[tuple[Labelled, ...], ...] = (
    (
        ("health", "orchestration.health_time"),
        ("loop lag", "orchestration.loop_lag"),
        ("cpu", "orchestration.process_cpu"),
        ("inflight", "orchestration.inflight"),
    ),
    (("calls/task", "orchestration.llm_calls_per_task"), ("queue", "orchestration.queue_depth")),
)
_ENGINE: tuple[tuple[Labelled, ...], ...] = (
    (("out", "engine.generation_rate"), ("in", "engine.prompt_rate"), ("KV", "engine.kv_cache_usage")),
    (
        ("hits", "engine.prefix_cache_hit_ratio"),
        ("preempted", "engine.preemption_ratio"),
        ("finished", "engine.request_rate"),
        ("errors", "engine.error_ratio"),
    ),
    (("cpu front-end", "engine.frontend_cpu"), ("core", "engine.core_cpu"), ("worker", "engine.worker_cpu")),
)
_HOST: tuple[tuple[Labelled, ...], ...] = (
    (
        ("cpu", "host.cpu_utilization"),
        ("busiest core", "host.cpu_busiest_core"),
        ("pressure", "host.psi_cpu"),
        ("steal", "host.cpu_steal"),
    ),
    (("memory free", "host.mem_available_ratio"), ("swap", "host.swap_used"), ("io wait", "host.iowait")),
)


@dataclass(frozen=True, slots=True)
class LayerRows:
    """All rows about one layer, made once: how many it wants, and those that fit a given room."""

    blocks: list[list[Row]]
    """Rows of each entity, by importance."""
    gpus: list[Row] = field(default_factory=list)
    """Why they are not seen, where that is so, and a row for each."""
    folded: list[Row] = field(default_factory=list)
    """The same with all of them in one row; those in trouble have one of their own below it."""
    watched: bool = True
    """A layer that nobody watches takes only room that no other wants."""

    @property
    def wanted(self) -> int:
        """Rows that tell everything."""
        return len(self.gpus) + sum(map(len, self.blocks))

    def within(self, most: int) -> list[Row]:
        """At most so many rows: the first of each entity before the second of any, GPUs folded where they must be."""
        if not self.gpus:
            return _each(self.blocks, most)
        room = max(1, most - min(sum(map(len, self.blocks)), 1 + (most > _FEW)))
        gpus = self.gpus if len(self.gpus) <= room else self.folded[:room]
        return [*gpus, *_each(self.blocks, most - len(gpus))][:most]


def layer_rows(picture: Picture, layer: str, columns: int) -> LayerRows:
    """Rows about a layer, each fitting the columns; one with a reason where there is nothing to tell."""
    if layer == "hardware":
        found = _hardware(picture, columns)
    else:
        kind, rows_of = _KINDS[layer]
        entities = sorted(picture.entities(kind), key=lambda e: picture.number(f"{layer}.up", e) != 0)  # down first
        found = LayerRows([rows_of(picture, e, columns) for e in entities])
    return found if found.wanted else _empty(picture, layer, columns)


def _empty(picture: Picture, layer: str, columns: int) -> LayerRows:
    """Who has not answered yet, what was looked for, or how to watch the layer."""
    waiting = ", ".join(s.name for s in sources_of(picture, layer))
    if waiting:
        return LayerRows([[fit(row((f"no answer yet from {waiting}", "warn")), columns, picture.glyphs.more)]])
    words, style = _sought(picture, layer) or (_NAMED_BY[layer], "dim")
    sought = layer == "engine" and search_of(picture.snapshot) is not None
    lines = wrap(spelled(plain(words), picture.glyphs), max(columns, 1))[:_SOUGHT_ROWS]
    return LayerRows([[fit(row((line, style)), columns, picture.glyphs.more) for line in lines]], watched=sought)


def _sought(picture: Picture, layer: str) -> tuple[str, str] | None:
    """What the search says of a layer, and its style: in full for the engine, which all else is for."""
    search = search_of(picture.snapshot)
    if search is None or layer not in FLAGS:
        return None
    style = "warn" if search.failed else "dim"
    if layer == "engine":
        return f"{none_found(search, layer)}{still_looking(search)}; name one with {FLAGS[layer]}", style
    if search.failed:
        return f"none known, and the search does not answer; name one with {FLAGS[layer]}", style
    return "none found, still looking" if search.answered else "looking", style


def _each(blocks: list[list[Row]], most: int) -> list[Row]:
    """Rows of several entities, cut evenly, in order of the entities; how many are not shown is said."""
    if 1 < most < len(blocks):
        left = len(blocks) - most + 1
        return [*(rows[0] for rows in blocks[: most - 1] if rows), row((f"and {left} more", "dim"))]
    shown = [0] * len(blocks)
    left = most
    for level in range(max((len(rows) for rows in blocks), default=0)):
        for place, rows in enumerate(blocks):
            if left > 0 and level < len(rows):
                shown[place], left = level + 1, left - 1
    return [piece for place, rows in enumerate(blocks) for piece in rows[: shown[place]]]


def _gateway(picture: Picture, entity: Entity, columns: int) -> list[Row]:
    if picture.number("gateway.up", entity) == 0:
        return [_down(picture, "gateway", entity, columns)]
    head = _head(picture, entity, _up(picture, "gateway.up", entity), columns, _GATEWAY[0])
    tail = _latency(picture, entity, "gateway.ttft", "TTFT", columns)
    total = _latency(picture, entity, "gateway.latency", "total", columns)
    sent = upstream_row(picture.snapshot, entity, columns)
    return [r for r in (head, tail, total, sent, *_rest(picture, entity, columns, _GATEWAY[1:])) if r]


def _orchestrator(picture: Picture, entity: Entity, columns: int) -> list[Row]:
    if picture.number("orchestration.up", entity) == 0:
        return [_down(picture, "orchestration", entity, columns)]
    head = _head(picture, entity, _up(picture, "orchestration.up", entity), columns, _ORCHESTRATOR[0])
    tail = _latency(picture, entity, "orchestration.latency", "task", columns)
    return [r for r in (head, tail, *_rest(picture, entity, columns, _ORCHESTRATOR[1:])) if r]


def _rest(picture: Picture, entity: Entity, columns: int, cells: Sequence[tuple[Labelled, ...]]) -> list[Row]:
    """The other figures, the last of them beside what its processes hold."""
    pieces = [[_one(picture, entity, cell) for cell in line] for line in cells]
    pieces[-1] += process_cells(picture, entity)
    return [packed(line, columns) for line in pieces]


def _engine(picture: Picture, engine: Entity, columns: int) -> list[Row]:
    facts = picture.facts(engine)
    state = activity(engine, picture.values)
    if state == "down":
        return [_down(picture, "engine", engine, columns)]
    source = _source(picture, "engine", engine)
    if state == UNKNOWN and source and source.silent_s is not None and source.silent_s > LOST_S:
        state = f"no answer for {duration(round(source.silent_s))}"
    model = facts.get("engine.model", "").rpartition("/")[2]
    queue = joined((_running(picture, engine), _waiting(picture, engine)))
    rows = [
        _engine_head(picture, engine.name, model, state, queue, columns),
        card_row(picture, (engine,), columns),
        _latency(picture, engine, "engine.ttft", "TTFT", columns),
        _latency(picture, engine, "engine.itl", "ITL ", columns),
    ]
    rows += [packed([_one(picture, engine, cell) for cell in cells], columns) for cells in _ENGINE]
    return [r for r in rows if r]


def _engine_head(picture: Picture, name: str, model: str, state: str, queue: Row, columns: int) -> Row:
    """Name, model and state before the queue; the model gives way to the state, and that to its first words."""
    told = Span(f"  {state}", _ACTIVITY_STYLE.get(state, "warn" if state.startswith("no answer") else "dim"))
    brief = Span(f"  {_BRIEF.get(state, state)}", told.style)
    named = row((name, "head"))
    drafts = ((*named, *row(f" {model}" if model else ""), told), (*named, told), (*named, brief))
    left = next((d for d in drafts if width((*d, *queue)) + 2 <= columns), drafts[-1])
    return ends((*left, Span("  ")), queue, columns, picture.glyphs.more)


def _running(picture: Picture, engine: Entity) -> Row:
    """`run 32/32`: running against the cap, with the origin of a cap that is not stated by anyone."""
    running = picture.indicator("engine.requests_running", engine)
    if running is None or isinstance(running.value, Missing):
        return ()
    cap = picture.number("engine.max_num_seqs", engine)
    origin = picture.facts(engine).get("engine.max_num_seqs_origin", "")
    sure = "" if origin in ("argv", "server-info", "") else f" ({origin})"
    limit = "" if cap is None else f"/{cap:.0f}{sure}"
    return (*reading("run", running), Span(limit, "dim"))


def _waiting(picture: Picture, engine: Entity) -> Row:
    """The queue, drawn as what leads TTFT by minutes."""
    waiting = picture.indicator("engine.requests_waiting", engine)
    if waiting is None or isinstance(waiting.value, Missing):
        return ()
    label, value = reading("wait", waiting)
    return (label, Span(value.text, "warn") if waiting.value > 0 else value)


def _down(picture: Picture, layer: str, entity: Entity, columns: int) -> Row:
    """Down and since when; values that nobody reads any more are not shown at all."""
    source = _source(picture, layer, entity)
    heard = source is not None and source.answered
    word = "down" if heard or source is None else "has not answered yet"
    silent = source.silent_s if heard and source else None
    since = "" if silent is None else f", silent for {duration(round(silent))}"
    reason = f"  {source.reason}" if source and source.reason else ""
    words = row((entity.name, "head"), (f"  {word}{since}", "critical"), (reason, "dim"))
    return fit(words, columns, picture.glyphs.more)


def _source(picture: Picture, layer: str, entity: Entity) -> SourceHealth | None:
    """The page of this entity: the only one, or the one of its name or port; never that of another one."""
    pages = sources_of(picture, layer)
    port = entity.name.rpartition(":")[2]
    own = [s for s in pages if entity.name == s.name or port == s.name.rpartition(":")[2]]
    found = own if own or len(picture.entities(entity.kind)) > 1 else pages
    return found[0] if len(found) == 1 else None


def _up(picture: Picture, name: str, entity: Entity) -> Row:
    up = picture.value(name, entity)
    if isinstance(up, Missing):
        return row(("state unknown", "dim"))
    return row(("up", "ok")) if up else row(("down", "critical"))


def _head(picture: Picture, entity: Entity, state: Row, columns: int, cells: Iterable[Labelled]) -> Row:
    """Name and state, then as many of the readings as fit."""
    first = (*row((entity.name, "head"), "  "), *state)
    return packed((first, *(_one(picture, entity, cell) for cell in cells)), columns)


def _one(picture: Picture, entity: Entity, cell: Labelled) -> Row:
    return readings(picture, entity, (cell,))


def _latency(picture: Picture, entity: Entity, name: str, label: str, columns: int) -> Row:
    """p50, p95, p99 over the window and the course of p95: averages hide the tail."""
    wanted = ((f"{label} p50", f"{name}.p50"), ("p95", f"{name}.p95"), ("p99", f"{name}.p99"))
    values = readings(picture, entity, wanted)
    mean = picture.indicator(f"{name}.mean", entity)
    lone = mean is not None and not isinstance(mean.value, Missing) and picture.number(f"{name}.p50", entity) is None
    if not values or lone:  # some sources know the mean and nothing of the tail
        return readings(picture, entity, ((f"{label} mean", f"{name}.mean"),))
    room = min(columns - width(values) - 1, max(_CHARTS[1], min(_CHARTS[2], columns - _BESIDE)))
    if room < _CHARTS[0]:
        return fit(values, columns, picture.glyphs.more)
    return (*fit(values, columns - room - 1), Span(" "), _chart(picture, f"{name}.p95", entity, room))


def _chart(picture: Picture, name: str, entity: Entity, columns: int) -> Span:
    return Span(spark(picture.trails(name, entity, STEP_S, columns), picture.glyphs), "spark")


def _hardware(picture: Picture, columns: int) -> LayerRows:
    """GPUs, one row each and all in one, then the host; on a host without GPUs it comes first."""
    gpus = gpus_and_all(picture, columns)
    why = source_rows(picture, columns)
    hosts = [_host(picture, e, columns) for e in picture.entities(Kind.HOST)]
    if not gpus.each and hosts and not any(fails(s) for s in sources_of(picture, "hardware") if s.kind == GPU_SOURCE):
        return LayerRows([block for block in (*hosts, why) if block])
    return LayerRows(hosts, [*why, *(r.spans for r in gpus.each)], [*why, *gpus.few])


def _host(picture: Picture, host: Entity, columns: int) -> list[Row]:
    first, *rest = [packed([_one(picture, host, cell) for cell in cells], columns) for cells in _HOST]
    grows = card_row(picture, (host, *picture.entities(Kind.PROCESS, Kind.GPU)), columns)
    return [r for r in (first, grows, *rest) if r]


_KINDS = {
    "gateway": (Kind.GATEWAY, _gateway),
    "orchestration": (Kind.ORCHESTRATOR, _orchestrator),
    "engine": (Kind.ENGINE, _engine),
}
