"""What is counted between two ticks."""

from __future__ import annotations

from perfconsole.load.delta import Usage
from perfconsole.load.flight import Flight
from perfconsole.load.seat import Seat
from perfconsole.load.stint import Stint
from perfconsole.load.tally import Tally
from perfconsole.model.probeload import Part
from perfconsole.model.probeorders import Run
from perfconsole.model.probeplan import Shape
from perfconsole.probing.scenario import Call

STEP = Stint(Run(3, Shape.CONCURRENCY, 1.0), Part.COUNTED, 0, 0)
SECOND = 1_000_000_000


def flight(gaps: list[int], tokens: int) -> Flight:
    """A request whose tokens came so many nanoseconds apart, of which the server counted so many."""
    made = Flight(Seat(), Call("short-chat", 8, 8), STEP, Part.COUNTED, burst=False, intended=1, body=b"")
    made.answer.first, made.answer.first_tokens, made.answer.gaps = 1, 1, gaps
    made.answer.usage = Usage(tokens, 8, None)
    return made


def test_busy_is_the_integral_over_time() -> None:
    """Two for a second, one for another."""
    tally = Tally(0)
    tally.busy(2, 0)
    tally.busy(-1, SECOND)
    assert tally.tick(2 * SECOND, 0, 0.0).busy_s == 3.0
    assert tally.tick(3 * SECOND, 0, 0.0).busy_s == 1.0


def test_ticks_are_deltas() -> None:
    """What was told is not told again."""
    tally = Tally(0)
    tally.tokens, tally.lag = 3, [1500, 1999, 2000, -7]
    first, second = tally.tick(SECOND, 4, 0.25), tally.tick(2 * SECOND, 4, 0.5)
    assert (first.tokens, first.lag, first.reads, first.cpu_s) == (3, ((0, 1), (1, 2), (2, 1)), 4, 0.25)
    assert (second.tokens, second.lag, second.reads) == (0, (), 0)


def test_gaps_are_counted_in_microseconds() -> None:
    """One each, where a token seen is a token."""
    tally = Tally(0)
    tally.ended(flight([5_000_400, 5_000_900, 7_000_000], 4))
    assert tally.tick(1, 0, 0.0).gaps == ((5000, 2), (7000, 1))


def test_an_event_of_several_tokens_counts_for_each() -> None:
    """Four tokens every 20 ms, and three at the end, are 5 ms a token."""
    tally = Tally(0)
    tally.ended(flight([20_000_000] * 7 + [15_000_000], 32))
    assert tally.tick(1, 0, 0.0).gaps == ((3750, 4), (5000, 28))
