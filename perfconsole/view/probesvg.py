"""Curves of a probe as SVG to stand inside a page: text as text, colours by the page's classes, nothing from outside.

Lines are told apart by their dashes and by a label at their end, not by colour alone; what is not valid is hollow and
has its word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from perfconsole.view.chart import short
from perfconsole.view.plain import plain
from perfconsole.view.probecurves import result_curves
from perfconsole.view.probescale import Scale, scale_of
from perfconsole.view.probewords import axis_words, mark_word, step_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.model.proberesult import ProbeResult
    from perfconsole.view.probecurves import Axis, Curve, Series

WIDTH, HEIGHT = 600.0, 290.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 462.0, 40.0, 242.0
"""Edges of the plot: values stand left of it, names of the lines right of it, loads below."""
_INSET = 14.0
_SWATCH = 18.0
_NAMES = {"TTFT": "TTFT, time to first token", "ITL": "ITL, time between tokens"}
_LETTER = 6.8
"""Pixels of a letter of 12 px, for keeping labels apart."""
_LINE = 15.0
_CLASSES = ("one", "two", "three")

STYLE = """
svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
svg .soft { fill: var(--soft); }
svg .strong { font-weight: 600; }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
svg .knee, svg .promise { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 5 4; }
svg .one { stroke: var(--one); } svg circle.one { fill: var(--one); }
svg .two { stroke: var(--two); } svg circle.two { fill: var(--two); }
svg .three { stroke: var(--three); } svg circle.three { fill: var(--three); }
svg polyline.two { stroke-dasharray: 7 4; } svg polyline.three { stroke-dasharray: 2 4; }
svg circle.hollow { fill: var(--page); stroke-width: 1.5; }
"""
"""What the classes look like; the page gives the colours."""


class Note(NamedTuple):
    """A text at the right of the plot, at the height of what it names."""

    y: float
    text: str
    style: str
    """Class of the line that it names."""


def figures(result: ProbeResult) -> list[tuple[str, str]]:
    """Title and picture of each curve."""
    curves = result_curves(result.steps, result.knee)
    marks = {step_name(step.step): mark_word(step) for step in reversed(result.steps) if not step.valid}
    words = [marks.get(name, "") for name in curves.axis.names]
    promises = (None, result.plan.slo.ttft_p95_s, None)
    load = axis_words(result.plan)
    return [
        (f"{curve.title} by {load}", curve_svg(curve, curves.axis, load, words, promise))
        for curve, promise in zip(curves.all, promises, strict=True)
    ]


def curve_svg(curve: Curve, axis: Axis, load: str, words: Sequence[str] = (), promise: float | None = None) -> str:
    """One picture. `words` say why a load is not valid; `promise` is what p95 must not pass, in the curve's unit."""
    scale = scale_of([value for series in curve.values for value in series], (BOTTOM, TOP), log_axis=curve.log)
    box, name = f"0 0 {WIDTH:.0f} {HEIGHT:.0f}", quoteattr(plain(f"{curve.title} by {load}"))
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" aria-label={name}>',
        _text(0, 14, f"{_NAMES.get(curve.title, curve.title)}{', logarithmic' if curve.log else ''}", "strong"),
        _text((LEFT + RIGHT) / 2, HEIGHT - 8, load, "soft", "middle"),
    ]
    if scale is None:
        rows.append(_text((LEFT + RIGHT) / 2, (TOP + BOTTOM) / 2, "no value", "soft", "middle"))
    else:
        rows += [*_grid(scale, curve.unit), *_loads(axis), *_promise(scale, promise)]
        rows += [*_knee(axis), *_lines(curve, axis, scale), *_words(curve, axis, scale, words)]
        rows += _notes([*_ends(curve, axis.void, scale), *_promise_note(scale, promise, curve.unit)])
    return "\n".join([*rows, "</svg>"])


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "start") -> str:
    anchored = "" if anchor == "start" else f' text-anchor="{anchor}"'
    classed = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{classed}{anchored}>{escape(plain(text))}</text>'


def _line(style: str, x0: float, y0: float, x1: float, y1: float) -> str:
    return f'<line class="{style}" x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}"/>'


def _x(axis: Axis, place: int) -> float:
    return LEFT + _INSET + axis.places[place] * (RIGHT - LEFT - 2 * _INSET)


def _grid(scale: Scale, unit: str) -> Iterator[str]:
    for value in scale.ticks:
        y = scale.y(value)
        yield _line("grid", LEFT, y, RIGHT, y)
        yield _text(LEFT - 6, y + 4, short(value, unit), "soft", "end")


