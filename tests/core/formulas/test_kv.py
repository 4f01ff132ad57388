"""Prefill and the KV cache."""

from __future__ import annotations

from math import inf

import pytest

from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, World, known, page, sample

PROMPT = "engine.prompt_tokens"
OUTPUT = "engine.generation_tokens"
USAGE = "engine.kv_cache_usage"
CAPACITY = "engine.kv_cache_capacity"
PREFILL = "engine.prefill_rate"
SATURATION = "engine.prefill_saturation"
TO_FULL = "engine.kv_time_to_full"


def line(start: float, step: float, count: int) -> list[float | None]:
    """Evenly spaced values."""
    return [start + step * i for i in range(count)]


def busy(prompt: float, output: float, usage: float, seconds: int = 11) -> tuple[World, float]:
    """An engine of 100 000 KV tokens with these steps a second."""
    world = World()
    rows = {
        PROMPT: line(0, prompt, seconds),
        OUTPUT: line(0, output, seconds),
        USAGE: line(0.1, usage, seconds),
        CAPACITY: line(1e5, 0, seconds),
    }
    return world, world.play(rows)


def test_prefill_is_what_kv_grows_beyond_the_output() -> None:
    """A long prompt that the counter does not show yet: 1 % of 100 000 a second, less 200 generated."""
    world, end = busy(0.0, 200.0, 0.01)
    assert world.value(PREFILL, end) == pytest.approx(800.0)


def test_prefill_is_the_counter_where_that_is_more() -> None:
    """Short prompts come and go without KV growth."""
    world, end = busy(500.0, 200.0, 0.0)
    assert world.value(PREFILL, end) == 500.0


def test_flat_kv_is_exactly_no_prefill() -> None:
    """Rounding of a mean is no prompt work: == 0 must hold."""
    world, end = busy(0.0, 0.0, 0.0)
    assert world.value(PREFILL, end) == 0.0


def test_falling_kv_is_no_negative_prefill() -> None:
    """Requests that end free their blocks."""
    world, end = busy(0.0, 0.0, -0.005)
    assert world.value(PREFILL, end) == 0.0


def test_without_a_capacity_the_counter_stands_alone() -> None:
    """A share of an unknown pool is no number of tokens."""
    world = World()
    end = world.play({PROMPT: line(0, 500.0, 11), OUTPUT: line(0, 1.0, 11), USAGE: line(0.1, 0.01, 11)})
    assert world.value(PREFILL, end) == 500.0


def test_without_a_counter_flat_kv_proves_nothing() -> None:
    """An engine that does not count prompts has no prefill of 0."""
    world = World()
    end = world.play({OUTPUT: line(0, 1.0, 11), USAGE: line(0.1, 0.0, 11), CAPACITY: line(1e5, 0, 11)})
    assert isinstance(world.value(PREFILL, end), Missing)


def test_without_a_counter_growth_still_shows() -> None:
    """KV use that rises faster than output is prompt work."""
    world = World()
    end = world.play({OUTPUT: line(0, 0.0, 11), USAGE: line(0.1, 0.01, 11), CAPACITY: line(1e5, 0, 11)})
    assert world.value(PREFILL, end) == pytest.approx(1000.0)


def test_one_poll_of_prefill_warms_up() -> None:
    """The first page has totals and no rate."""
    world, end = busy(1.0, 1.0, 0.0, seconds=1)
    assert world.value(PREFILL, end) is Missing.WARMING_UP


def test_kv_use_is_the_mean_of_the_ranks() -> None:
    """Two ranks that each grow by 1 % grow by 1 %."""
    world = World()
    for t in range(11):
        ranks = [sample(USAGE, 0.1 + 0.01 * t, rank=str(r)) for r in range(2)]
        counts = sample(PROMPT, 0.0), sample(OUTPUT, 0.0), sample(CAPACITY, 1e5)
        world.apply(page(t, *ranks, *counts))
    assert world.value(PREFILL, 10.0) == pytest.approx(1000.0)


