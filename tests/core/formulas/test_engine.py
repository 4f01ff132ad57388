"""Rates and ratios of an engine."""

from __future__ import annotations

import pytest

from perfconsole.model.entity import Link, Relation
from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, GATEWAY, World, after, failed, histogram, known, page, sample

RUNNING = "engine.requests_running"
WAITING = "engine.requests_waiting"
FINISHED = "engine.requests_finished"
FAILED = "engine.requests_failed"
ABORTED = "engine.requests_aborted"
PREEMPTED = "engine.preemptions"
TOKENS = "engine.generation_tokens"
HITS = "engine.prefix_cache_hit_ratio"


@pytest.mark.parametrize(
    ("name", "counter"),
    [
        ("engine.request_rate", FINISHED),
        ("engine.prompt_rate", "engine.prompt_tokens"),
        ("engine.generation_rate", TOKENS),
    ],
)
def test_rates_are_growth_a_second(name: str, counter: str) -> None:
    """Each rate reads its own counter."""
    assert after(10.0, sample(counter, 500.0)).value(name, 10.0) == 50.0


def test_a_rate_forgets_what_is_older_than_its_window() -> None:
    """Ten seconds at 1 Hz: an earlier burst is no longer in it."""
    world = World()
    world.play({TOKENS: [0.0, 1e6, *[1e6 + 10.0 * i for i in range(12)]]})
    assert world.value("engine.generation_rate", 13.0) == 10.0


def test_a_rate_of_a_slow_source_reaches_two_polls() -> None:
    """A source polled every 30 s has a rate all the same."""
    world = World()
    world.play({TOKENS: [0.0, 300.0, 600.0]}, step_s=30.0)
    assert world.value("engine.generation_rate", 60.0) == 10.0


def test_a_rate_of_a_source_that_is_down_is_missing() -> None:
    """An engine that cannot be asked does not make 0 tokens."""
    world = after(1.0, sample(TOKENS, 5.0))
    world.apply(failed(9.0))
    assert world.value("engine.generation_rate", 9.0) is Missing.SOURCE_DOWN


def test_errors_are_failed_by_ended() -> None:
    """5 of 100 are 5 %."""
    world = after(60.0, sample(FINISHED, 100.0), sample(FAILED, 5.0, seen="core"))
    assert world.value("engine.error_ratio", 60.0) == 0.05


def test_a_failure_seen_twice_counts_once() -> None:
    """The finish reason and the HTTP 5xx of one failure: the larger of the two counts, not their sum."""
    grown = sample(FINISHED, 100.0), sample(FAILED, 5.0, seen="core"), sample(FAILED, 6.0, seen="http")
    assert after(60.0, *grown).value("engine.error_ratio", 60.0) == 6 / 101


def test_requests_that_fail_in_front_of_the_engine_are_ended_too() -> None:
    """A front-end that answers 500 to everything finishes nothing, and its error ratio is 1."""
    grown = sample(FINISHED, 0.0), sample(FAILED, 0.0, seen="core"), sample(FAILED, 30.0, seen="http")
    assert after(60.0, *grown).value("engine.error_ratio", 60.0) == 1.0


def test_failures_outside_the_finished_are_ended_too() -> None:
    """Where finished leaves them out they are added to the whole."""
    grown = sample(FINISHED, 80.0), sample(FAILED, 20.0, in_finished="no")
    assert after(60.0, *grown).value("engine.error_ratio", 60.0) == 0.2


@pytest.mark.parametrize("name", ["engine.error_ratio", "engine.abort_ratio"])
def test_nineteen_requests_say_nothing(name: str) -> None:
    """Below 20 ended requests a ratio is warming up."""
    world = after(60.0, sample(FINISHED, 19.0), sample(FAILED, 5.0), sample(ABORTED, 5.0))
    assert world.value(name, 60.0) is Missing.WARMING_UP


