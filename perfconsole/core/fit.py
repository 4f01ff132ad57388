"""The straight line through samples of a window: slope and how well it fits."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


FITS = 0.9
"""R2 above which a line counts as what the values really do."""


class Fit(NamedTuple):
    """Least-squares line."""

    slope: float
    """Change of the value a second."""
    r2: float
    """Share of the variance that the line explains; 1.0 for a flat line."""


MIN_POINTS = 10
"""A line through fewer points, as a long outage leaves them, fits too easily to foretell anything."""


def fit(points: Sequence[tuple[float, float]]) -> Fit | None:
    """Line through (t, value) points; None with fewer than two different times, or values beyond all measure."""
    n = len(points)
    if n < 2:
        return None
    t0 = points[0][0]
    mean_t = sum(t - t0 for t, _ in points) / n
    mean_v = sum(v for _, v in points) / n
    apart = [(t - t0 - mean_t, v - mean_v) for t, v in points]
    tt = sum(x * x for x, _ in apart)
    if tt <= 0:
        return None
    tv = sum(x * y for x, y in apart)
    vv = sum(y * y for _, y in apart)
    if not isfinite(tv) or not isfinite(vv):
        return None  # values near the largest double: their squares are no numbers any more
    if len({v for _, v in points}) == 1:
        return Fit(0.0, 1.0)  # exactly flat, whatever the rounding of the mean says
    return Fit(tv / tt, 1.0 if vv <= 0 else min(1.0, (tv / tt) * (tv / vv)))
