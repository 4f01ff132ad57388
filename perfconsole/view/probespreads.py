"""Whole distributions of a probe: every percentile of every quantity, with the number of samples it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.view.canvas import cells
from perfconsole.view.probetable import millis, step_names
from perfconsole.view.units import number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perfconsole.model.proberesult import Spread, StepResult

_HEADS = ("load", "of", "n", "mean", "p50", "p90", "p95", "p99", "max")
_QUANTITIES: tuple[tuple[str, Callable[[StepResult], Spread]], ...] = (
    ("TTFT", lambda r: r.ttft),
    ("TTFO", lambda r: r.ttfo),
    ("ITL", lambda r: r.itl),
    ("TPOT", lambda r: r.tpot),
    ("e2e", lambda r: r.e2e),
    ("burst", lambda r: r.burst),
    ("connect", lambda r: r.connect),
    ("resolve", lambda r: r.resolve),
)


def spread_rows(steps: Sequence[StepResult]) -> list[tuple[str, ...]]:
    """Headings, then a row for each quantity of each step that has samples; times in milliseconds."""
    rows: list[tuple[str, ...]] = [_HEADS]
    for name, result in zip(step_names(steps), steps, strict=True):
        spreads = ((quantity, take(result)) for quantity, take in _QUANTITIES)
        rows += [_row(name, quantity, spread) for quantity, spread in spreads if spread.n]
    return rows


def _row(name: str, quantity: str, spread: Spread) -> tuple[str, ...]:
    times = (spread.mean, spread.p50, spread.p90, spread.p95, spread.p99, spread.max)
    return name, quantity, number(spread.n), *map(millis, times)


def spread_lines(steps: Sequence[StepResult]) -> list[str]:
    """The same as lines of text in columns, the headings first."""
    rows = spread_rows(steps)
    widths = [max(cells(row[place]) for row in rows) for place in range(len(_HEADS))]
    return ["  ".join(_set(text, widths[place], place) for place, text in enumerate(row)) for row in rows]


def _set(text: str, width: int, place: int) -> str:
    """To the right, but for the names of quantities."""
    blank = " " * (width - cells(text))
    return f"{text}{blank}" if place == 1 else f"{blank}{text}"
