"""Charts made of bars: one row of eighths, or several rows with values and a time axis. A gap stays a gap."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.view.canvas import Row, Span, cells, fit
from perfconsole.view.spelling import spelled
from perfconsole.view.units import duration, number, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.view.glyphs import Glyphs

LABEL = 10
"""Columns at the left of a chart: the longest value in words is `1.95 GiB/s`."""
SPAN_S = 600.0
"""How far back charts go: single ticks are kept for ten minutes."""
_STEPS_S = (5.0, 6.0, 10.0, 12.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0)
"""No stretch is shorter than the slowest cadence, or a chart would show gaps where there are none."""
_SPANS_S = (120.0, 300.0)
"""What charts cover while that is all there is."""
_COUNTS = ("requests", "tasks", "count", "events")
"""Units of which there is nothing below one: a fifth of a request, seen for a moment, is no peak."""
_RATES = ("tokens/s", "requests/s", "faults/s", "segments/s", "switches/s")
"""Units whose values in words are longer than LABEL."""
_EIGHTHS = 8

Values = tuple[float | None, ...]


class Stretches(NamedTuple):
    """How the last minutes are cut into the columns at hand."""

    step_s: float
    columns: int


def stretches(columns: int, span_s: float = SPAN_S) -> Stretches | None:
    """The finest cut of the last minutes that fits; None where not even one column a minute does."""
    fitting = (s for s in _STEPS_S if not span_s % s and span_s / s <= columns)
    step_s = next(fitting, None)
    return None if step_s is None else Stretches(step_s, round(span_s / step_s))


def span_of(watched_s: float) -> float:
    """What a large chart covers: two minutes at first, or the start of an incident would be a few columns."""
    return next((span for span in _SPANS_S if span >= watched_s), SPAN_S)


def spark(values: Sequence[float | None], glyphs: Glyphs, low: float | None = None, high: float | None = None) -> str:
    """One column a value, scaled from 0 (or the lowest, if below) to the highest unless bounds are given."""
    drawn = _known(values)
    shares = _shares(drawn, *_bounds(drawn, low, high))
    bars, gap = glyphs.bars, glyphs.gap
    return "".join([gap if s is None else bars[min(_EIGHTHS - 1, int(s * _EIGHTHS))] for s in shares])


def _known(values: Sequence[float | None]) -> Values:
    """A time that never comes (infinity) has no height: a gap, like a value that is not there."""
    return tuple([v if v is not None and isfinite(v) else None for v in values])


def _bounds(values: Values, low: float | None, high: float | None) -> tuple[float, float]:
    known = [v for v in values if v is not None]
    bottom = min(0.0, *known, 0.0) if low is None else low
    return bottom, max([bottom, *known]) if high is None else high


def _shares(values: Values, low: float, high: float) -> list[float | None]:
    """Places between the bounds; a flat line at the lower one is 0."""
    if high <= low:
        return [None if v is None else 0.0 for v in values]
    scale = max(abs(low), abs(high))  # the difference of two huge numbers would be infinite
    start = low / scale
    reach = high / scale - start
    return [None if v is None else max(0.0, min(1.0, (v / scale - start) / reach)) for v in values]


def chart(
    values: Sequence[float | None],
    columns: int,
    height: int,
    glyphs: Glyphs,
    unit: str,
    step_s: float,
    high: float | None = None,
) -> list[Row]:
    """`height` rows: bars with the highest and the lowest value at the left, the time axis in the last one.

    `high` is what the top of the chart stands for where the quantity has a ceiling; else it is the highest value.
    """
    room = max(columns - LABEL - 1, 0)
    drawn = _known(values[-room:]) if room else ()
    bottom, top = _bounds(drawn, None, high)
    top = max(top, 1.0) if unit in _COUNTS else top
    tall = max(height - 1, 1)
    bars = _bar_rows(_shares(drawn, bottom, top), tall, glyphs)
    labels = _labels(tall, bottom, top, unit)
    if all(v is None for v in drawn):
        labels, bars = [""] * (tall + 1), [*[""] * (tall - 1), "no history yet"]
    rows = [_labelled(label, Span(bar, "spark"), columns, glyphs) for label, bar in zip(labels, bars, strict=False)]
    return [*rows, _labelled(labels[-1], Span(_axis(len(drawn), step_s), "dim"), columns, glyphs)][:height]


def _labels(tall: int, low: float, high: float, unit: str) -> list[str]:
    """A label for each row of bars and the axis: the lowest value stands beside the axis where there is one row."""
    labels = [""] * (tall + 1)
    labels[1 if tall == 1 else tall - 1] = short(low, unit)
    if high > low:
        labels[0] = short(high, unit)
    return labels


def short(value: float, unit: str) -> str:
    """`539/s`: of a rate the title says what is counted."""
    return f"{number(value)}/s" if unit in _RATES else shown(value, unit)


def _bar_rows(shares: Sequence[float | None], tall: int, glyphs: Glyphs) -> list[str]:
    """Rows of bars from the top; even the least value has the lowest bar, so that 0 differs from a gap."""
    steps = ladder(tall, glyphs)
    columns = [steps[0 if s is None else max(1, round(s * tall * _EIGHTHS))] for s in shares]
    return ["".join(pieces) for pieces in zip(*columns, strict=True)] if columns else [""] * tall


@lru_cache(maxsize=64)
def ladder(tall: int, glyphs: Glyphs) -> tuple[str, ...]:
    """Every height in eighths, from nothing to full, as the characters of one column from the top."""
    return tuple(
        "".join(
            glyphs.bars[min(eighths - level * _EIGHTHS, _EIGHTHS) - 1] if eighths > level * _EIGHTHS else glyphs.gap
            for level in reversed(range(tall))
        )
        for eighths in range(tall * _EIGHTHS + 1)
    )


def _axis(count: int, step_s: float) -> str:
    """`-10 min ... now` under the bars; less of it where there is no room."""
    start, end = f"-{_ago(count * step_s)}", "now"
    space = count - len(start) - len(end)
    if space > 0:
        return start + " " * space + end
    return end.rjust(count) if count >= len(end) else ""


def _ago(seconds: float) -> str:
    """Whole minutes as such: `-2 min`, where a value would read 120 s."""
    minutes, rest = divmod(seconds, 60)
    return f"{minutes:.0f} min" if minutes and not rest else duration(seconds)


def _labelled(label: str, piece: Span, columns: int, glyphs: Glyphs) -> Row:
    label = spelled(label, glyphs)
    pad = " " * max(LABEL - cells(label), 0)
    return fit((Span(f"{pad}{label} ", "dim"), piece), columns, glyphs.more)
