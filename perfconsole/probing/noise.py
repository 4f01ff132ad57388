"""By how much two runs of the same would differ: from runs where there are several, else from the samples.

The quantile q of n samples lies, 95 times of 100, between the values at the shares q - d and q + d, with
d = 1.96 * sqrt(q * (1 - q) / n), whatever their distribution. Only a few quantiles of that are kept; between two of
them it is taken for a piece of a normal one.
"""

from __future__ import annotations

from itertools import pairwise
from math import hypot, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

from perfconsole.probing.goodput import wilson
from perfconsole.probing.runs import run_spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.proberesult import ProbeResult, Spread, StepResult
    from perfconsole.probing.metrics import Metric

FLOOR = 0.05
"""Two runs on one host differ by so much, whatever their samples say."""
RUNS_FLOOR = 0.02
"""Three runs may agree by chance."""
_Z = 1.96
_NORMAL = NormalDist()
_SHARES = {"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99}


def noise_of(metric: Metric, sides: Sequence[tuple[ProbeResult, StepResult]]) -> tuple[float | None, str]:
    """The change up to which a difference between the sides says nothing, and where that is from.

    A share of the value; of a share itself, points of it. None where nothing tells.
    """
    if metric.share:
        return hypot(*(_error_interval(s) for _, s in sides)), "from the number of requests"
    ran = [_of_runs(metric, result, s) for result, s in sides]
    known = [spread for spread in ran if spread is not None]
    if len(known) == len(ran):
        return max(RUNS_FLOOR, sum(known)), "from several runs"
    sampled = [_of_samples(metric, s) for _, s in sides]
    parts = [part for part in sampled if part is not None]
    return (max(FLOOR, hypot(*parts)), "from the samples") if len(parts) == len(sampled) else (None, "")


def _of_runs(metric: Metric, result: ProbeResult, s: StepResult) -> float | None:
    return run_spread([run for run in result.runs if run.index == s.index], metric.of_step)


def _of_samples(metric: Metric, s: StepResult) -> float | None:
    spread = metric.spread(s)
    if spread is not None:
        return quantile_noise(spread, metric.quantile)
    return _rate_noise(s)


def quantile_noise(spread: Spread, name: str) -> float | None:
    """Half of the interval of a quantile, as a share of its value."""
    value, q = getattr(spread, name), _SHARES[name]
    if not value or not spread.n:
        return None
    reach = _Z * sqrt(q * (1 - q) / spread.n)
    high = _value_at(spread, min(1.0, q + reach))
    low = _value_at(spread, q - reach)
    return None if high is None or low is None else (high - low) / 2 / float(value)


def _value_at(spread: Spread, q: float) -> float | None:
    """Between the quantiles that are known; below the median as far from it as above."""
    if spread.p50 is None:
        return None
    if q < _SHARES["p50"]:
        mirrored = _value_at(spread, 1 - q)
        return None if mirrored is None else max(0.0, 2 * spread.p50 - mirrored)
    last = 1 - 0.5 / spread.n  # the share at which the maximum stands
    known = [(_SHARES[name], value) for name in _SHARES if (value := getattr(spread, name)) is not None]
    known = [(share, value) for share, value in known if share < last]
    known += [(last, spread.max)] if spread.max is not None else []
    for (left, low), (right, high) in pairwise(known):
        if left <= q <= right:
            return float(low + (high - low) * _part(left, q, right))
    return float(known[-1][1]) if known else spread.p50


def _part(left: float, q: float, right: float) -> float:
    """How far q is on the way from one share to another, in deviations of a normal distribution."""
    start, here, end = (_NORMAL.inv_cdf(share) for share in (left, q, right))
    return (here - start) / (end - start)


def _rate_noise(s: StepResult) -> float | None:
    """Of a rate, from how much the times of its requests differ."""
    e2e = s.e2e
    if not e2e.n or not e2e.p50 or e2e.p90 is None:
        return None
    return _Z * (e2e.p90 - e2e.p50) / _NORMAL.inv_cdf(_SHARES["p90"]) / e2e.p50 / sqrt(e2e.n)


def _error_interval(s: StepResult) -> float:
    low, high = wilson(s.errors, s.requests)
    return (high - low) / 2
