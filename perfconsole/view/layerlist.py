"""The lines of a layer page: one indicator each, histograms with their quantiles on one, what is missing at the end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.dictionary import Sort
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.view.boards import ceiling, owners
from perfconsole.view.canvas import Row, Span, cells, clip, row, width
from perfconsole.view.chart import span_of, spark, stretches
from perfconsole.view.gpucards import card_height, card_rows, names_in
from perfconsole.view.gpucards import draw as draw_card
from perfconsole.view.gpurows import gpus_and_all
from perfconsole.view.gputroubles import gpus_of
from perfconsole.view.layers import MARKS
from perfconsole.view.plain import plain
from perfconsole.view.readings import joined, packed
from perfconsole.view.resources import NOBODY, Resource, first_full
from perfconsole.view.spelling import spelled
from perfconsole.view.units import MISSING_WORDS, said_in, shown, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from perfconsole.model.snapshot import Indicator
    from perfconsole.view.boards import Board, Plot
    from perfconsole.view.canvas import Target
    from perfconsole.view.picture import Picture

_VALUE = 20
"""Columns of a value with its mark: `98.5 ms !! critical`."""
_NAME = (18, 34)
"""The least and the most columns of a name."""
_QUANTILE_COLUMNS = 60
"""Columns of three quantiles and the lifetime figure."""
_QUANTILES = ("p50", "p95", "p99")
_FIRST = (
    "engine.requests_running",
    "engine.requests_waiting",
    "engine.ttft",
    "engine.itl",
    "engine.kv_cache_usage",
    "engine.generation_rate",
    "engine.prompt_rate",
    "engine.request_rate",
    "engine.queue_time",
    "engine.preemption_ratio",
    "engine.error_ratio",
    "gateway.request_rate",
    "gateway.error_ratio",
    "gateway.ttft",
    "gateway.latency",
    "gateway.inflight",
    "gateway.queue_depth",
    "orchestration.inflight",
    "orchestration.latency",
    "orchestration.loop_lag",
    "orchestration.queue_depth",
)
"""What a person looks for first on a layer's page."""
_GPU_ROW = "gpu.utilization"
"""What the row of a GPU opens."""
_NO_SOURCE = "no source gives it"
_STILL = (Sort.FACT, Sort.TEXT)
"""Configuration has no history worth a chart."""


class Line(NamedTuple):
    """One line of the list; a heading has no name and the cursor does not stand on it."""

    name: str
    """Indicator, a histogram with the suffix that stands for it."""
    entity: Entity
    words: str
    """Where a filter looks."""
    draw: Callable[[int], Row]

    @property
    def target(self) -> Target:
        """What the line opens."""
        return ("indicator", self.name, str(self.entity))


@dataclass(frozen=True, slots=True)
class Reading:
    """One indicator of one entity: a single value, or the suffixes of a histogram."""

    base: str
    entity: Entity
    values: tuple[Indicator, ...]
    label: str = ""

    @property
    def shown(self) -> Indicator:
        """The one that stands for all: p95 of a histogram, where there is one."""
        return next((i for i in self.values if i.name.endswith(".p95")), self.values[0])

    @property
    def missing(self) -> bool:
        """No suffix has a value."""
        return all(isinstance(i.value, Missing) for i in self.values)


def readings_of(picture: Picture, entities: Iterable[Entity]) -> Iterator[tuple[Entity, list[Reading]]]:
    """Everything the snapshot has of each entity: what is asked for first, then the order of the dictionary.

    What has no value comes last.
    """
    names = (*_FIRST, *(entry.name for entry in picture.dictionary.entries))
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    own: dict[Entity, dict[str, list[Indicator]]] = {}
    for indicator in picture.snapshot.indicators:
        own.setdefault(indicator.entity, {}).setdefault(_base(picture, indicator.name), []).append(indicator)
    for entity in entities:
        found = [Reading(base, entity, tuple(values)) for base, values in own.get(entity, {}).items()]
        yield entity, sorted(found, key=lambda r: (r.missing, places.get(r.base, len(places))))


def _base(picture: Picture, name: str) -> str:
    return picture.dictionary.split(name)[0]


def entity_lines(picture: Picture, entities: Iterable[Entity], *, known: Entity | None = None) -> Iterator[Line]:
    """All lines of these entities, each under its name but the one that is known to be spoken of."""
    first = first_full(picture)
    for entity, own in readings_of(picture, entities):
        if entity != known:
            yield heading(picture, entity)
        if entity.kind is Kind.GPU:
            yield from card_lines(picture, entity)
        for reading in own:
            yield _line(picture, reading, first)
        for name, text in picture.facts(entity).items():
            if text:
                yield _fact(picture, name, text, entity)


def board_lines(picture: Picture, board: Board, engine: Entity) -> Iterator[Line]:
    """The lines of one board for one engine; what no source speaks of says so."""
    for plot in board.plots:
        carriers = owners(picture, engine, plot.name)
        for entity in carriers:
            yield _board_line(picture, plot, entity, several=len(carriers) > 1)
        if not carriers:
            yield _unwatched(picture, plot, engine)


