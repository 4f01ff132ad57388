"""Rows that stand in for a better metric, on a page that has it. Pure."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from perfconsole.sources.mapping.gathered import OVER, TIMES
from perfconsole.sources.mapping.labelmatch import matches

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfconsole.sources.adapter import Metric, Pairs
    from perfconsole.sources.exposition import RawSeries

    Rows = Mapping[str, Sequence[tuple[int, str, Pairs]]]
    """By sample name: the rows that read it, with the cell that it fills."""
    Better = tuple[tuple[int, tuple[int, ...]], ...]
    """Of each row that stands in for others: where the series are that count better than it."""


def better(metrics: Sequence[Metric], rows: Rows, series: Sequence[RawSeries]) -> Better:
    """Where the better ones are: series of the names that a row stands in for, but for what it or their rows leave out.

    Polls and doors of the program itself, which are left out, tell nothing of what a caller asked for; whether there is
    one with the labels that a row asks for (5xx) does not matter.
    """
    names = {name for metric in metrics for name in metric.instead_of}
    there = [(i, s.name, dict(s.labels)) for i, s in enumerate(series) if s.name in names]
    there = [one for one in there if _counts(*one[1:], metrics, rows)]
    return tuple(
        (row, tuple(i for i, n, labels in there if n in metric.instead_of and matches((), metric.unless, labels)))
        for row, metric in enumerate(metrics)
        if metric.instead_of
    )


def _counts(name: str, labels: dict[str, str], metrics: Sequence[Metric], rows: Rows) -> bool:
    """Some row of that name does not leave the series out, or there is no row of it."""
    readers = [metrics[row] for row, cell, _ in rows.get(name, ()) if cell not in (TIMES, OVER)]
    return not readers or any(matches((), metric.unless, labels) for metric in readers)


def idle_rows(places: Better, values: Sequence[float]) -> frozenset[int]:
    """Rows that need not stand in, as a better metric has a number on the page."""
    return frozenset(row for row, there in places if any(not isnan(values[place]) for place in there))
