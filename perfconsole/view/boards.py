"""The five boards of the engine page, as data: which indicators stand together, and whose they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.entity import Entity, Kind, Relation
from perfconsole.model.sample import Missing
from perfconsole.view.canvas import Row, Span, cells, clip, fit
from perfconsole.view.chart import LABEL, chart, span_of, stretches
from perfconsole.view.panel import beside
from perfconsole.view.plain import plain
from perfconsole.view.spelling import spelled
from perfconsole.view.units import said_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.view.glyphs import Glyphs
    from perfconsole.view.picture import Picture


class Plot(NamedTuple):
    """One indicator on a board, a histogram by its base name."""

    name: str
    label: str


@dataclass(frozen=True, slots=True)
class Board:
    """Indicators that answer one question together."""

    title: str
    tab: str
    """The title in a word or two."""
    plots: tuple[Plot, ...]
    charts: tuple[Plot, Plot]
    """The two that are drawn large where there is room; histograms with a suffix."""


def _plots(*pairs: tuple[str, str]) -> tuple[Plot, ...]:
    return tuple(Plot(*pair) for pair in pairs)


_TTFT = ("engine.ttft.p95", "TTFT p95")
_WAITING = ("engine.requests_waiting", "waiting")
BOARDS = (
    Board(
        "requests and concurrency",
        "requests",
        _plots(
            ("engine.requests_running", "running"),
            _WAITING,
            ("engine.max_num_seqs", "cap of the running batch"),
            ("engine.batch_fill", "running batch full"),
            ("engine.running_plateau", "plateau of running"),
            ("engine.http_inflight", "open at the front-end"),
            ("engine.unadmitted", "accepted, not scheduled"),
            ("engine.request_rate", "finished"),
            ("engine.generation_rate", "output tokens"),
            ("engine.prompt_rate", "prompt tokens"),
            ("engine.scaling", "tokens gained by load"),
            ("engine.error_ratio", "failed"),
            ("engine.abort_ratio", "left by the caller"),
            ("gateway.request_rate", "arrivals at the gateway"),
            ("gateway.amplification", "calls per request"),
        ),
        (Plot("engine.requests_running", "running"), Plot(*_WAITING)),
    ),
    Board(
        "TTFT and ITL",
        "TTFT ITL",
        _plots(
            ("engine.ttft", "TTFT"),
            ("engine.itl", "ITL"),
            ("engine.tpot", "time per token"),
            ("engine.e2e", "total"),
            ("engine.queue_time", "of it queue"),
            ("engine.prefill_time", "of it prefill"),
            ("engine.decode_time", "of it decode"),
            ("engine.scheduler_itl", "ITL of the scheduler"),
            ("engine.delivery_ratio", "added by delivery"),
            ("engine.stall_time", "longest stall"),
            ("gateway.ttft", "TTFT at the gateway"),
            ("gateway.itl", "ITL at the gateway"),
        ),
        (Plot(*_TTFT), Plot("engine.itl.p95", "ITL p95")),
    ),
    Board(
        "queue depth",
        "queue",
        _plots(
            _WAITING,
            ("engine.requests_deferred", "waiting for something else"),
            ("engine.queue_time", "time in the queue"),
            ("engine.unadmitted", "accepted, not scheduled"),
            ("engine.load_ratio", "load against healthy"),
            ("engine.preemption_ratio", "preempted per finished"),
            ("engine.kv_transfers_pending", "in a KV transfer"),
            ("gateway.queue_depth", "waiting in the gateway"),
            ("gateway.queue_time", "time in the gateway queue"),
            ("orchestration.queue_depth", "waiting for a worker"),
        ),
        (Plot(*_WAITING), Plot("engine.queue_time.p95", "time in the queue p95")),
    ),
    Board(
        "GPU utilisation and bandwidth",
        "GPU",
        _plots(
            ("gpu.utilization", "a kernel ran"),
            ("gpu.dram_active", "memory bandwidth"),
            ("gpu.sm_active", "SMs busy"),
            ("gpu.tensor_active", "tensor pipes busy"),
            ("gpu.mem_busy", "memory accessed (time)"),
            ("gpu.power_ratio", "power against the limit"),
            ("gpu.clock_ratio", "clock against the maximum"),
            ("gpu.temperature", "temperature"),
            ("gpu.pcie_rx", "PCIe receive"),
            ("gpu.pcie_tx", "PCIe send"),
            ("gpu.nvlink_rx", "NVLink receive"),
        ),
        (Plot("gpu.utilization", "a kernel ran"), Plot("gpu.dram_active", "memory bandwidth")),
    ),
    Board(
        "KV cache and memory",
        "KV memory",
        _plots(
            ("engine.kv_cache_usage", "KV cache"),
            ("engine.rank_kv_cache_usage", "KV cache of a rank"),
            ("engine.kv_time_to_full", "until KV is full"),
            ("engine.kv_cache_capacity", "KV capacity in tokens"),
            ("engine.kv_max_concurrency", "full-length requests it holds"),
            ("engine.preemption_ratio", "preempted per finished"),
            ("engine.prefix_cache_hit_ratio", "prefix hits"),
            ("engine.prefix_cache_lifetime_ratio", "prefix hits, lifetime"),
            ("gpu.mem_ratio", "GPU memory"),
            ("gpu.mem_peak_ratio", "GPU memory, peak"),
            ("host.mem_available_ratio", "host memory free"),
            ("host.swap_used", "swap in use"),
        ),
        (Plot("engine.kv_cache_usage", "KV cache"), Plot("engine.preemption_ratio", "preempted per finished")),
    ),
)
SIGNALS = _plots(
    _WAITING,
    _TTFT,
    ("engine.itl.p95", "ITL p95"),
    ("engine.generation_rate", "output tokens"),
    ("engine.requests_running", "running"),
    ("engine.kv_cache_usage", "KV cache"),
    ("engine.prompt_rate", "prompt tokens"),
    ("engine.request_rate", "finished"),
    ("gpu.utilization", "GPU busy"),
    ("gpu.dram_active", "GPU memory bandwidth"),
    ("engine.queue_time.p95", "time in the queue p95"),
    ("engine.preemption_ratio", "preempted per finished"),
)
"""What the main page charts where it has room, by importance: the queue first, since it leads everything."""
_COURSE = 30
"""Columns of bars, one for 20 s, below which ten minutes show little of their course."""
_NO_CHART = (Missing.NOT_EXPORTED, Missing.UNSUPPORTED, Missing.NO_PERMISSION)
_CEILINGS = frozenset(
    (
        "engine.kv_cache_usage",
        "engine.rank_kv_cache_usage",
        "engine.batch_fill",
        "gpu.utilization",
        "gpu.dram_active",
        "gpu.sm_active",
        "gpu.mem_ratio",
        "host.cpu_utilization",
        "host.cpu_busiest_core",
        "host.mem_available_ratio",
        "host.process_fd_ratio",
        "net.link_ratio",
        "orchestration.workers",
    )
)
_BEFORE = {
    Kind.GATEWAY: Relation.GATEWAY_TO_ENGINE,
    Kind.ORCHESTRATOR: Relation.ORCHESTRATOR_TO_ENGINE,
    Kind.HOST: Relation.HOST_HAS,
}
_BEHIND = {Kind.GPU: Relation.ENGINE_USES_GPU, Kind.RANK: Relation.ENGINE_HAS_RANK}


def ceiling(name: str) -> float | None:
    """What the top of a chart stands for: 100 % where that means full, else nothing fixed."""
    return 1.0 if name in _CEILINGS else None


def signals(picture: Picture, engine: Entity) -> list[Plot]:
    """Those of the SIGNALS that some source gives for this engine."""
    return [plot for plot in SIGNALS if _given(picture, plot.name, engine)]


def _given(picture: Picture, name: str, engine: Entity) -> bool:
    carrier = next(iter(owners(picture, engine, name)), None)
    found = picture.indicator(name, carrier) if carrier else None
    return found is not None and found.value not in _NO_CHART


def owners(picture: Picture, engine: Entity, name: str) -> list[Entity]:
    """Entities that carry an indicator, seen from an engine: itself, or what it is linked to.

    The only engine of a picture without such links is given all there is: nothing else could be meant.
    """
    entry = picture.dictionary.find(name)
    if entry is None or entry.scope is Kind.ENGINE:
        return [engine] if entry else []
    linked = _linked(picture, engine, entry.scope)
    alone = len(picture.entities(Kind.ENGINE)) == 1
    return linked or (picture.entities(entry.scope) if alone else [])


def _linked(picture: Picture, engine: Entity, kind: Kind) -> list[Entity]:
    links = picture.snapshot.links
    if kind in _BEFORE:
        return [k.parent for k in links if k.relation is _BEFORE[kind] and k.child == engine]
    return [k.child for k in links if k.relation is _BEHIND.get(kind) and k.parent == engine]


def abreast(columns: int) -> int:
    """How many large charts stand side by side: two only where each keeps enough columns to show a course."""
    return 2 if columns // 2 - 1 >= LABEL + 1 + _COURSE else 1


def chart_rows(picture: Picture, plots: Sequence[Plot], engine: Entity, columns: int, height: int) -> list[Row]:
    """One plot over the whole width, or two side by side, each of the first entity that carries it."""
    if len(plots) == 1:
        return _chart(picture, plots[0], engine, columns, height)
    sides = (columns // 2 - 1, columns - columns // 2 - 1)
    left, right = (_chart(picture, p, engine, c, height) for p, c in zip(plots, sides, strict=True))
    return beside(left, right, sides, Span("  "))


def _chart(picture: Picture, plot: Plot, engine: Entity, columns: int, height: int) -> list[Row]:
    glyphs = picture.glyphs
    cut = stretches(columns - LABEL - 1, span_of(picture.watched_s))
    carriers = owners(picture, engine, plot.name)
    if cut is None or not carriers:
        return [fit((_heading(f"{plot.label}: nobody watches it", "dim", columns, glyphs),), columns)]
    entity = carriers[0]
    title = plot.label if entity == engine else f"{plot.label} of {entity}"
    values = picture.trails(plot.name, entity, *cut)
    unit = said_in(plot.name, picture.dictionary.unit(plot.name))
    bars = chart(values, columns, height - 1, glyphs, unit, cut.step_s, ceiling(plot.name))
    return [(_heading(title, "head", columns, glyphs),), *bars]


def _heading(title: str, style: str, columns: int, glyphs: Glyphs) -> Span:
    """Above the bars; a long one begins further left before it is cut."""
    title = spelled(plain(title), glyphs)
    indent = max(0, min(LABEL + 1, columns - cells(title)))
    return Span(clip(f"{' ' * indent}{title}", columns, glyphs.more), style)
