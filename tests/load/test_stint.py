"""Which requests of a step count, and when it is over."""

from __future__ import annotations

from perfconsole.load.flight import Flight
from perfconsole.load.seat import Seat
from perfconsole.load.stint import Stint
from perfconsole.model.probeload import Part
from perfconsole.model.probeorders import Run
from perfconsole.model.probeplan import Shape
from perfconsole.probing.scenario import Call

SECOND = 1_000_000_000


def stint(requests: int | None = None, seconds: float | None = None, *, keep: bool = True) -> Stint:
    """A step of two at a time that begins at 10 s."""
    run = Run(0, Shape.CONCURRENCY, 2, requests=requests, seconds=seconds, keep=keep)
    return Stint(run, Part.COUNTED, 10 * SECOND, 0)


def started(step: Stint, now: int, *, burst: bool = False) -> Flight:
    """A request of the step."""
    flight = Flight(Seat(), Call("a", 1, 1), step, step.part(now), burst=burst, intended=now, body=b"", waits=burst)
    step.started(flight)
    return flight


def test_so_many_requests_count() -> None:
    """Those behind them keep the load up; the step is over when those that count have ended."""
    step = stint(requests=2)
    flights = [started(step, 10 * SECOND + n) for n in range(3)]
    assert [f.part for f in flights] == [Part.COUNTED, Part.COUNTED, Part.FILLER]
    step.ended(flights[0], again=False)
    assert not step.over
    step.ended(flights[1], again=False)
    assert step.over


def test_so_many_seconds_count() -> None:
    """Whatever starts later does not."""
    step = stint(seconds=3.0)
    assert started(step, 12 * SECOND).part is Part.COUNTED
    assert started(step, 13 * SECOND).part is Part.FILLER


def test_a_request_that_is_made_again_did_not_count() -> None:
    """The server refused an option of it."""
    step = stint(requests=1)
    first = started(step, 10 * SECOND)
    step.look(10 * SECOND)
    step.ended(first, again=True)
    assert started(step, 11 * SECOND).part is Part.COUNTED


def test_the_burst_is_over_with_its_last_first_token() -> None:
    """Not before all of it was sent."""
    step = stint(requests=9)
    flights = [started(step, 10 * SECOND, burst=True) for _ in range(2)]
    step.heard(flights[0], 11 * SECOND)
    step.burst_sent()
    step.heard(flights[1], 12 * SECOND)
    assert step.record(20 * SECOND, 0, (), kernel=True, unread=0).full == 12.0


def test_without_a_burst_a_step_is_full_from_the_start() -> None:
    """All of its users are on their way already."""
    step = stint(requests=9)
    step.burst_sent()
    assert step.record(20 * SECOND, 0, (), kernel=True, unread=0).full == 10.0


def test_only_a_counted_step_that_keeps_is_filled() -> None:
    """A recipe of single requests is not."""
    assert stint(requests=1).fills
    assert not stint(requests=1, keep=False).fills


def test_what_follows_is_bounded() -> None:
    """Two tasks a user, whatever the last counted request waits for."""
    step = stint(requests=1)
    parts = [started(step, 10 * SECOND + n).part for n in range(5)]
    assert parts == [Part.COUNTED] + [Part.FILLER] * 4
    assert not step.fills


def test_a_clock_that_was_set_is_told() -> None:
    """Then stamps of the kernel are not what they seem."""
    step = stint(requests=1)
    assert step.record(0, 100_000, (), kernel=True, unread=0).stamps == "kernel"
    assert step.record(0, 300_000, (), kernel=True, unread=0).stamps == "moved"
    assert step.record(0, 0, (), kernel=False, unread=0).stamps == "user"