@pytest.mark.parametrize("name", ["engine.error_ratio", "engine.abort_ratio"])
def test_twenty_requests_are_enough(name: str) -> None:
    """At 20 the ratio speaks."""
    world = after(60.0, sample(FINISHED, 20.0), sample(FAILED, 5.0), sample(ABORTED, 5.0))
    assert world.value(name, 60.0) == 0.25


def test_failures_that_are_not_counted_are_no_zero() -> None:
    """An engine without a failure counter has no error ratio."""
    assert isinstance(after(60.0, sample(FINISHED, 100.0)).value("engine.error_ratio", 60.0), Missing)


def test_failures_older_than_five_minutes_are_over() -> None:
    """Only the window counts."""
    world = World()
    failures = [0.0, 50.0, *[50.0] * 40]
    end = world.play({FINISHED: [10.0 * i for i in range(42)], FAILED: failures}, step_s=10.0)
    assert world.value("engine.error_ratio", end) == 0.0


def test_preemptions_are_by_finished_requests() -> None:
    """5 for 100 finished."""
    assert after(60.0, sample(PREEMPTED, 5.0), sample(FINISHED, 100.0)).value(
        "engine.preemption_ratio", 60.0
    ) == pytest.approx(0.05)


def test_preemptions_alone_are_one() -> None:
    """Nothing finished and preemptions rose: every unit of work is thrown back."""
    world = after(60.0, sample(PREEMPTED, 5.0), sample(FINISHED, 0.0), now=(sample(RUNNING, 3.0),))
    assert world.value("engine.preemption_ratio", 60.0) == 1.0


def test_a_running_engine_without_either_has_a_ratio_of_zero() -> None:
    """Work goes on and nothing is preempted."""
    world = after(60.0, sample(PREEMPTED, 0.0), sample(FINISHED, 0.0), now=(sample(RUNNING, 3.0),))
    assert world.value("engine.preemption_ratio", 60.0) == 0.0


def test_an_idle_engine_has_no_preemption_ratio() -> None:
    """0 / 0 with nothing running is missing."""
    world = after(60.0, sample(PREEMPTED, 0.0), sample(FINISHED, 0.0), now=(sample(RUNNING, 0.0),))
    assert world.value("engine.preemption_ratio", 60.0) is Missing.NEVER


def test_a_preemption_ratio_needs_both_counters() -> None:
    """Finished requests that are not counted are not 0."""
    assert isinstance(after(60.0, sample(PREEMPTED, 5.0)).value("engine.preemption_ratio", 60.0), Missing)


def test_the_schedulers_gap_is_running_by_rate() -> None:
    """20 running at 1000 tokens/s: 20 ms."""
    world = after(10.0, sample(TOKENS, 10_000.0), now=(sample(RUNNING, 20.0),))
    assert known(world.value("engine.scheduler_itl", 10.0)) == pytest.approx(0.02)


def test_no_tokens_have_no_gap() -> None:
    """A rate of 0 makes it missing, not infinite or 0."""
    world = after(10.0, sample(TOKENS, 0.0), now=(sample(RUNNING, 20.0),))
    assert world.value("engine.scheduler_itl", 10.0) is Missing.NEVER


def itl(taken: str) -> World:
    """An engine with an ITL of 50 ms at the median, taken in its core or front-end, and 20 ms in the scheduler."""
    world = World()
    for t, count in ((0.0, 0.0), (10.0, 100.0)):
        hist = histogram(count, count, count, count)
        world.apply(
            page(
                t,
                sample("engine.itl", hist, taken=taken),
                sample(TOKENS, 100 * count),
                sample(RUNNING, 20.0),
                cadence_s=10.0,
            )
        )
    return world


def test_delivery_in_the_front_end_is_against_the_scheduler() -> None:
    """SGLang: its own ITL is what is delivered."""
    assert known(itl("frontend").value("engine.delivery_ratio", 10.0)) == pytest.approx(2.5)


def test_delivery_taken_in_the_core_needs_an_outer_figure() -> None:
    """vLLM: its own ITL is the inside, nothing says what was delivered."""
    assert itl("core").value("engine.delivery_ratio", 10.0) is Missing.NEVER


