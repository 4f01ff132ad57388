"""Curves of a probe as bars in the characters of a terminal: a bar for each line, side by side at every load."""

from __future__ import annotations

from itertools import groupby
from math import log
from typing import TYPE_CHECKING

from perfconsole.view.canvas import Row, Span, cells, clip, fit
from perfconsole.view.chart import ladder, short
from perfconsole.view.plain import plain
from perfconsole.view.spelling import spelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.view.glyphs import Glyphs
    from perfconsole.view.probecurves import Axis, Curve

LABEL = 8
"""Columns at the left: the longest value is `12345/s`."""
LEAST = 5
"""Rows below which a chart says nothing: its heading, three rows of bars, the loads."""
_EIGHTHS = 8
_WIDEST = 3
_FLOOR = 1.6
"""A logarithmic axis begins so many times below the lowest value: its bar would have no height otherwise."""
_NO_VALUE = "no value"


def curve_chart(curve: Curve, axis: Axis, columns: int, height: int, glyphs: Glyphs) -> list[Row]:
    """Exactly `height` rows of exactly `columns` columns: heading, bars, loads; the knee stands in brackets."""
    room, tall = max(0, columns - LABEL - 1), max(1, height - 2)
    first, width, starts = _slots(axis, len(curve.lines), room)
    low, high = _bounds(curve)
    if high is None or not starts:
        bars = [[Span(_NO_VALUE if y == tall - 1 else "", "dim")] for y in range(tall)]
        labels = [""] * tall
    else:
        bars = _bars(curve, axis, (first, width, starts), (low, high, tall), glyphs)
        labels = [short(high, curve.unit), *[""] * (tall - 2), short(low, curve.unit)][:tall] if tall > 1 else [""]
    body = [_labelled(label, line, columns, glyphs) for label, line in zip(labels, bars, strict=True)]
    names = _names(axis, first, starts, width * len(curve.lines), room, glyphs)
    rows = [_heading(curve, axis, columns, glyphs), *body, _labelled("", names, columns, glyphs)]
    return rows[:height]


def _heading(curve: Curve, axis: Axis, columns: int, glyphs: Glyphs) -> Row:
    """What is drawn, and where the knee is if that fits too; a long one begins further left before it is cut."""
    lines = f" {' | '.join(curve.lines)}" if len(curve.lines) > 1 else ""
    title = f"{curve.title}{lines}{' (log)' if curve.log else ''}"
    knee = f", knee {_name(axis, axis.knee, glyphs)[0]}" if axis.knee is not None else ""
    title += knee if cells(title + knee) <= columns else ""
    indent = max(0, min(LABEL + 1, columns - cells(title)))
    return fit((Span(clip(f"{'':{indent}}{title}", columns, glyphs.more), "head"),), columns, glyphs.more)


def _bounds(curve: Curve) -> tuple[float, float | None]:
    """The lowest and the highest value of the axis; no highest one where nothing is known."""
    known = [value for series in curve.values for value in series if value is not None]
    positive = [value for value in known if value > 0]
    if not known:
        return 0.0, None
    return (min(positive) / _FLOOR if curve.log and positive else 0.0), max(known)


def _slots(axis: Axis, lines: int, room: int) -> tuple[int, int, list[int]]:
    """The first load that is shown, columns of one bar, and where the bars of each load begin.

    Loads stand by their logarithm where that keeps them apart, else evenly; where even that is too narrow the last
    ones are shown.
    """
    count = len(axis.places)
    width = max(1, min(_WIDEST, ((room + 1) // max(1, count) - 1) // lines))
    block = width * lines
    kept = min(count, (room + 1) // (block + 1))
    first = count - kept
    if kept < 1:
        return count, 1, []
    free = room - block
    starts = _apart([round(place * free) for place in axis.places[first:]], block + 1)
    if first or starts[-1] > free:
        starts = [place * free // max(1, kept - 1) for place in range(kept)]
    return first, width, starts


def _apart(starts: Sequence[int], step: int) -> list[int]:
    moved: list[int] = []
    for start in starts:
        moved.append(max(start, moved[-1] + step) if moved else start)
    return moved


def _bars(
    curve: Curve, axis: Axis, slots: tuple[int, int, list[int]], reach: tuple[float, float, int], glyphs: Glyphs
) -> list[list[Span]]:
    """Rows of bars from the top; the first line is bright, the others and what is not valid are dim."""
    first, width, starts = slots
    low, high, tall = reach
    steps = ladder(tall, glyphs)
    used = (starts[-1] + width * len(curve.lines)) if starts else 0
    columns: list[tuple[str, str]] = [(glyphs.gap * tall, "")] * used
    for place, start in enumerate(starts, start=first):
        for line, series in enumerate(curve.values):
            share = _share(series[place], low, high, log_axis=curve.log)
            if share is None:
                continue
            bright = not line and place not in axis.void and place != axis.now
            piece = (steps[max(1, round(share * tall * _EIGHTHS))], "spark" if bright else "dim")
            at = start + line * width
            columns[at : at + width] = [piece] * width
    return [_joined([(column[y], style) for column, style in columns]) for y in range(tall)]


def _share(value: float | None, low: float, high: float, *, log_axis: bool) -> float | None:
    if value is None:
        return None
    if high <= low:
        return 0.0
    if not log_axis:
        return max(0.0, (value - low) / (high - low))
    return max(0.0, log(value / low) / log(high / low)) if value > 0 else 0.0


def _joined(signs: Sequence[tuple[str, str]]) -> list[Span]:
    return [Span("".join(sign for sign, _ in group), style) for style, group in groupby(signs, key=lambda s: s[1])]


def _names(axis: Axis, first: int, starts: Sequence[int], block: int, room: int, glyphs: Glyphs) -> list[Span]:
    """The loads below their bars, as many as fit: the knee first, then the ends."""
    last = len(axis.names) - 1
    order = [p for p in (axis.knee, axis.now, last, first) if p is not None and p >= first]
    order += [place for place in range(first, last + 1) if place not in order]
    taken: dict[int, tuple[int, str, str]] = {}
    for place in dict.fromkeys(order if starts else ()):
        text, style = _name(axis, place, glyphs)
        size = cells(text)
        start = max(0, min(starts[place - first] + (block - size) // 2, room - size))
        if size <= room and all(start > s + cells(t) or start + size < s for s, t, _ in taken.values()):
            taken[place] = (start, text, style)
    spans: list[Span] = []
    at = 0
    for start, text, style in sorted(taken.values()):
        spans += [Span(" " * (start - at)), Span(text, style)]
        at = start + cells(text)
    return spans


def _name(axis: Axis, place: int, glyphs: Glyphs) -> tuple[str, str]:
    """`[16]` is the knee, `(64)` is not valid, `32..` is under way."""
    name = spelled(plain(axis.names[place]), glyphs)
    if place == axis.knee:
        return f"[{name}]", "value"
    if place in axis.void:
        return f"({name})", "warn"
    return (f"{name}{glyphs.more}", "dim") if place == axis.now else (name, "dim")


def _labelled(label: str, pieces: Sequence[Span], columns: int, glyphs: Glyphs) -> Row:
    label = spelled(label, glyphs)
    return fit((Span(f"{label:>{LABEL}} ", "dim"), *pieces), columns, glyphs.more)
