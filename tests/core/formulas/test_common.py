"""Windows, rates and quotients that formulas share."""

from __future__ import annotations

import pytest

from perfconsole.core.formulas.common import delta, least, number, poll_window_s, quotient, rate
from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, World, histogram, page, sample

TOKENS = "engine.generation_tokens"


@pytest.mark.parametrize(("cadence_s", "window_s"), [(1.0, 10.0), (4.0, 10.0), (30.0, 75.0)])
def test_a_window_holds_two_polls_of_a_slow_source(cadence_s: float, window_s: float) -> None:
    """2.5 cadences where that is more than what was asked for."""
    world = World()
    world.apply(page(0.0, sample(TOKENS, 1.0), cadence_s=cadence_s))
    assert poll_window_s(world.frame(0.0), TOKENS, ENGINE, 10.0) == window_s


def test_a_window_of_an_unknown_series_is_as_asked() -> None:
    """Nothing known stretches nothing."""
    assert poll_window_s(World().frame(0.0), TOKENS, ENGINE, 10.0) == 10.0


def test_a_rate_is_over_the_time_that_passed() -> None:
    """Two polls 4 s apart in a window of 10."""
    world = World()
    world.play({TOKENS: [0.0, 40.0]}, step_s=4.0)
    assert rate(world.frame(4.0), TOKENS, ENGINE) == 10.0


def test_a_rate_of_a_histogram_is_that_of_its_count() -> None:
    """Observations a second, not the sum of what was observed."""
    world = World()
    for t, count in ((0.0, 0.0), (2.0, 6.0)):
        world.apply(page(t, sample("engine.ttft", histogram(0, 1, count, count, total=100 * count))))
    assert rate(world.frame(2.0), "engine.ttft", ENGINE) == 3.0


def test_a_rate_with_the_parts_of_a_label() -> None:
    """Only the parts that match grow."""
    world = World()
    for t in (0.0, 1.0):
        world.apply(page(t, sample(TOKENS, 5 * t, rank="0"), sample(TOKENS, 7 * t, rank="1")))
    assert rate(world.frame(1.0), TOKENS, ENGINE, match=(("rank", "1"),)) == 7.0


def test_a_delta_is_over_what_there_is() -> None:
    """Ten seconds of data in a window of five minutes."""
    world = World()
    world.play({TOKENS: [0.0, 40.0]}, step_s=10.0)
    assert delta(world.frame(10.0), TOKENS, ENGINE) == 40.0


def test_a_delta_passes_the_reason_on() -> None:
    """Nothing known, nothing grown, and not 0."""
    assert delta(World().frame(0.0), TOKENS, ENGINE) is Missing.NEVER


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [
        (1.0, 4.0, 0.25),
        (0.0, 4.0, 0.0),
        (1.0, 0.0, Missing.NEVER),
        (0.0, 0.0, Missing.NEVER),
        (Missing.STALE, 4.0, Missing.STALE),
        (1.0, Missing.STALE, Missing.STALE),
        (Missing.SOURCE_DOWN, Missing.STALE, Missing.SOURCE_DOWN),
    ],
)
def test_a_quotient_keeps_the_reason(part: float | Missing, whole: float | Missing, expected: float | Missing) -> None:
    """A missing side is the reason, a whole of 0 has no share."""
    assert quotient(part, whole) == expected


@pytest.mark.parametrize(("value", "expected"), [(0.0, 0.0), (3.0, 3.0), (Missing.NEVER, 7.0)])
def test_a_number_falls_back_only_when_missing(value: float | Missing, expected: float) -> None:
    """A value of 0 is a value."""
    assert number(value, 7.0) == expected


@pytest.mark.parametrize(("count", "found"), [(5.0, 5.0), (4.0, Missing.WARMING_UP), (Missing.STALE, Missing.STALE)])
def test_a_count_that_is_too_small_is_warming_up(count: float | Missing, found: float | Missing) -> None:
    """Its own reason stays."""
    assert least(count, 5.0) == found