def _loads(axis: Axis) -> Iterator[str]:
    """The loads below the plot, as many as stand apart; the knee is always among them."""
    order = [p for p in (axis.knee, 0, len(axis.names) - 1) if p is not None]
    order += [place for place in range(len(axis.names)) if place not in order]
    kept: dict[int, tuple[float, float]] = {}
    for place in dict.fromkeys(order):
        x, half = _x(axis, place), len(plain(axis.names[place])) * _LETTER / 2 + 4
        if all(abs(x - other) >= half + wide for other, wide in kept.values()):
            kept[place] = (x, half)
    for place, (x, _) in sorted(kept.items()):
        yield _text(x, BOTTOM + 18, axis.names[place], "strong" if place == axis.knee else "soft", "middle")


def _knee(axis: Axis) -> Iterator[str]:
    if axis.knee is not None:
        x, text = _x(axis, axis.knee), f"knee {axis.names[axis.knee]}"
        half = len(text) * _LETTER / 2
        yield _line("knee", x, TOP - 6, x, BOTTOM)
        yield _text(max(LEFT + half, min(x, RIGHT - half)), TOP - 10, text, "strong", "middle")


def _promise(scale: Scale, promise: float | None) -> Iterator[str]:
    """Only where it lies within what was measured: else it would press the curves together."""
    if promise is not None and scale.holds(promise):
        y = scale.y(promise)
        yield _line("promise", LEFT, y, RIGHT, y)


def _promise_note(scale: Scale, promise: float | None, unit: str) -> Iterator[Note]:
    if promise is not None and scale.holds(promise):
        yield Note(scale.y(promise), f"promised {short(promise, unit)}", "promise")


def _lines(curve: Curve, axis: Axis, scale: Scale) -> Iterator[str]:
    for style, series in zip(_CLASSES, curve.values, strict=False):
        for run in _runs(series, axis) if axis.rises else ():
            points = " ".join(f"{_x(axis, place):.1f},{scale.y(value):.1f}" for place, value in run)
            yield f'<polyline class="{style}" points="{points}"/>'
        for place, value in enumerate(series):
            if value is not None:
                hollow = " hollow" if place in axis.void else ""
                yield f'<circle class="{style}{hollow}" cx="{_x(axis, place):.1f}" cy="{scale.y(value):.1f}" r="3.5"/>'


def _runs(series: Series, axis: Axis) -> Iterator[list[tuple[int, float]]]:
    """Neighbours that are known and valid; a line over a gap would be made up."""
    run: list[tuple[int, float]] = []
    for place, value in enumerate(series):
        if value is not None and place not in axis.void:
            run.append((place, value))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _words(curve: Curve, axis: Axis, scale: Scale, words: Sequence[str]) -> Iterator[str]:
    """Above the highest point of a load that is not valid; where they would stand in one another, the first ones."""
    free = 0.0
    for place in sorted(axis.void):
        known = [v for series in curve.values if (v := series[place]) is not None]
        word = words[place] if place < len(words) else ""
        half = len(word) * _LETTER / 2
        x = _x(axis, place)
        if known and word and x - half >= free:
            free = x + half + 4
            yield _text(x, scale.y(max(known)) - 8, word, "soft", "middle")


def _ends(curve: Curve, void: frozenset[int], scale: Scale) -> Iterator[Note]:
    """The name of each line and its last value that counts."""
    for style, name, series in zip(_CLASSES, curve.lines, curve.values, strict=False):
        valid = [value for place, value in enumerate(series) if value is not None and place not in void]
        last = valid[-1] if valid else None
        if last is not None:
            yield Note(scale.y(last), f"{name} {short(last, curve.unit)}".strip(), style)


def _notes(notes: Sequence[Note]) -> Iterator[str]:
    """At the right of the plot, moved down where they would stand in one another, and back up from its lower edge."""
    ordered = sorted(notes)
    places: list[float] = []
    for note in ordered:
        places.append(max(note.y, places[-1] + _LINE) if places else note.y)
    most = BOTTOM
    for index in reversed(range(len(places))):
        places[index] = min(places[index], most)
        most = places[index] - _LINE
    for note, y in zip(ordered, places, strict=True):
        yield f'<polyline class="{note.style}" points="{RIGHT + 6:.1f},{y:.1f} {RIGHT + 6 + _SWATCH:.1f},{y:.1f}"/>'
        yield _text(RIGHT + 10 + _SWATCH, y + 4, note.text)
