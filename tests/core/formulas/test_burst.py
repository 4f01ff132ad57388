"""Whether requests come evenly or all at once."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.entity import Relation
from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, GATEWAY, OTHER, World, known, page, sample
from tests.core.formulas.agents import linked

BURST = "gateway.arrival_burst"


def play(counts: list[tuple[float, float]], cadence_s: float = 1.0, world: World | None = None) -> World:
    """An engine that had so many requests in all at each of these times."""
    made = world or linked((Relation.GATEWAY_TO_ENGINE, GATEWAY, ENGINE))
    for t, count in counts:
        made.apply(page(t, sample("engine.requests_finished", count), cadence_s=cadence_s))
    return made


def burst(counts: list[tuple[float, float]], cadence_s: float = 1.0) -> float | Missing:
    """The ratio at the last of them."""
    return play(counts, cadence_s).value(BURST, counts[-1][0], GATEWAY)


def even(rate: float, seconds: int, step_s: float = 1.0) -> list[tuple[float, float]]:
    """The same number in each step."""
    return [(i * step_s, rate * i * step_s) for i in range(int(seconds / step_s) + 1)]


@pytest.mark.parametrize("step_s", [0.5, 1.0, 2.0])
def test_an_even_stream_is_no_burst(step_s: float) -> None:
    """Its busiest second is like any other."""
    assert burst(even(10.0, 120, step_s), step_s) == pytest.approx(1.0)


def test_all_at_once_is_a_burst() -> None:
    """Forty requests within a second, every ten seconds."""
    assert burst([(float(t), 40.0 * (t // 10)) for t in range(121)]) == pytest.approx(10.0, rel=0.15)


def test_a_late_poll_is_no_burst() -> None:
    """Three seconds without a page hold what came in three seconds."""
    polls = [(t, c) for t, c in even(10.0, 120) if t not in (50.0, 51.0)]
    assert burst(polls) == pytest.approx(1.0)


def test_a_late_page_that_is_old_is_no_burst() -> None:
    """Its numbers are those of before, and the next page has all that came since."""
    polls = [(t, c) for t, c in even(10.0, 120) if t not in (50.0, 51.0)]
    stale = [(t, 490.0 if t == 52.0 else c) for t, c in polls]
    assert known(burst(stale)) < 1.5


@pytest.mark.parametrize("rate", [0.2, 0.5, 1.0, 2.0, 10.0])
def test_requests_that_come_by_chance_are_no_burst(rate: float) -> None:
    """Of a quiet service the busiest second has many times the mean of its own accord."""
    worst = 0.0
    for seed in range(40):
        random, count, polls = Random(seed), 0, []  # noqa: S311 - a stream that comes again
        due = random.expovariate(rate)
        for t in range(301):
            while due <= t:
                count += 1
                due += random.expovariate(rate)
            polls.append((float(t), float(count)))
        worst = max(worst, known(burst(polls)))
    assert worst < 5.0


@pytest.mark.parametrize("seconds", [31, 45, 100])
def test_a_load_that_begins_is_no_burst(seconds: int) -> None:
    """The mean is that of the load, not of the idle minutes before."""
    polls = [(float(t), 20.0 * max(0, t - 240)) for t in range(241 + seconds)]
    assert known(burst(polls)) < 1.3


def test_few_requests_say_nothing() -> None:
    """Nineteen of them."""
    assert burst([(float(t), 19.0 * (t > 50)) for t in range(121)]) is Missing.WARMING_UP


def test_a_short_time_says_nothing() -> None:
    """A mean over a quarter of a minute is none."""
    assert burst(even(10.0, 15)) is Missing.WARMING_UP


def test_sparse_polls_cannot_show_a_second() -> None:
    """A burst within five seconds looks like five quiet ones."""
    assert burst(even(10.0, 120, 5.0), 5.0) is Missing.UNSUPPORTED


def test_a_burst_over_several_engines_is_one() -> None:
    """The gateway spreads it; they are polled at different moments."""
    made = linked((Relation.GATEWAY_TO_ENGINE, GATEWAY, ENGINE), (Relation.GATEWAY_TO_ENGINE, GATEWAY, OTHER))
    play([(float(t), 40.0 * ((t + 9) // 10)) for t in range(121)], world=made)
    for t in range(121):
        moment = t + 0.4
        count = 40.0 * ((t + 9) // 10)
        made.apply(page(moment, sample("engine.requests_finished", count, OTHER), source="other"))
    assert known(made.value(BURST, 120.4, GATEWAY)) > 5.0


def test_without_an_engine_there_is_no_burst() -> None:
    """Missing, not 0."""
    assert World().value(BURST, 0.0, GATEWAY) is Missing.NEVER


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0.9, 4.0), min_size=40, max_size=120), st.floats(2.0, 50.0))
def test_an_even_stream_is_even_however_late_its_polls_are(gaps: list[float], rate: float) -> None:
    """Whatever the intervals, the rate over each is the same."""
    t, polls = 0.0, []
    for gap in gaps:
        t += gap
        polls.append((t, rate * t))
    found = burst(polls)
    assert found in (Missing.UNSUPPORTED, Missing.WARMING_UP) or known(found) == pytest.approx(1.0, rel=0.1)
