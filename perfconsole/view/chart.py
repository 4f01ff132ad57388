"""Charts made of bars: one row of eighths, or several rows with values and a time axis. A gap stays a gap."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.view.canvas import Row, Span, cells, fit
from perfconsole.view.spelling import spelled
from perfconsole.view.units import duration, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.view.glyphs import Glyphs

LABEL = 10
"""Columns at the left of a chart: the longest value in words is `1.95 GiB/s`."""
SPAN_S = 600.0
"""How far back charts go: single ticks are kept for ten minutes."""
_STEPS_S = (5.0, 6.0, 10.0, 12.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0)
"""No stretch is shorter than the slowest cadence, or a chart would show gaps where there are none."""
_EIGHTHS = 8

Values = tuple[float | None, ...]


class Stretches(NamedTuple):
    """How ten minutes are cut into the columns at hand."""

    step_s: float
    columns: int


def stretches(columns: int) -> Stretches | None:
    """The finest cut of the last ten minutes that fits; None where not even one column a minute does."""
    fitting = (s for s in _STEPS_S if SPAN_S / s <= columns)
    step_s = next(fitting, None)
    return None if step_s is None else Stretches(step_s, round(SPAN_S / step_s))


def spark(values: Sequence[float | None], glyphs: Glyphs, low: float | None = None, high: float | None = None) -> str:
    """One column a value, scaled from 0 (or the lowest, if below) to the highest unless bounds are given."""
    bottom, top = _bounds(values, low, high)
    return "".join(glyphs.gap if v is None else glyphs.bars[_level(v, bottom, top)] for v in map(_known, values))


def _known(value: float | None) -> float | None:
    """A time that never comes (infinity) has no height: a gap, like a value that is not there."""
    return value if value is not None and isfinite(value) else None


def _bounds(values: Sequence[float | None], low: float | None, high: float | None) -> tuple[float, float]:
    known = [v for v in map(_known, values) if v is not None]
    bottom = min(0.0, *known, 0.0) if low is None else low
    return bottom, max([bottom, *known]) if high is None else high


def _share(value: float, low: float, high: float) -> float:
    """Place between the bounds; a flat line at the lower one is 0."""
    if high <= low:
        return 0.0
    scale = max(abs(low), abs(high))  # the difference of two huge numbers would be infinite
    return max(0.0, min(1.0, (value / scale - low / scale) / (high / scale - low / scale)))


def _level(value: float, low: float, high: float) -> int:
    return min(_EIGHTHS - 1, int(_share(value, low, high) * _EIGHTHS))


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
    drawn = tuple(map(_known, values))[-room:] if room else ()
    bottom, top = _bounds(drawn, None, high)
    tall = max(height - 1, 1)
    bars = [_bar_row(drawn, tall - 1 - y, (bottom, top, tall), glyphs) for y in range(tall)]
    labels = _labels(tall, bottom, top, unit)
    if all(v is None for v in drawn):
        labels, bars = [""] * (tall + 1), [*[""] * (tall - 1), "no history yet"]
    rows = [_labelled(label, Span(bar, "spark"), columns, glyphs) for label, bar in zip(labels, bars, strict=False)]
    return [*rows, _labelled(labels[-1], Span(_axis(len(drawn), step_s), "dim"), columns, glyphs)][:height]


def _labels(tall: int, low: float, high: float, unit: str) -> list[str]:
    """A label for each row of bars and the axis: the lowest value stands beside the axis where there is one row."""
    labels = [""] * (tall + 1)
    labels[1 if tall == 1 else tall - 1] = shown(low, unit)
    if high > low:
        labels[0] = shown(high, unit)
    return labels


def _bar_row(values: Sequence[float | None], level: int, scale: tuple[float, float, int], glyphs: Glyphs) -> str:
    """One row of bars; the lowest row shows at least the lowest bar, so that 0 differs from a gap."""
    low, high, tall = scale
    row = []
    for value in values:
        eighths = 0 if value is None else round(_share(value, low, high) * tall * _EIGHTHS) - level * _EIGHTHS
        if value is not None and level == 0:
            eighths = max(eighths, 1)
        row.append(glyphs.bars[min(eighths, _EIGHTHS) - 1] if eighths > 0 else glyphs.gap)
    return "".join(row)


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
