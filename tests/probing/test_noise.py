"""By how much two runs of the same would differ."""

from __future__ import annotations

from math import hypot, sqrt
from random import Random
from statistics import quantiles

import pytest

from perfconsole.model.proberesult import Spread
from perfconsole.probing.metrics import METRICS
from perfconsole.probing.noise import FLOOR, RUNS_FLOOR, noise_of, quantile_noise
from perfconsole.probing.spread import spread_of
from tests.probing.building import result, rung, spread

P95, RATE, ERRORS = METRICS["ttft_p95"], METRICS["output_tokens_per_s"], METRICS["error_ratio"]


def test_runs_tell_it() -> None:
    """The spread of both sides, for each number its own."""
    runs = tuple(rung(8, speed, ttft=spread(ttft)) for speed, ttft in ((1000, 0.1), (1040, 0.11), (1020, 0.12)))
    side = (result(runs[2], runs=runs), runs[2])
    noise, source = noise_of(RATE, [side, side])
    assert (noise, source == "from several runs") == pytest.approx((2 * 20 / 1020, True))
    assert noise_of(P95, [side, side])[0] == pytest.approx(2 * 0.01 / 0.11)


def test_runs_that_agree_by_chance() -> None:
    """No two runs are the same."""
    runs = (rung(8, 1000), rung(8, 1000), rung(8, 1000))
    side = (result(runs[0], runs=runs), runs[0])
    assert noise_of(RATE, [side, side])[0] == RUNS_FLOOR


def test_runs_of_one_side_are_not_enough() -> None:
    """The samples of both are asked instead."""
    runs = (rung(8, 1000), rung(8, 1001))
    one, several = result(rung(8, 1000)), result(rung(8, 1000), runs=runs)
    assert noise_of(RATE, [(several, several.steps[0]), (one, one.steps[0])])[1] == "from the samples"


def test_a_quantile_is_known_as_its_samples_tell() -> None:
    """The interval holds the medians of such samples, and not much more."""
    random = Random(7)  # noqa: S311 - no secret
    noise = quantile_noise(spread_of(random.expovariate(1.0) for _ in range(400)), "p50")
    medians = [quantiles((random.expovariate(1.0) for _ in range(400)), n=2)[0] for _ in range(300)]
    assert noise is not None
    inside = sum(abs(m - 0.693) <= noise * 0.693 for m in medians) / len(medians)
    assert inside > 0.9
    assert noise < 0.3


def test_more_samples_tell_more() -> None:
    """Down to what two runs on one host differ by anyhow."""
    few, many = (quantile_noise(spread(0.1, n, 2.0), "p50") for n in (30, 3000))
    assert few is not None
    assert many is not None
    assert few > 3 * many
    side = (result(), rung(8, 1000, ttft=spread(0.1, 10**6)))
    assert noise_of(P95, [side, side])[0] == FLOOR


def test_a_rate_is_as_sure_as_the_times_of_its_requests() -> None:
    """Their deviation by the root of their number."""
    wide = rung(8, 1000, e2e=spread(1.0, 25, 2.2816))
    assert noise_of(RATE, [(result(), wide)])[0] == pytest.approx(1.96 / sqrt(25), rel=1e-3)


def test_errors_are_as_sure_as_their_number() -> None:
    """In points, not as a ratio of themselves."""
    few, many = rung(8, 1, requests=20), rung(8, 1, requests=2000)
    both = noise_of(ERRORS, [(result(), few), (result(), many)])[0]
    alone = noise_of(ERRORS, [(result(), few)])[0]
    other = noise_of(ERRORS, [(result(), many)])[0]
    assert alone is not None
    assert other is not None
    assert both == pytest.approx(hypot(alone, other))
    assert alone > 0.08
    assert other < 0.002


def test_nothing_tells_of_nothing() -> None:
    """No samples, no noise."""
    empty = rung(8, 1, ttft=Spread(), e2e=Spread())
    assert noise_of(P95, [(result(), empty)]) == noise_of(RATE, [(result(), empty)]) == (None, "")
