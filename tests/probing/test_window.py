"""The steady stretch of a step, and what its ticks hold."""

from __future__ import annotations

import pytest

from perfconsole.model.probeplan import Shape
from perfconsole.probing.window import Window, flow, steady_window, within
from tests.probing.building import T0, record, tick, ticks

BEATS = ticks()


def test_a_closed_loop_is_looked_at_over_whole_requests() -> None:
    """From when all have a first token to the end, cut to a multiple of a request's time."""
    window = steady_window(record(), Shape.CONCURRENCY, BEATS, 0.7)
    assert window.end == T0 + 3.0
    assert window.seconds == pytest.approx(4 * 0.7)


def test_a_window_shorter_than_a_request_is_the_whole_step() -> None:
    """And one of less than half a second."""
    assert steady_window(record(), Shape.CONCURRENCY, BEATS, 2.96) == Window(T0, T0 + 3.0)
    short = record(ended=T0 + 0.5)
    assert steady_window(short, Shape.CONCURRENCY, BEATS, 0.1) == Window(T0, T0 + 0.5)


def test_a_load_that_drains_ends_with_its_last_start() -> None:
    """Behind it the slots run empty."""
    beats = [tick(T0 + 0.5 * (i + 1), busy_s=4.0 if i < 4 else 1.0) for i in range(6)]
    window = steady_window(record(closed=T0 + 2.0), Shape.CONCURRENCY, beats, 0.7)
    assert window.end == T0 + 2.0


def test_a_step_whose_burst_never_answered_begins_at_its_beginning() -> None:
    """There is no other moment."""
    window = steady_window(record(full=None), Shape.CONCURRENCY, BEATS, 1.0)
    assert window == Window(T0, T0 + 3.0)


def test_a_step_down_is_steady_when_the_others_have_ended() -> None:
    """The slots of a step with more streams empty one by one."""
    beats = [tick(T0 + 0.5 * (i + 1), inflight=16 if i < 2 else 8) for i in range(6)]
    window = steady_window(record(full=None), Shape.CONCURRENCY, beats, 2.0)
    assert window == Window(T0 + 1.0, T0 + 3.0)


def test_an_open_loop_is_steady_after_one_request() -> None:
    """Then as many end as begin, until no more are started."""
    window = steady_window(record(full=None, closed=T0 + 2.5), Shape.RATE, BEATS, 0.7)
    assert window == Window(T0 + 0.7, T0 + 2.5)
    assert steady_window(record(full=None, closed=T0 + 1.0), Shape.RATE, BEATS, 0.7) == Window(T0, T0 + 3.0)


@pytest.mark.parametrize("shape", [Shape.BURST, Shape.REPLAY])
def test_what_is_never_steady_is_taken_whole(shape: Shape) -> None:
    """A burst, and what follows a recorded sample."""
    assert steady_window(record(), shape, BEATS, 0.7) == Window(T0, T0 + 3.0)


def test_a_tick_at_the_edge_counts_in_part() -> None:
    """Tokens are taken as evenly spread in it."""
    seen = flow(BEATS, T0, Window(T0 + 0.25, T0 + 1.0))
    assert (seen.seconds, seen.tokens, seen.tokens_per_s) == (0.75, 1500, 2000)
    assert seen.in_flight == pytest.approx(8.0)


def test_a_tick_of_before_tells_where_the_next_begins() -> None:
    """Its own tokens are none of the step's, and the next one began before the step."""
    beats = [tick(T0 - 0.1, tokens=9999), tick(T0 + 0.4, tokens=1000)]
    assert flow(beats, T0, Window(T0, T0 + 0.4)).tokens == pytest.approx(800)
    assert within(beats, T0, Window(T0, T0 + 1.0)) == beats[1:]


def test_without_ticks_there_is_no_rate() -> None:
    """Absence is no 0."""
    seen = flow([], T0, Window(T0, T0 + 1.0))
    assert (seen.tokens_per_s, seen.in_flight) == (None, None)
