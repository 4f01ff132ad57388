"""The page of one layer: its entities, every indicator of them, and the one under the cursor in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from perfconsole.model.entity import Entity, Kind
from perfconsole.view.agentbill import agent_bill
from perfconsole.view.boards import BOARDS, abreast, chart_rows
from perfconsole.view.canvas import Hit, Page, Row, Span, cells, ends, plain_text, restyle, row, window, wrap
from perfconsole.view.discovery import NOUNS, none_found, search_of, still_looking
from perfconsole.view.fronts import calls, process_cells
from perfconsole.view.gpurows import source_rows
from perfconsole.view.gputroubles import gpus_of
from perfconsole.view.layerfocus import focus_rows
from perfconsole.view.layerlist import Line, board_lines, entity_lines, gpu_lines, heading
from perfconsole.view.layers import MARKS, activity, layer_lines
from perfconsole.view.layerstate import layer_state, sources_of
from perfconsole.view.outside import outside_rows
from perfconsole.view.picture import KINDS, Picture
from perfconsole.view.readings import joined, packed, readings
from perfconsole.view.resources import first_full_row, not_seen_row
from perfconsole.view.spelling import fitted
from perfconsole.view.timebill import busiest
from perfconsole.view.trends import trend_rows
from perfconsole.view.upstreams import upstream_row, upstream_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfconsole.view.canvas import Cursor, Target

_MAIN = {"gateway": Kind.GATEWAY, "orchestration": Kind.ORCHESTRATOR, "engine": Kind.ENGINE, "hardware": Kind.HOST}
_TALL = 20
"""Rows from which what is not seen, and remarks of the GPU sources, stand above the figures."""
_ROWS_A_TREND = 12
"""Rows of the page for each trend that its head may take."""
_FOCUS_FROM = 13
"""Rows below which the list needs the whole page."""
_FOCUS = (6, 17)
"""The least and the most rows of the lower part, its line included."""
_CHARTS = (60, 16)
"""Columns and list rows from which a board has large charts."""
_CHART_ROWS = (8, 16)
"""The least and the most rows of them; above the least they take what the list leaves."""
_QUEUE = (("running", "engine.requests_running"), ("waiting", "engine.requests_waiting"))
_EMPTY = {
    "gateway": (
        "Name one with --gateway URL, or as a [[target]] in the configuration.",
        "Then its requests, errors, retries, queue, and the time it adds to each request stand here.",
    ),
    "orchestration": (
        "Name one with --orchestrator URL or PID, or as a [[target]] in the configuration.",
        "Then its tasks, calls per task, queue, event-loop lag and CPU stand here.",
    ),
    "engine": (
        "Name one with --engine URL, or as a [[target]] in the configuration.",
        "Then its requests, latencies, queue, KV cache and token rates stand here.",
    ),
    "hardware": (
        "This host and its GPUs are read by themselves where the console runs beside the engine.",
        "Then GPU, CPU, memory, network and process figures stand here.",
    ),
}


class _Head(NamedTuple):
    """The rows above the list, and what in them answers to the mouse."""

    rows: list[Row]
    hits: tuple[Hit, ...] = ()


def layer_page(picture: Picture, layer: str, cursor: Cursor, width: int, height: int) -> Page:
    """Exactly `height` rows of `width` columns about one of the LAYERS."""
    if not picture.entities(*KINDS[layer]):
        return _finished(picture, _nothing(picture, layer, width), (), (), (width, height))
    head = _head(picture, layer, cursor, width, height)
    room = height - len(head.rows)
    lower = 0 if room < _FOCUS_FROM else max(_FOCUS[0], min(_FOCUS[1], room * 3 // 8))
    lines = _lines(picture, layer, cursor, width - 2, room - lower)
    charts = _charts(picture, layer, cursor, (width, room - lower), len(lines))
    room -= lower + len(charts)
    kept = _filtered(lines, cursor.filter)
    named = [line for line in kept if line.name]
    items = tuple(line.target for line in named)
    place = _place(picture, cursor, items)
    rows, hits = _listed(picture, kept, named[place] if named else None, (width, room), len(head.rows) + len(charts))
    if not items:
        rows = [row((f"nothing matches {cursor.filter!r}" if cursor.filter else "no value yet", "dim"))]
    body = [*head.rows, *charts, *rows, *[row()] * (room - len(rows))]
    if lower and items:
        position = f"{place + 1} of {len(items)}"
        name = _exact(picture, cursor, named[place])
        body += focus_rows(picture, name, named[place].entity, position, (width, lower))
    return _finished(picture, body, (*head.hits, *hits), items, (width, height))


def _finished(
    picture: Picture, rows: Sequence[Row], hits: tuple[Hit, ...], items: tuple[Target, ...], size: tuple[int, int]
) -> Page:
    """Cut and filled to the size, in the characters of the terminal."""
    width, height = size
    filled = [*rows, *[row()] * (height - len(rows))][: max(height, 0)]
    kept = tuple(h for h in hits if h.y < height and h.x0 < width)
    return Page(tuple(fitted(r, width, picture.glyphs) for r in filled), kept, items)


def _head(picture: Picture, layer: str, cursor: Cursor, width: int, height: int) -> _Head:
    """Layer and state, its entities, and what belongs to this layer alone."""
    entities = picture.entities(_MAIN[layer])
    most = max(1, height // 6)
    names = [_entity(picture, layer, e) for e in entities[:most]]
    sent = [_sent(picture, layer, e, most if len(names) == 1 else 0, width) for e in entities[:most]]
    if len(entities) > most:
        names[-1].append(row((f"and {len(entities) - most} more", "dim")))
    first, rest = (names[0], []) if len(names) == 1 else ([], names)
    title = _title(picture, layer, first, cursor, width)
    named = [[(Span("  "), *packed(pieces, width - 2))] for pieces in rest] or [[]]
    rows = [title, *(r for name, below in zip(named, sent or [[]], strict=True) for r in (*name, *below))]
    rows += trend_rows(picture, layer, width, height // _ROWS_A_TREND)
    if layer == "hardware":
        rows += source_rows(picture, width, remarks=height >= _TALL)
        rows.append(first_full_row(picture))
        rows += [r for r in (not_seen_row(picture),) if r and height >= _TALL]
    if layer == "orchestration":
        rows += _task(picture, cursor, entities, width, height)
    if layer != "engine":
        return _Head(rows)
    spans, hits = _tabs(_tab(cursor), len(rows))
    return _Head([*rows, spans], hits)


def _task(picture: Picture, cursor: Cursor, entities: Sequence[Entity], width: int, height: int) -> list[Row]:
    """The bill of a task of the orchestrator under the cursor, of the first one otherwise, and its busiest process."""
    under = (e for e in entities if cursor.target is not None and str(e) in cursor.target)
    entity = next(under, entities[0])
    rows = [*agent_bill(picture, entity, width), *outside_rows(picture, entity, width)]
    return rows[: max(1, height // 2 - 1)]


def _sent(picture: Picture, layer: str, entity: Entity, most: int, width: int) -> list[Row]:
    """Whom a gateway calls: a row each where it is the only one, one row for all beside others."""
    if layer != "gateway":
        return []
    if most:
        return upstream_rows(picture.snapshot, entity, most)
    short = upstream_row(picture.snapshot, entity, width - 4)
    return [(Span("    "), *short)] if short else []


def _title(picture: Picture, layer: str, names: Sequence[Row], cursor: Cursor, width: int) -> Row:
    state = layer_state(picture, layer)
    pieces = [row((layer.upper(), "head")), row((f"{state.mark} {state.word}".strip(), state.style)), *names]
    kinds = KINDS[layer]
    marks = [i.mark for i in picture.snapshot.indicators if i.mark and i.entity.kind in kinds]
    counts = [(f"{marks.count(m)}{MARKS[m]} {m}", m) for m in ("critical", "warn") if m in marks]
    filtered = row((f"filter: {cursor.filter}", "key")) if cursor.filter else ()
    right = joined((filtered, *map(row, counts)))
    left = packed(pieces, width - cells(plain_text([right])) - 2)
    return ends(left, right, width) if right else left


def _entity(picture: Picture, layer: str, entity: Entity) -> list[Row]:
    """Name, what an engine does or whether another one answers and whom it calls, version; the last ones go first."""
    facts = picture.facts(entity)
    words = [row((facts[n], "dim")) for n in (f"{layer}.version", f"{layer}.model") if n in facts]
    name = row((entity.name, "head"))
    if layer == "engine":
        return [name, row(activity(entity, picture.values)), readings(picture, entity, _QUEUE), *words]
    down = picture.number(f"{layer}.up", entity) == 0
    state = [row(("down", "critical"))] if down else []
    kind = facts.get(f"{layer}.adapter", "")
    known_as = [row((kind, "dim"))] if kind and kind not in entity.name else []
    return [name, *known_as, *state, row(calls(picture, entity)), *process_cells(picture, entity), *words]


def _tab(cursor: Cursor) -> int:
    return cursor.tab if 0 <= cursor.tab <= len(BOARDS) else 0


def _tabs(current: int, y: int) -> tuple[Row, tuple[Hit, ...]]:
    """`[all] requests  TTFT ITL ...`: brackets around the one that is shown."""
    spans: list[Span] = []
    hits: list[Hit] = []
    at = 0
    for place, name in enumerate(("all", *(board.tab for board in BOARDS))):
        text = f"[{name}]" if place == current else f" {name} "
        spans.append(Span(text, "head+select" if place == current else "key"))
        hits.append(Hit(y, at, at + cells(text), ("tab", str(place))))
        at += cells(text) + 1
        spans.append(Span(" "))
    return tuple(spans), tuple(hits)


def _lines(picture: Picture, layer: str, cursor: Cursor, columns: int, room: int) -> list[Line]:
    """The whole list; a target stands in it once, at its first place."""
    lines: list[Line] = []
    if layer == "hardware":
        lines = _hardware(picture, columns, room)
    elif layer == "engine" and _tab(cursor):
        lines = _board(picture, _tab(cursor) - 1)
    else:
        entities = picture.entities(*KINDS[layer])
        lines = list(entity_lines(picture, entities, known=_titled(picture, layer)))
    return _once(lines)


def _titled(picture: Picture, layer: str) -> Entity | None:
    """The only entity of its kind: the title names it, so the list does not."""
    main = picture.entities(_MAIN[layer])
    return main[0] if len(main) == 1 else None


def _once(lines: Iterable[Line]) -> list[Line]:
    """A cursor that follows its target would never get past the second place of it."""
    seen: set[tuple[str, Entity]] = set()
    kept = []
    for line in lines:
        if not line.name or (line.name, line.entity) not in seen:
            kept.append(line)
            seen.add((line.name, line.entity))
    return kept


def _board(picture: Picture, place: int) -> list[Line]:
    engines = picture.entities(Kind.ENGINE)
    lines: list[Line] = []
    for engine in engines:
        lines += [heading(picture, engine)] if len(engines) > 1 else []
        lines += board_lines(picture, BOARDS[place], engine)
    return lines


def _hardware(picture: Picture, columns: int, room: int) -> list[Line]:
    """GPUs in short, then the host, processes, and at last every figure of every GPU."""
    gpus = gpus_of(picture)
    others = [*picture.entities(Kind.HOST), *picture.entities(Kind.PROCESS)]
    most = max(4, room - 4)
    return [*gpu_lines(picture, columns, most), *entity_lines(picture, (*others, *gpus))]


def _filtered(lines: Sequence[Line], text: str) -> list[Line]:
    """Lines with the text in their name or definition; a heading only above something."""
    wanted = text.lower()
    kept = [line for line in lines if not line.name or wanted in line.words]
    return [a for a, b in zip(kept, [*kept[1:], None], strict=False) if a.name or (b is not None and b.name)]


def _place(picture: Picture, cursor: Cursor, items: Sequence[Target]) -> int:
    """The cursor's place; on the line of a histogram for each of its suffixes."""
    target = cursor.target
    if not _is_indicator(target) or target in items:
        return cursor.place(items)
    base = picture.dictionary.split(target[1])[0]
    same = (n for n, t in enumerate(items) if t[2] == target[2] and picture.dictionary.split(t[1])[0] == base)
    return next(same, cursor.place(items))


