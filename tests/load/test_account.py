"""What is told of the load, and in which order."""

from __future__ import annotations

from perfconsole.load.account import Account
from perfconsole.load.delta import Usage
from perfconsole.load.flight import Flight
from perfconsole.load.seat import Seat
from perfconsole.load.stint import Stint
from perfconsole.model.probeload import LoadEnd, LoadEvent, LoadTick, Part, RequestRecord
from perfconsole.model.probeorders import Run
from perfconsole.model.probeplan import Shape
from perfconsole.probing.scenario import Call

STINT = Stint(Run(0, Shape.CONCURRENCY, 1.0), Part.COUNTED, 0, 0)


def flight() -> Flight:
    """A request with three tokens, of which the server counted four."""
    made = Flight(Seat(), Call("short-chat", 8, 8), STINT, Part.COUNTED, burst=False, intended=1, body=b"")
    made.answer.first, made.answer.first_tokens, made.answer.gaps = 1, 1, [5_000_000, 5_000_000]
    made.answer.usage = Usage(4, 9, None)
    return made


def test_a_request_is_told_of_when_there_is_time() -> None:
    """Its gaps are in the tick that follows."""
    told: list[LoadEvent] = []
    account = Account(told.append, 0)
    account.landed(flight(), 7, told=True)
    account.tick(10, 0)
    account.tell_some()
    account.tick(20, 0)
    first, record, second = told
    assert isinstance(first, LoadTick)
    assert isinstance(second, LoadTick)
    assert isinstance(record, RequestRecord)
    assert (first.gaps, second.gaps) == ((), ((5000, 2),))


def test_tokens_seen_are_corrected_by_the_servers_count() -> None:
    """The tick has what the reads did not show."""
    told: list[LoadEvent] = []
    account = Account(told.append, 0)
    account.landed(flight(), 7, told=True)
    account.tick(10, 0)
    assert isinstance(told[0], LoadTick)
    assert (told[0].tokens, told[0].prompt_tokens) == (1, 9)


def test_a_request_that_is_made_again_is_not_told_of() -> None:
    """It was refused, and is no error."""
    told: list[LoadEvent] = []
    account = Account(told.append, 0)
    account.landed(flight(), 7, told=False)
    account.tell_some()
    assert told == []


def test_the_end_tells_all_that_was_not_told() -> None:
    """Records, the last tick, and then the end with all tokens."""
    told: list[LoadEvent] = []
    account = Account(told.append, 0)
    for _ in range(9):
        account.landed(flight(), 7, told=True)
    account.end(10, 0, None, 9, ("note",))
    assert [type(event) for event in told] == [RequestRecord] * 9 + [LoadTick, LoadEnd]
    assert isinstance(told[-1], LoadEnd)
    assert (told[-1].output_tokens, told[-1].prompt_tokens, told[-1].notes) == (36, 81, ("note",))
