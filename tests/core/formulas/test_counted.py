"""Tests of counters that stand under the name of a gauge or of a rate: their growth is the figure."""

from __future__ import annotations

import pytest

from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, World, after, known, page, sample

TOKENS, OUTPUT = "engine.generation_tokens", "engine.generation_rate"


def test_output_is_read_from_the_counter_that_moves_while_requests_run() -> None:
    """The one of finished requests jumped by 900 in the same time."""
    grown = sample(OUTPUT, 300.0, counted="live"), sample(TOKENS, 900.0)
    assert known(after(10.0, *grown).value(OUTPUT, 10.0)) == pytest.approx(30.0)


def test_output_that_is_counted_at_the_end_of_a_request_has_no_rate() -> None:
    """Long answers would look like none, and then like a burst."""
    assert after(10.0, sample(TOKENS, 900.0, counted="at-finish")).value(OUTPUT, 10.0) is Missing.UNSUPPORTED


def test_the_usual_counter_moves_while_requests_run() -> None:
    """A source that says nothing of how it counts, counts live."""
    assert known(after(10.0, sample(TOKENS, 200.0)).value(OUTPUT, 10.0)) == pytest.approx(20.0)


def test_a_rate_that_is_handed_in_holds() -> None:
    """Whatever the counters say."""
    world = after(10.0, sample(OUTPUT, 300.0, counted="live"), now=(sample(OUTPUT, 7.0),))
    assert world.value(OUTPUT, 10.0) == 7.0


def test_the_busiest_process_counts() -> None:
    """6 CPU seconds of one and 2 of the other in 10 s."""
    name = "engine.frontend_cpu"
    grown = sample(name, 6.0, counted="tokenizer"), sample(name, 2.0, counted="detokenizer")
    assert known(after(10.0, *grown).value(name, 10.0)) == pytest.approx(0.6)


def test_kinds_of_work_of_one_rank_add_up() -> None:
    """4 s of decode and 2 s of prefill in 10 s; the other rank worked less."""
    name = "engine.busy"
    grown = (
        sample(name, 4.0, counted="seconds", rank="0"),
        sample(name, 2.0, counted="seconds", rank="0", series="1"),
        sample(name, 1.0, counted="seconds", rank="1"),
    )
    assert known(after(10.0, *grown).value(name, 10.0)) == pytest.approx(0.6)


def test_the_cpu_that_this_host_sees_stands_before_that_of_the_page() -> None:
    """It is of threads, and of this second."""
    name = "engine.frontend_cpu"
    world = after(10.0, sample(name, 6.0, counted="tokenizer"))
    world.apply(page(10.0, sample(name, 0.9), source="processes"))
    assert world.value(name, 10.0) == 0.9


def test_steps_are_counted_where_nothing_else_tells_them() -> None:
    """40 steps in 10 s while a request runs."""
    grown = (sample("engine.step_time", 40.0, counted="steps"),)
    world = after(10.0, *grown, now=(sample("engine.requests_running", 1.0),))
    assert known(world.value("engine.step_time", 10.0)) == pytest.approx(0.25)


def test_open_requests_of_the_page_are_not_added_to_the_sockets() -> None:
    """Both see the same requests."""
    world = World()
    world.apply(page(1.0, sample("engine.http_inflight", 5.0, seen="page")))
    assert world.value("engine.http_inflight", 1.0) == 5.0
    world.apply(page(1.0, sample("engine.http_inflight", 6.0), source="sockets"))
    assert world.value("engine.http_inflight", 1.0) == 6.0


def test_a_gap_shows_in_the_live_counter_only() -> None:
    """Requests run for 20 s; output stands from second 5 to 12, and finished tokens move never."""
    live = [float(min(t, 5) + max(0, t - 12)) for t in range(21)]
    world = World()
    for t, tokens in enumerate(live):
        counts = sample(OUTPUT, tokens, counted="live"), sample(TOKENS, 0.0, counted="at-finish")
        held = sample("engine.requests_running", 2.0), sample("engine.requests_finished", 3.0)
        world.apply(page(float(t), *counts, *held))
    assert world.frame(20.0).value("engine.stall_time", ENGINE) == 7.0


def test_no_gap_is_told_from_a_count_of_finished_requests() -> None:
    """It stands while they run."""
    rows = {"engine.requests_running": [1.0] * 9, "engine.requests_finished": [0.0] * 9}
    world = World()
    end = world.play({TOKENS: [0.0] * 9}, counted="at-finish")
    world.play(rows)
    assert world.value("engine.stall_time", end) is Missing.UNSUPPORTED


def test_a_derived_figure_of_ranks_is_handed_in_too() -> None:
    """What each rank states of itself is no part for the formula: the ratios average."""
    world = World()
    ratio = "engine.spec_accept_ratio"
    world.apply(page(1.0, sample(ratio, 0.5, rank="0"), sample(ratio, 0.25, rank="1")))
    assert world.value(ratio, 1.0) == 0.375
