"""The lower part of a layer page: all that is known of the indicator under the cursor, and its last ten minutes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.view.boards import ceiling
from perfconsole.view.canvas import Row, Span, row, wrap
from perfconsole.view.chart import LABEL, chart, span_of, stretches
from perfconsole.view.layerlist import has_history, mark_words
from perfconsole.view.panel import beside, rule
from perfconsole.view.plain import plain
from perfconsole.view.spelling import fitted, spelled
from perfconsole.view.units import said_in, shown, told

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.model.dictionary import Entry
    from perfconsole.model.entity import Entity
    from perfconsole.model.snapshot import Indicator
    from perfconsole.view.picture import Picture

_SIDE_BY_SIDE = 110
"""Columns from which text and chart stand beside one another."""
_TALLEST = 16
"""A taller chart shows no more."""
_SUFFIXES = ("p50", "p90", "p95", "p99", "mean")


def focus_rows(picture: Picture, name: str, entity: Entity, position: str, size: tuple[int, int]) -> list[Row]:
    """`size` is columns and rows; the first row is a line with the name and the cursor's place in the list."""
    columns, height = size
    title = row((name, "head"), (f"  {entity}", "dim"))
    head = rule(
        [Span(spelled(s.text, picture.glyphs), s.style) for s in title], row((position, "dim")), columns, picture.glyphs
    )
    body = _body(picture, name, entity, columns, height - 1)
    return [head, *(fitted(r, columns, picture.glyphs) for r in body)][:height]


def _body(picture: Picture, name: str, entity: Entity, columns: int, height: int) -> list[Row]:
    charted = has_history(picture, name)
    if charted and columns >= _SIDE_BY_SIDE:
        left = columns // 2 - 1
        text = _text(picture, name, entity, left, height)
        right = _chart(picture, name, entity, columns - left - 2, min(height, _TALLEST))
        return beside(text, right, (left, columns - left - 2), Span("  "))
    least = min(2, height - 1) if charted else 0
    text = _text(picture, name, entity, columns, height - least)
    room = min(height - len(text), _TALLEST) if charted else 0
    return [*text, *_chart(picture, name, entity, columns, room)]


def _chart(picture: Picture, name: str, entity: Entity, columns: int, height: int) -> list[Row]:
    cut = stretches(columns - LABEL - 1, span_of(picture.watched_s))
    if cut is None or height < 1:
        return []
    entry = picture.dictionary.find(name)
    values = picture.trails(name, entity, *cut)
    unit = said_in(name, entry.unit) if entry else ""
    return chart(values, columns, height, picture.glyphs, unit, cut.step_s, ceiling(name))


def _text(picture: Picture, name: str, entity: Entity, columns: int, height: int) -> list[Row]:
    """Facts, then the definition, in at most `height` rows, the last one with a sign where something was cut."""
    entry = picture.dictionary.find(name)
    facts = "; ".join(_facts(picture, name, entity, entry))
    meaning = entry.definition if entry else "not in the dictionary"
    lines = [(line, "value") for line in _wrapped(picture, facts, columns)]
    lines += [(line, "") for line in _wrapped(picture, meaning, columns)]
    if len(lines) > height > 0:
        kept, style = lines[height - 1]
        more = picture.glyphs.more
        lines[height - 1] = (f"{kept[: columns - len(more) - 1]} {more}", style)
    return [row(line) for line in lines[: max(height, 0)]]


def _wrapped(picture: Picture, text: str, columns: int) -> list[str]:
    return wrap(spelled(plain(text), picture.glyphs), max(columns, 1))


def _facts(picture: Picture, name: str, entity: Entity, entry: Entry | None) -> Iterator[str]:
    """Value, kind and unit, healthy value, mark, owner, origin, parts: what decides comes first."""
    found = _values(picture, name, entity)
    yield ", ".join(_value(i, single=len(found) == 1) for i in found) or _said(picture, name, entity)
    healthy = next((i for i in found if i.baseline and i.name == name), None)
    if healthy is not None and healthy.baseline:
        unit = said_in(name, healthy.unit)
        yield f"healthy {shown(healthy.baseline.value, unit)} ({healthy.baseline.kind})"
    if entry is not None:
        yield _mark(entry)
        yield f"{entry.sort} in {entry.unit}"
        yield f"owner {next((i.owner for i in found if i.owner), entry.owner) or 'nobody'}"
        yield f"from {', '.join(entry.origins)}"
    yield from _parts([i for i in found if i.parts])


def _values(picture: Picture, name: str, entity: Entity) -> list[Indicator]:
    """The indicator, or all suffixes of its histogram."""
    base, suffix = picture.dictionary.split(name)
    names = [f"{base}.{s}" for s in _SUFFIXES] if suffix else [name]
    return [i for n in names if (i := picture.indicator(n, entity)) is not None]


def _value(indicator: Indicator, *, single: bool) -> str:
    """Value with its mark; of a histogram with its suffix and the figure over the life of the process."""
    suffix = "" if single else f"{indicator.name.rpartition('.')[2]} "
    life = (
        ""
        if indicator.lifetime is None
        else f" (lifetime {shown(indicator.lifetime, said_in(indicator.name, indicator.unit))})"
    )
    value = told(indicator)
    missing = isinstance(indicator.value, Missing)
    return f"{suffix}{value}{'' if missing else mark_words(indicator)}{life}"


def _said(picture: Picture, name: str, entity: Entity) -> str:
    """A fact in words; or that nobody speaks of the indicator."""
    return picture.facts(entity).get(name, "no source gives it")


def _mark(entry: Entry) -> str:
    """`warn > 80%, critical > 95% (proposal)`."""
    marks = [f"{level} {mark}" for level, mark in (("warn", entry.warn), ("critical", entry.critical)) if mark]
    note = f" ({entry.mark_note})" if entry.mark_note else ""
    return f"mark {', '.join(marks)}{note}" if marks else f"no mark{note}"


def _parts(found: Sequence[Indicator]) -> Iterator[str]:
    for indicator in found:
        unit = said_in(indicator.name, indicator.unit)
        parts = ", ".join(f"{part or 'rest'} {shown(value, unit)}" for part, value in indicator.parts)
        yield f"parts: {parts}"