def _unwatched(picture: Picture, plot: Plot, engine: Entity) -> Line:
    entry = picture.dictionary.find(plot.name)
    reason = NOBODY.get(entry.scope, _NO_SOURCE) if entry else _NO_SOURCE
    draw = partial(_dim, picture, (plot.label, reason))
    return Line(plot.name, engine, _words(picture, plot.name, plot.label), draw)


def _board_line(picture: Picture, plot: Plot, entity: Entity, *, several: bool) -> Line:
    label = f"{plot.label} of {entity}" if several else plot.label
    found = _plotted(picture, plot.name, entity)
    if found:
        return _line(picture, Reading(plot.name, entity, found, label), None)
    words = (label, _NO_SOURCE)
    return Line(plot.name, entity, _words(picture, plot.name, label), partial(_dim, picture, words))


def _plotted(picture: Picture, name: str, entity: Entity) -> tuple[Indicator, ...]:
    suffixes = ("", ".p50", ".p90", ".p95", ".p99", ".mean")
    return tuple(i for s in suffixes if (i := picture.indicator(name + s, entity)) is not None)


def gpu_lines(picture: Picture, columns: int, room: int) -> list[Line]:
    """The GPUs in at most `room` lines: a card each, or a row each, or all in one with those in trouble below it."""
    gpus = gpus_of(picture)
    if not gpus:
        return []
    first = first_full(picture)
    if sum(1 + card_height(picture, gpu) for gpu in gpus) <= room:
        return [line for gpu in gpus for line in (_card_heading(picture, gpu, first), *card_lines(picture, gpu))]
    rows = gpus_and_all(picture, columns)
    if len(gpus) <= room:
        return [_gpu_line(picture, r.gpu, _GPU_ROW, _flagged(r.spans, r.gpu, first)) for r in rows.each]
    common = [
        _gpu_line(picture, gpus[0], *both) for both in zip((_GPU_ROW, "gpu.mem_ratio"), rows.common, strict=False)
    ]
    return [*common, *(_gpu_line(picture, r.gpu, "gpu.up", r.spans) for r in rows.ill)][: max(room, 1)]


def _card_heading(picture: Picture, gpu: Entity, first: Resource | None) -> Line:
    head = heading(picture, gpu)
    return head._replace(draw=lambda columns: _flagged(head.draw(columns), gpu, first))


def card_lines(picture: Picture, gpu: Entity) -> list[Line]:
    """What is known of one GPU in a few rows of whole words."""
    cards = card_rows(picture, gpu)
    return [Line(c.name, gpu, f"gpu {gpu.name} {names_in(c)}", partial(draw_card, picture, gpu, c)) for c in cards]


def _gpu_line(picture: Picture, gpu: Entity, name: str, spans: Row) -> Line:
    words = _words(picture, name, f"gpu {gpu.name}")
    return Line(name, gpu, words, lambda _: spans)


def _flagged(spans: Row, gpu: Entity, first: Resource | None) -> Row:
    """With a word in front where this GPU has the first full resource."""
    if first is None or first.entity != gpu or not first.level:
        return spans
    return (Span(f"first full{MARKS[first.level]}  ", first.level), *spans)


def heading(picture: Picture, entity: Entity) -> Line:
    """The entity with what is known of it in words, and its role in an engine."""
    roles = [f"{k.role} of {k.parent.name}" for k in picture.snapshot.links if k.child == entity and k.role]
    facts = picture.facts(entity)
    words = [text for name, text in facts.items() if name.endswith((".version", ".model", ".name", ".title"))]
    spans = row((str(entity), "head"), ("".join(f"  {word}" for word in (*roles, *words)), "dim"))
    return Line("", entity, "", lambda _: spans)


def _line(picture: Picture, reading: Reading, first: Resource | None) -> Line:
    name = reading.shown.name
    is_first = first is not None and (first.name, first.entity) == (name, reading.entity)
    flag = f"{MARKS[first.level]} first full" if first and first.level and is_first else ""
    draw = _draw_histogram if len(reading.values) > 1 or reading.shown.name != reading.base else _draw_plain
    words = _words(picture, name, reading.label)
    return Line(name, reading.entity, words, partial(draw, picture, reading, flag))


def _fact(picture: Picture, name: str, text: str, entity: Entity) -> Line:
    label = name.partition(".")[2] or name
    words = f"{_words(picture, name, '')} {text.lower()}"
    return Line(name, entity, words, partial(_draw_fact, picture, label, text))


def _words(picture: Picture, name: str, label: str) -> str:
    entry = picture.dictionary.find(name)
    return f"{name} {label} {entry.definition if entry else ''}".lower()


def _name_cell(picture: Picture, text: str, columns: int, style: str = "") -> Span:
    """The name in a column of fixed width, so that values stand below one another."""
    room = _name_columns(columns)
    text = clip(spelled(plain(text), picture.glyphs), room, picture.glyphs.more)
    return Span(text + " " * (room - cells(text) + 1), style)


