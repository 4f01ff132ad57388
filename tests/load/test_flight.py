"""Records of requests."""

from __future__ import annotations

import pytest

from perfconsole.load.delta import Usage
from perfconsole.load.flight import Flight
from perfconsole.load.seat import Seat
from perfconsole.load.stint import Stint
from perfconsole.model.probeload import Part, Trouble
from perfconsole.model.probeorders import Run
from perfconsole.model.probeplan import Shape
from perfconsole.probing.scenario import Call

MS = 1_000_000
STEP = Stint(Run(3, Shape.CONCURRENCY, 1.0), Part.COUNTED, 0, 0)
SECOND = 1_000_000_000


def flight() -> Flight:
    """A request that was sent at 10 s."""
    made = Flight(Seat(), Call("short-chat", 8, 8), STEP, Part.COUNTED, burst=False, intended=10 * SECOND, body=b"")
    made.sent = 10 * SECOND + MS
    return made


def test_moments_are_epoch_seconds() -> None:
    """From nanoseconds."""
    made = flight()
    made.answer.first, made.answer.last, made.answer.first_tokens = 11 * SECOND, 12 * SECOND, 1
    made.answer.gaps = [SECOND]
    record = made.record(13 * SECOND)
    assert (record.intended, record.sent, record.first, record.last, record.ended) == (10.0, 10.001, 11.0, 12.0, 13.0)
    assert (record.ttft, record.e2e, record.tokens, record.tpot) == (1.0, 2.0, 2, 1.0)


def test_without_text_there_is_no_latency() -> None:
    """It is absent, not 0."""
    made = flight()
    made.answer.fail(Trouble.RESET, "gone")
    record = made.record(11 * SECOND)
    assert (record.ttft, record.e2e, record.tpot, record.tokens) == (None, None, None, None)
    assert (record.trouble, record.detail) == (Trouble.RESET, "gone")


def test_the_servers_count_goes_before_what_was_seen() -> None:
    """Tokens without text of their own are in it."""
    made = flight()
    made.answer.first, made.answer.first_tokens, made.answer.gaps = 11 * SECOND, 1, [MS] * 9
    assert made.record(1).tokens == 10
    made.answer.usage = Usage(12, 30, 16)
    record = made.record(1)
    assert (record.tokens, record.prompt_tokens, record.cached_tokens, record.usage) == (12, 30, 16, True)


def test_text_within_a_millisecond_came_in_a_burst() -> None:
    """A gateway that buffers gives most of its chunks so."""
    made = flight()
    made.answer.first, made.answer.first_tokens = 11 * SECOND, 1
    made.answer.gaps = [100, 200, 20 * MS, 300]
    assert made.record(1).close_behind == 3


def test_quarters_show_an_answer_that_slows_down() -> None:
    """Mean per token of the first and of the last."""
    made = flight()
    made.answer.first, made.answer.first_tokens = 11 * SECOND, 1
    made.answer.gaps = [5 * MS] * 6 + [10 * MS] * 6
    record = made.record(1)
    assert record.itl_first == pytest.approx(0.005)
    assert record.itl_last == pytest.approx(0.010)


def test_a_time_out_says_how_far_it_came() -> None:
    """Nothing at all, or not to the end."""
    silent, begun = flight(), flight()
    begun.answer.feed(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n", 1)
    for made in (silent, begun):
        made.time_out()
    assert [made.record(1).detail for made in (silent, begun)] == [
        "no answer in time",
        "the answer did not end in time",
    ]
    assert silent.record(1).trouble is Trouble.TIMEOUT