def test_delivery_takes_a_probe_against_the_core() -> None:
    """A probe's ITL is the outside."""
    world = itl("core")
    world.apply(page(10.0, sample("probe.itl.p50", 0.1), source="probe"))
    assert known(world.value("engine.delivery_ratio", 10.0)) == pytest.approx(2.0)


def test_delivery_takes_the_gateway_before_the_probe() -> None:
    """Real traffic goes before a probe."""
    world = itl("core")
    world.apply(page(10.0, sample("probe.itl.p50", 0.1), source="probe"))
    world.apply(page(10.0, sample("gateway.itl.p50", 0.2, GATEWAY), source="gateway"))
    world.topology.replace("gateway", [Link(Relation.GATEWAY_TO_ENGINE, GATEWAY, ENGINE)])
    assert known(world.value("engine.delivery_ratio", 10.0)) == pytest.approx(4.0)


@pytest.mark.parametrize(("inflight", "left"), [(30.0, 5.0), (25.0, 0.0), (20.0, 0.0)])
def test_unadmitted_is_what_http_holds_and_the_scheduler_does_not(inflight: float, left: float) -> None:
    """Never below 0: the gauges are read at slightly different moments."""
    world = World()
    world.apply(
        page(1.0, sample("engine.http_inflight", inflight), sample(RUNNING, 20.0), sample(WAITING, 5.0)),
    )
    assert world.value("engine.unadmitted", 1.0) == left


def test_unadmitted_needs_all_three() -> None:
    """A missing queue is not an empty one."""
    world = World()
    world.apply(page(1.0, sample("engine.http_inflight", 30.0), sample(RUNNING, 20.0)))
    assert isinstance(world.value("engine.unadmitted", 1.0), Missing)


def stepping(running: float, steps: float) -> float | Missing:
    """Step time after ten seconds with so many steps."""
    world = World()
    for t, count in ((0.0, 0.0), (10.0, steps)):
        hist = histogram(0, 0, 0, count, total=7 * count)
        world.apply(page(t, sample("engine.step_tokens", hist), sample(RUNNING, running), cadence_s=10.0))
    return world.value("engine.step_time", 10.0)


def test_step_time_is_window_by_steps() -> None:
    """The count of steps and not their first bucket or their tokens: 200 in 10 s are 50 ms each."""
    assert known(stepping(1.0, 200.0)) == pytest.approx(0.05)


def test_each_rank_has_steps_of_its_own() -> None:
    """Two ranks with a step every 50 ms do not make one that steps every 25 ms; one that idles is no slow one."""
    world = World()
    for t in (0.0, 10.0):
        steps = (
            sample("engine.step_tokens", histogram(0, 0, 0, n * t), rank=rank) for rank, n in (("0", 20), ("1", 5))
        )
        world.apply(page(t, *steps, sample(RUNNING, 1.0), cadence_s=10.0))
    assert known(world.value("engine.step_time", 10.0)) == pytest.approx(0.05)


def test_idle_time_is_no_step() -> None:
    """While nothing runs there is no step time."""
    assert stepping(0.0, 200.0) is Missing.NEVER


def test_no_step_has_no_time() -> None:
    """Running without a step gives no infinite time."""
    assert stepping(1.0, 0.0) is Missing.NEVER


def test_step_time_without_running_says_why() -> None:
    """The reason is that of the gauge: here it ceased."""
    world = World()
    for t, gauge in ((0.0, (sample(RUNNING, 1.0),)), (10.0, ())):
        world.apply(page(t, sample("engine.step_tokens", histogram(0, 0, 0, 20 * t)), *gauge, cadence_s=10.0))
    assert world.value("engine.step_time", 10.0) is Missing.NOT_EXPORTED


def hits(end: float, rate_s: float) -> World:
    """A cache that hit 90 % until a minute before the end and 10 % since, at so many requests a second."""
    world = World()
    hit = looked = done = 0.0
    t = 0.0
    while t <= end:
        parts = sample(HITS, hit, part="hit"), sample(HITS, looked, part="looked-up")
        world.apply(page(t, *parts, sample(FINISHED, done), cadence_s=10.0))
        hit += 9.0 if t < end - 60 else 1.0
        looked, done, t = looked + 10.0, done + 10 * rate_s, t + 10.0
    return world


