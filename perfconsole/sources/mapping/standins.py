"""Rows that stand in for a better metric, on a page that has it. Pure."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from perfconsole.sources.mapping.labelmatch import matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.sources.adapter import Metric
    from perfconsole.sources.exposition import Page


def idle_rows(stand_ins: Sequence[int], metrics: Sequence[Metric], page: Page) -> frozenset[int]:
    """Of the rows that stand in for others those that need not, as a better metric counts on the page."""
    return frozenset(
        row for row in stand_ins if any(_counts(name, metrics[row], page) for name in metrics[row].instead_of)
    )


def _counts(name: str, metric: Metric, page: Page) -> bool:
    """The page has a number of this name that the row's own `unless` leaves."""
    places = (place for place in page.places(name) if not isnan(page.values[place]))
    return any(matches((), metric.unless, dict(page.series[place].labels)) for place in places)