def _listed(
    picture: Picture, lines: Sequence[Line], chosen: Line | None, size: tuple[int, int], top: int
) -> tuple[list[Row], tuple[Hit, ...]]:
    """The part of the list around the chosen line, with a sign in front of that."""
    width, height = size
    place = next((n for n, line in enumerate(lines) if line is chosen), 0)
    start = window(place, len(lines), height)
    shown = lines[start : start + max(height, 0)]
    rows = [_drawn(picture, line, width, chosen=line is chosen) for line in shown]
    hits = (Hit(top + y, 0, width, line.target) for y, line in enumerate(shown) if line.name)
    return rows, tuple(hits)


def _drawn(picture: Picture, line: Line, width: int, *, chosen: bool) -> Row:
    sign = f"{picture.glyphs.cursor} " if chosen else "  "
    spans = fitted((Span(sign if line.name else ""), *line.draw(width - 2)), width, picture.glyphs)
    return restyle(spans, "select") if chosen else spans


def _exact(picture: Picture, cursor: Cursor, line: Line) -> str:
    """Where the cursor came with the very suffix of a histogram, that one is shown."""
    if not _is_indicator(cursor.target) or cursor.target[2] != str(line.entity):
        return line.name
    same = picture.dictionary.split(cursor.target[1])[0] == picture.dictionary.split(line.name)[0]
    return cursor.target[1] if same else line.name