def test_hits_of_a_busy_engine_are_over_a_minute() -> None:
    """At 2 requests a second the last minute says 10 %."""
    assert known(hits(300.0, 2.0).value(HITS, 300.0)) == pytest.approx(0.1)


def test_hits_of_a_quiet_engine_are_over_five_minutes() -> None:
    """Below 1 request a second: 4 minutes of 90 % and 1 of 10 %."""
    assert known(hits(300.0, 0.5).value(HITS, 300.0)) == pytest.approx((0.9 * 4 + 0.1) / 5)


def test_hits_of_a_life_are_the_totals() -> None:
    """Not over any window."""
    assert after(60.0, sample(HITS, 30.0, part="hit"), sample(HITS, 40.0, part="looked-up")).value(
        "engine.prefix_cache_lifetime_ratio", 60.0
    ) == pytest.approx(0.75)


def test_no_look_ups_have_no_hit_ratio() -> None:
    """0 / 0 is missing."""
    world = after(60.0, sample(HITS, 0.0, part="hit"), sample(HITS, 0.0, part="looked-up"))
    assert world.value(HITS, 60.0) is Missing.NEVER


def test_look_ups_a_second_are_those_looked_up() -> None:
    """The hits are not in it."""
    world = after(10.0, sample(HITS, 30.0, part="hit"), sample(HITS, 400.0, part="looked-up"))
    assert world.value("engine.prefix_query_rate", 10.0) == 40.0


def test_a_gauge_that_old_releases_export_is_the_ratio() -> None:
    """The plain value overrides what the counters would give."""
    world = World()
    world.apply(page(1.0, sample(HITS, 0.4)))
    assert world.value(HITS, 1.0) == 0.4


def test_the_plain_ratio_is_not_mixed_with_the_counters() -> None:
    """A page with both gives the plain value, never a mean of a ratio and token counts."""
    world = after(10.0, sample(HITS, 30.0, part="hit"), sample(HITS, 40.0, part="looked-up"), now=(sample(HITS, 0.4),))
    assert world.value(HITS, 10.0) == 0.4


def test_the_counters_take_over_from_a_plain_ratio_that_ceased() -> None:
    """After an upgrade the formula speaks, and the old value is not folded with token counts."""
    world = World()
    world.apply(page(0.0, sample(HITS, 0.4)))
    for t in (10.0, 20.0):
        world.apply(page(t, sample(HITS, 3 * t, part="hit"), sample(HITS, 4 * t, part="looked-up"), cadence_s=10.0))
    assert known(world.value(HITS, 20.0)) == pytest.approx(0.75)


def test_a_start_lasts_as_long_as_the_process_until_it_is_ready() -> None:
    """So that an engine which loads its weights is not called down."""
    world = after(60.0, sample("engine.ready", 0.0), sample("engine.uptime", 40.0))
    assert world.value("engine.startup_time", 60.0) == 40.0


def test_an_engine_that_was_ready_does_not_start_any_more() -> None:
    """One that stops answering is down, however young it is."""
    world = after(60.0, sample("engine.ready", 1.0), sample("engine.uptime", 40.0))
    assert world.value("engine.startup_time", 60.0) is Missing.NEVER


def test_a_lifetime_ratio_of_parts_of_unequal_number_is_of_their_sums() -> None:
    """Looked up is what was cached and what was computed; a mean of the two would give more than all."""
    world = World()
    hits = "engine.prefix_cache_hit_ratio"
    parts = (
        sample(hits, 300.0, part="hit"),
        sample(hits, 300.0, part="looked-up", of="cached"),
        sample(hits, 100.0, part="looked-up", of="computed"),
    )
    world.apply(page(1.0, *parts))
    assert world.value("engine.prefix_cache_lifetime_ratio", 1.0) == 0.75