def test_a_part_that_is_gone_does_not_halve_the_slope() -> None:
    """A rank known from before an upgrade counts no more."""
    world = World()
    world.apply(page(-100.0, sample(USAGE, 0.5)))
    for t in range(11):
        counts = sample(PROMPT, 0.0), sample(OUTPUT, 0.0), sample(CAPACITY, 1e5)
        world.apply(page(t, sample(USAGE, 0.1 + 0.01 * t, rank="0"), *counts))
    assert world.value(PREFILL, 10.0) == pytest.approx(1000.0)


def saturation(earlier: list[float], now: float) -> float | Missing:
    """Saturation after ticks with these prefill rates, one a second, and then one of `now`."""
    world = World()
    for t, value in enumerate(earlier):
        world.history.record(float(t), [(PREFILL, ENGINE, value)])
    end = float(len(earlier))
    world.apply(page(end, sample(PREFILL, now)))
    return world.value(SATURATION, end)


def test_saturation_is_against_the_earlier_peak() -> None:
    """Half of the highest seen before is one half."""
    assert saturation([0.0, 1000.0, *[0.0] * 20], 500.0) == 0.5


def test_a_peak_that_is_being_set_proves_nothing() -> None:
    """The first prefill of a session is not at 100 %."""
    assert saturation([*[0.0] * 30, 1000.0, 1000.0, 1000.0], 1000.0) is Missing.WARMING_UP


def test_a_peak_that_is_being_set_proves_nothing_at_the_turn_of_a_minute() -> None:
    """The minute that just closed holds the rise as well, and still does not count."""
    assert saturation([*[0.0] * 57, *[1000.0] * 4], 1000.0) is Missing.WARMING_UP


def test_saturation_remembers_the_day() -> None:
    """A peak older than the ticks is kept in its minute."""
    assert saturation([1000.0, *[0.0] * 1500], 250.0) == 0.25


def test_more_than_ever_is_full() -> None:
    """Above the earlier peak it is 1 and not more."""
    assert saturation([1000.0, *[0.0] * 20], 3000.0) == 1.0


def test_no_prefill_is_not_saturated() -> None:
    """0 needs no peak to compare with."""
    assert saturation([], 0.0) == 0.0


def test_a_missing_prefill_has_no_saturation() -> None:
    """The reason is passed on."""
    assert World().value(SATURATION, 0.0) is Missing.NEVER


def test_time_to_full_is_the_rest_by_the_slope() -> None:
    """At 40 % and 0.1 % a second there are ten minutes left."""
    world = World()
    end = world.play({USAGE: line(0.1, 0.001, 301)})
    assert known(world.value(TO_FULL, end)) == pytest.approx(600.0)


def test_time_to_full_warms_up_before_five_minutes() -> None:
    """Four minutes of a rise are no line yet."""
    world = World()
    end = world.play({USAGE: line(0.1, 0.001, 240)})
    assert world.value(TO_FULL, end) is Missing.WARMING_UP


@pytest.mark.parametrize("step", [0.0, -0.001])
def test_time_to_full_is_infinite_while_it_does_not_rise(step: float) -> None:
    """Flat or falling use never fills the pool."""
    world = World()
    end = world.play({USAGE: line(0.5, step, 301)})
    assert world.value(TO_FULL, end) == inf


def test_time_to_full_is_infinite_without_a_line() -> None:
    """Use that jumps about rises on average and still tells no time."""
    world = World()
    end = world.play({USAGE: [0.3 + 0.3 * (i % 2) + 0.0001 * i for i in range(301)]})
    assert world.value(TO_FULL, end) == inf


def test_a_full_pool_has_no_time_left() -> None:
    """At 100 % the time is 0."""
    world = World()
    end = world.play({USAGE: line(0.7, 0.001, 301)})
    assert known(world.value(TO_FULL, end)) == pytest.approx(0.0, abs=1e-6)


def test_time_to_full_needs_its_gauge() -> None:
    """A page without KV use has no time."""
    assert World().value(TO_FULL, 0.0) is Missing.NEVER