def _is_indicator(target: Target | None) -> TypeGuard[Target]:
    return target is not None and target[0] == "indicator" and len(target) == len(("indicator", "name", "entity"))


def _charts(picture: Picture, layer: str, cursor: Cursor, size: tuple[int, int], lines: int) -> list[Row]:
    """The large charts of a board, for the busiest engine, where there is room beside so many lines."""
    (width, room), (columns, least) = size, _CHARTS
    engine = busiest(picture)
    if layer != "engine" or not _tab(cursor) or engine is None or width < columns or room < least:
        return []
    plots = BOARDS[_tab(cursor) - 1].charts[: abreast(width)]
    height = max(_CHART_ROWS[0], min(_CHART_ROWS[1], room - lines))
    return chart_rows(picture, plots, engine, width, height)


def _nothing(picture: Picture, layer: str, width: int) -> list[Row]:
    """A layer without an entity: why, what would fill it, and how to name it."""
    state = layer_state(picture, layer)
    why = _why_nothing(picture, layer)
    title = joined((row((layer.upper(), "head")), row((f"{state.mark} {state.word}".strip(), state.style))))
    said: Iterable[str] = (why[:1].upper() + why[1:] + ".", *_EMPTY[layer])
    return [title, row(), *(row(line) for text in said for line in wrap(text, max(width, 1)))]


def _why_nothing(picture: Picture, layer: str) -> str:
    """What was looked for and that the search goes on, who has not answered yet, or that nobody was named."""
    search = search_of(picture.snapshot)
    if search and layer in NOUNS and not sources_of(picture, layer):
        return f"{none_found(search, layer)}{still_looking(search)}"
    return next((line.head for line in layer_lines(picture.snapshot) if line.layer == layer), "not watched")
