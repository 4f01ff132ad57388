"""What a row of cumulative counts says under a suffix: p50, p90, p95, p99 or mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.quantile import mean, quantile

if TYPE_CHECKING:
    from perfconsole.core.series import Series

QUANTILES = {"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99}


def read_distribution(suffix: str, bounds: tuple[float, ...], cells: tuple[float, ...]) -> float | None:
    """p50, p90, p95, p99 or mean of a row of cumulative counts with the sum as last cell; None when it has none."""
    if len(cells) != len(bounds) + 1:
        return None
    if suffix == "mean":
        return mean(cells[-1], cells[-2])
    return quantile(QUANTILES[suffix], bounds, cells[:-1])


def lifetime_figure(suffix: str, parts: list[Series]) -> float | None:
    """The suffix read from the newest cumulative rows of all parts with the same buckets."""
    bounds = next((s.bounds for s in parts if s.bounds is not None), None)
    if bounds is None:
        return None
    rows = [s.last_row() for s in parts if s.bounds == bounds]
    summed = rows[0] if len(rows) == 1 else tuple(map(sum, zip(*rows, strict=True)))
    return read_distribution(suffix, bounds, summed)
