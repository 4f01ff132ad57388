"""A second peak in the latency of a gateway, and what only looks like one."""

from __future__ import annotations

from bisect import bisect_right
from math import exp, inf
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.core.formulas.slowmode import slow_mode_of
from perfconsole.model.sample import Missing
from tests.core.building import GATEWAY, World, histogram, known, page, sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MODE = "gateway.slow_mode"
SHARE = "gateway.slow_mode_share"
LATENCY = "gateway.latency"
FINE = (0.05, 0.1, 0.25, *(i / 2 for i in range(1, 21)), inf)
"""Steps of half a second, as some gateways have them."""
COARSE = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, inf)
DOUBLING = (*(0.001 * 2**i for i in range(18)), inf)


def counted(values: Iterable[float], bounds: Sequence[float] = FINE) -> tuple[float, ...]:
    """Cumulative counts."""
    held = sorted(values)
    return tuple(float(bisect_right(held, b)) for b in bounds)


def usual(count: int, seed: int = 1, median_s: float = 0.4, spread: float = 0.4) -> list[float]:
    """Requests as they are when all is well: log-normal."""
    random = Random(seed)  # noqa: S311 - a test needs the same numbers again
    return [median_s * exp(random.gauss(0.0, spread)) for _ in range(count)]


def mode(values: Iterable[float], bounds: Sequence[float] = FINE, name: str = MODE) -> float | Missing:
    """The indicator of a gateway that saw these latencies between two polls."""
    counts = counted(values, bounds)
    world = World()
    none = histogram(*(0.0 for _ in bounds), bounds=tuple(bounds))
    world.apply(page(0.0, sample(LATENCY, none, GATEWAY)))
    world.apply(page(10.0, sample(LATENCY, histogram(*counts, bounds=tuple(bounds)), GATEWAY)))
    return world.value(name, 10.0, GATEWAY)


def test_a_resolver_timeout_is_a_slow_mode() -> None:
    """2 % of the requests take five seconds more than the others."""
    values = [*usual(980), *(5.0 + 0.1 * v for v in usual(20))]
    assert known(mode(values)) == pytest.approx(5.25)
    assert known(mode(values, name=SHARE)) == pytest.approx(0.02)


def test_a_peak_over_two_buckets_lies_between_them() -> None:
    """Half of it on either side of 5 s."""
    values = [*usual(960), *(4.8 for _ in range(20)), *(5.2 for _ in range(20))]
    assert known(mode(values)) == pytest.approx(5.0)


def test_a_wide_bucket_has_no_place_but_a_share() -> None:
    """From 5 to 10 s: nobody can say where in it."""
    values = [*usual(980, median_s=0.15), *(5.1 for _ in range(20))]
    assert mode(values, COARSE) is Missing.UNSUPPORTED
    assert known(mode(values, COARSE, SHARE)) == pytest.approx(0.02)


def test_one_mode_is_none() -> None:
    """Nothing slow: never seen, and not 0."""
    assert mode(usual(1000)) is Missing.NEVER
    assert mode(usual(1000), name=SHARE) is Missing.NEVER


@pytest.mark.parametrize("bounds", [FINE, COARSE, DOUBLING])
@pytest.mark.parametrize("spread", [0.5, 1.0, 1.5])
@pytest.mark.parametrize("seed", range(5))
def test_a_long_tail_is_no_mode(bounds: tuple[float, ...], spread: float, seed: int) -> None:
    """However heavy, and however the buckets widen."""
    assert slow_mode_of(bounds, counted(usual(3000, seed, spread=spread), bounds)) is None


def test_a_bucket_that_only_is_wider_is_no_mode() -> None:
    """More requests from 5 to 10 s than from 2 to 5 s, at a lower density."""
    values = [*usual(900, median_s=0.2), *(2.1 + 0.1 * i for i in range(20)), *(5.1 + 0.15 * i for i in range(30))]
    assert mode(values, COARSE, SHARE) is Missing.NEVER


def test_a_few_requests_are_no_mode() -> None:
    """Five slow ones of a thousand may be anything."""
    assert mode([*usual(995), *(5.1 for _ in range(5))]) is Missing.NEVER


def test_a_mode_of_half_the_requests_is_no_slow_one() -> None:
    """Two kinds of work, not a fault of a few."""
    assert mode([*usual(500), *(5.1 for _ in range(300))]) is Missing.NEVER


def test_a_mode_near_the_median_is_none() -> None:
    """Three times the median is not four."""
    assert mode([*usual(950, median_s=1.7, spread=0.05), *(5.1 for _ in range(50))]) is Missing.NEVER


def test_few_requests_warm_up() -> None:
    """Fifty say nothing of a peak of 12."""
    assert mode(usual(50)) is Missing.WARMING_UP


def test_without_buckets_there_are_no_peaks() -> None:
    """A summary has a mean and nothing else."""
    assert mode(usual(100), (inf,)) is Missing.UNSUPPORTED


def test_one_poll_warms_up() -> None:
    """What a gateway counted before the console came is not now."""
    world = World()
    world.apply(page(0.0, sample(LATENCY, histogram(1.0, 2.0, 3.0, 4.0), GATEWAY)))
    assert world.value(MODE, 0.0, GATEWAY) is Missing.WARMING_UP


def test_a_value_from_outside_overrides() -> None:
    """A situation file states it."""
    world = World()
    world.apply(page(0.0, sample(MODE, 5.0, GATEWAY)))
    assert world.value(MODE, 0.0, GATEWAY) == 5.0


@given(st.lists(st.integers(0, 400), min_size=len(FINE), max_size=len(FINE)))
def test_a_mode_is_small_and_far_out(counts: list[int]) -> None:
    """Whatever the counts: 0.2 to 20 % of the requests, within its bounds."""
    cumulative = [float(sum(counts[: i + 1])) for i in range(len(counts))]
    found = slow_mode_of(FINE, cumulative)
    if found is not None:
        assert 0.002 <= found.share <= 0.2
        assert found.low <= found.place <= found.high


@given(st.lists(st.integers(0, 1000), min_size=len(DOUBLING), max_size=len(DOUBLING)))
def test_a_falling_density_has_no_mode(steps: list[int]) -> None:
    """No distribution that only falls has a second peak, whatever the widths of its buckets."""
    widths = [b - a for a, b in zip((0.0, *DOUBLING[:-2]), DOUBLING[:-1], strict=True)]
    densities = [float(sum(steps[i:])) for i in range(len(widths))]
    counts = [d * w for d, w in zip(densities, widths, strict=True)]
    cumulative = [sum(counts[: i + 1]) for i in range(len(counts))]
    assert slow_mode_of(DOUBLING, (*cumulative, cumulative[-1])) is None
