"""What a row of cumulative counts says under a suffix: p50, p90, p95, p99 or mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.quantile import mean, quantile, quantiles

if TYPE_CHECKING:
    from collections.abc import Collection

    from perfconsole.core.series import Series

QUANTILES = {"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99}
SUFFIXES = (*QUANTILES, "mean")


def read_distribution(suffix: str, bounds: tuple[float, ...], cells: tuple[float, ...]) -> float | None:
    """p50, p90, p95, p99 or mean of a row of cumulative counts with the sum as last cell; None when it has none."""
    if len(cells) != len(bounds) + 1:
        return None
    if suffix == "mean":
        return mean(cells[-1], cells[-2])
    return quantile(QUANTILES[suffix], bounds, cells[:-1])


def read_figures(bounds: tuple[float, ...], cells: tuple[float, ...]) -> dict[str, float | None]:
    """What `read_distribution` gives for every suffix, in one go: a screen shows all five of each histogram."""
    if len(cells) != len(bounds) + 1:
        return dict.fromkeys(SUFFIXES)
    found = dict(zip(QUANTILES, quantiles(QUANTILES.values(), bounds, cells[:-1]), strict=True))
    found["mean"] = mean(cells[-1], cells[-2])
    return found


def lifetime_figures(parts: Collection[Series]) -> dict[str, float | None]:
    """Every suffix read from the newest cumulative rows of all parts with the same buckets."""
    bounds = next((s.bounds for s in parts if s.bounds is not None), None)
    if bounds is None:
        return dict.fromkeys(SUFFIXES)
    rows = [s.last_row() for s in parts if s.bounds == bounds]
    return read_figures(bounds, rows[0] if len(rows) == 1 else tuple(map(sum, zip(*rows, strict=True))))