def _label(reading: Reading) -> str:
    return reading.label or reading.base.partition(".")[2] or reading.base


def _draw_plain(picture: Picture, reading: Reading, flag: str, columns: int) -> Row:
    """Name, value with its mark, small chart."""
    indicator = reading.values[0]
    if isinstance(indicator.value, Missing):
        return _dim(picture, (_label(reading), MISSING_WORDS[indicator.value]), columns)
    value = spelled(f"{value_text(indicator)}{flag}", picture.glyphs)
    name = _name_cell(picture, _label(reading), columns)
    level = "critical" if MARKS["critical"] in flag else "warn" if flag else "value"
    spans = (name, Span(f"{value:<{_VALUE}} ", indicator.mark or level))
    return (*spans, *_spark(picture, indicator, columns - width(spans)))


def value_text(indicator: Indicator) -> str:
    """Value, and where it passes a mark the sign and the word of it: `97% !! critical`."""
    return f"{told(indicator)}{mark_words(indicator)}"


def mark_words(indicator: Indicator) -> str:
    """Sign and word of the mark that is passed; empty where none is."""
    return f"{MARKS[indicator.mark]} {indicator.mark}" if indicator.mark else ""


def _dim(picture: Picture, words: tuple[str, str], columns: int) -> Row:
    """A name with the reason why it has no value."""
    return (_name_cell(picture, words[0], columns, "dim"), Span(words[1], "dim"))


def _draw_fact(picture: Picture, label: str, text: str, columns: int) -> Row:
    return (_name_cell(picture, label, columns), *row((text, "value")))


def _draw_histogram(picture: Picture, reading: Reading, _: str, columns: int) -> Row:
    """Name, quantiles of the window, the lifetime figure said to be one, small chart of p95; what fits of that."""
    spans: Row = (_name_cell(picture, _label(reading), columns, "dim" if reading.missing else ""),)
    left = columns - width(spans)
    spans = (*spans, *packed([*_quantile_cells(reading), *_lifetime(reading, left)], left))
    pad = Span(" " * max(2, _name_columns(columns) + _QUANTILE_COLUMNS - width(spans)))
    chart = () if reading.missing else _spark(picture, reading.shown, columns - width((*spans, pad)))
    return (*spans, pad, *chart) if chart else spans


def _lifetime(reading: Reading, columns: int) -> list[Row]:
    """The figure over the life of the process, said to be one; in fewer words where the quantiles leave no more."""
    life = reading.shown.lifetime
    if life is None:
        return []
    value = shown(life, said_in(reading.shown.name, reading.shown.unit))
    long, short = (
        row((f"{word} {value}", "dim")) for word in (f"lifetime {reading.shown.name.rpartition('.')[2]}", "lifetime")
    )
    return [
        long
        if width(packed([*_quantile_cells(reading), long], columns)) > width(joined(_quantile_cells(reading)))
        else short
    ]


def _name_columns(columns: int) -> int:
    return max(_NAME[0], min(_NAME[1], columns * 3 // 10))


def _quantile_cells(reading: Reading) -> list[Row]:
    """`p50 1.2 s`, `p95 2.5 s ! warn` ...; the mean only where it is marked or no quantile is known."""
    by_suffix = {i.name.rpartition(".")[2]: i for i in reading.values}
    known = {s: i for s, i in by_suffix.items() if not isinstance(i.value, Missing)}
    wanted = [s for s in by_suffix if s in _QUANTILES or by_suffix[s].mark or not set(known) & set(_QUANTILES)]
    reasons = dict.fromkeys(MISSING_WORDS[i.value] for i in reading.values if isinstance(i.value, Missing))
    found = [_quantile(s, known[s]) for s in wanted if s in known]
    found += [_gone(wanted, known, reason) for reason in reasons if any(s not in known for s in wanted)]
    return found


def _quantile(suffix: str, indicator: Indicator) -> Row:
    return (Span(f"{suffix} ", "dim"), Span(value_text(indicator), indicator.mark or "value"))


def _gone(wanted: Sequence[str], known: Iterable[str], reason: str) -> Row:
    """`p50 p95 p99 unsupported`, or the reason alone where all are missing."""
    names = [s for s in wanted if s not in set(known)]
    return (Span(f"{' '.join(names)} {reason}" if len(names) < len(wanted) else reason, "dim"),)


def has_history(picture: Picture, name: str) -> bool:
    """It is worth a chart: anything but configuration."""
    entry = picture.dictionary.find(name)
    return entry is None or entry.sort not in _STILL


def _spark(picture: Picture, indicator: Indicator, columns: int) -> Row:
    """The last minutes in as many columns as there are; nothing where they are too few."""
    cut = stretches(columns, span_of(picture.watched_s))
    if cut is None or not has_history(picture, indicator.name):
        return ()
    values = picture.trails(indicator.name, indicator.entity, *cut)
    return (Span(spark(values, picture.glyphs, high=ceiling(indicator.name)), "spark"),)
