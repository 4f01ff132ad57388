"""Trends in words: what grows, how fast, what it meets when, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.trend import Goal, Growing
from perfconsole.view.canvas import Row, fit, row
from perfconsole.view.canvas import width as cells_of
from perfconsole.view.picture import KINDS
from perfconsole.view.plain import plain
from perfconsole.view.spelling import spelled
from perfconsole.view.units import duration, number, size

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.entity import Entity
    from perfconsole.model.trend import Trend
    from perfconsole.view.picture import Picture

_MINUTE_S, _HOUR_S = 60.0, 3600.0
_SURE_SPAN_S = 100.0
"""A line over about two minutes or more is steady; a shorter one may be a burst."""
_MANY = 3
"""Trends on the page of a layer."""
_MINUTES = 90.0
"""Seconds from which a time is told in minutes."""
_OF = {
    Growing.QUEUE: "queue of {name}",
    Growing.KV: "KV cache of {name}",
    Growing.HOST_MEMORY: "RAM of {name}",
    Growing.PROCESS_MEMORY: "RAM of {name}",
    Growing.GPU_MEMORY: "memory of GPU {name}",
    Growing.DESCRIPTORS: "descriptors of {name}",
}
_SHORT = {**_OF, Growing.QUEUE: "queue", Growing.KV: "KV", Growing.GPU_MEMORY: "GPU {name} memory"}
"""Where the engine is named beside it."""


def trend_text(trend: Trend) -> str:
    """`queue +4/min, TTFT passes 1.5 s in ~2 min`, for the card of the entity."""
    return f"{_what(_SHORT, trend)} {_pace(trend)}, {_meets(trend)}"


def trend_words(trend: Trend) -> str:
    """The same with its entity, where it is now and how sure it is, in full."""
    return f"{_what(_OF, trend)} {_pace(trend)}: {_meets(trend)}; {_now(trend)} now, {how_sure(trend)}"


def how_sure(trend: Trend) -> str:
    """What the line rests on, and that it is only a line."""
    fits = "" if trend.r2 is None else f" (R2 {trend.r2:.2f})"
    if trend.growing is Growing.QUEUE and trend.span_s < _SURE_SPAN_S:
        return f"seen for {duration(round(trend.span_s))} only{fits}"
    return f"steady for {duration(round(trend.span_s))}{fits}"


def _what(words: dict[Growing, str], trend: Trend) -> str:
    return words[trend.growing].format(name=trend.entity.name)


def _pace(trend: Trend) -> str:
    """Growth in the unit of time in which a person would notice it."""
    a_minute, an_hour = trend.rate * _MINUTE_S, trend.rate * _HOUR_S
    match trend.growing:
        case Growing.QUEUE:
            return f"+{number(a_minute)}/min"
        case Growing.KV:
            return f"+{number(a_minute * 100)} points/min"
        case Growing.DESCRIPTORS:
            return f"+{number(a_minute)}/min"
        case Growing.HOST_MEMORY:
            return f"-{size(an_hour)}/h"
        case _:
            return f"+{size(an_hour)}/h"


def _meets(trend: Trend) -> str:
    soon = f"in {about(trend.left_s)}"
    match trend.goal:
        case Goal.TTFT:
            passed = trend.left_s <= 0
            return f"new requests wait over {trend.limit:g} s" if passed else f"TTFT passes {trend.limit:g} s {soon}"
        case Goal.KNEE:
            passed = trend.left_s <= 0
            return f"over twice the batch waits ({trend.limit:.0f})" if passed else f"{trend.limit:.0f} wait {soon}"
        case Goal.FULL:
            return f"{'gone' if trend.growing is Growing.HOST_MEMORY else 'full'} {soon}"


def _now(trend: Trend) -> str:
    match trend.growing:
        case Growing.QUEUE:
            return f"{trend.value:.0f} waiting"
        case Growing.KV:
            return f"{number(trend.value * 100)}%"
        case Growing.DESCRIPTORS:
            return f"{trend.value:.0f} of {trend.limit:.0f}"
        case Growing.HOST_MEMORY:
            return f"{size(trend.value)} free"
        case _:
            return size(trend.value)


def about(seconds: float) -> str:
    """`~40 s`, `~2 min`, `~3 h`: a forecast has no second digit."""
    if seconds < _MINUTES:
        return f"~{max(10, round(seconds / 10) * 10)} s"
    if seconds < 2 * _HOUR_S:
        return f"~{seconds / _MINUTE_S:.0f} min"
    return f"~{seconds / _HOUR_S:.0f} h"


def card_row(picture: Picture, entities: Iterable[Entity], columns: int) -> Row:
    """The soonest trend of these entities for their card, with how sure it is where that fits."""
    own = set(entities)
    found = next((t for t in picture.snapshot.trends if t.entity in own), None)
    if found is None:
        return ()
    text = spelled(plain(trend_text(found)), picture.glyphs)
    whole = row((f"{picture.glyphs.up} {text}", "warn"), (f"  {how_sure(found)}", "dim"))
    brief = row((f"{picture.glyphs.up} {text}", "warn"))
    return next((r for r in (whole, brief) if cells_of(r) <= columns), ())


def trend_rows(picture: Picture, layer: str, columns: int, most: int) -> list[Row]:
    """The list of a layer's page, the soonest first, at most so many."""
    own = [t for t in picture.snapshot.trends if t.entity.kind in KINDS[layer]]
    shown = own[: max(0, min(most, _MANY))]
    more = f"  and {len(own) - len(shown)} more" if len(own) > len(shown) else ""
    texts = [plain(trend_words(t)) for t in shown]
    label = row(("trend ", "dim"))
    rows = [(*label, *row((spelled(text, picture.glyphs), "warn"))) for text in texts]
    if rows and more:
        rows[-1] = (*rows[-1], *row((more, "dim")))
    return [fit(r, columns, picture.glyphs.more) for r in rows]
