"""What is asked, and what answers teach."""

from __future__ import annotations

import json

from perfconsole.load.answer import Answer
from perfconsole.load.delta import Usage
from perfconsole.load.flight import Flight
from perfconsole.load.seat import Seat
from perfconsole.load.stint import Stint
from perfconsole.load.work import Work
from perfconsole.model.probeload import Part
from perfconsole.model.probeorders import Arrival, Run, Target
from perfconsole.model.probeplan import Shape
from tests.load.loadrun import opening

RUN = Run(0, Shape.CONCURRENCY, 1.0)
WARM = Run(-1, Shape.CONCURRENCY, 1.0, requests=2)


def flown(work: Work, run: Run, answer: Answer | None = None) -> tuple[Flight, dict[str, object]]:
    """The next request of the step with an answer, and the fields of its body."""
    seat = Seat()
    seat.begin(*work.next_task())
    (call,) = seat.stage()
    body = work.body(call, seat)
    part = Part.WARM_UP if run.index < 0 else Part.COUNTED
    flight = Flight(seat, call, Stint(run, part, 0, 0), part, burst=False, intended=1, body=body)
    flight.answer = answer or Answer()
    return flight, json.loads(body.partition(b"\r\n\r\n")[2])


def refused(option: str) -> Answer:
    """What a server says that does not know an option."""
    page = f'{{"error": {{"message": "Unrecognized request argument supplied: {option}"}}}}'.encode()
    answer = Answer()
    answer.feed(b"HTTP/1.1 400 Bad\r\ncontent-length: %d\r\n\r\n%b" % (len(page), page), 1)
    return answer


def test_the_warm_up_teaches_how_long_a_word_is() -> None:
    """Three tokens a word, and twenty around: the next prompt has as many words as that leaves."""
    work = Work(opening(1, prompt_tokens=320))
    work.follow(WARM, warming=True)
    for _ in range(2):
        flight, fields = flown(work, WARM)
        words = len(str(fields["messages"]).split("'content': '")[1].split()) - 1
        flight.answer.usage = Usage(4, 20 + 3 * words, None)
        assert not work.learn(flight)
    work.follow(RUN, warming=False)
    _, fields = flown(work, RUN)
    assert abs(len(str(fields["messages"]).split("'content': '")[1].split()) - 101) <= 2


def test_what_a_server_refuses_is_left_out_and_asked_again() -> None:
    """The same call, noted once."""
    work = Work(opening(1))
    work.follow(WARM, warming=True)
    flight, fields = flown(work, WARM, refused("ignore_eos"))
    assert "ignore_eos" in fields
    assert work.learn(flight)
    again, fields = flown(work, WARM)
    assert again.call == flight.call
    assert "ignore_eos" not in fields
    assert work.notes == (
        "the server does not take ignore_eos: 400 Unrecognized request argument supplied: ignore_eos",
    )


def test_another_refusal_is_an_error() -> None:
    """Too long a prompt is no option."""
    work = Work(opening(1))
    work.follow(RUN, warming=False)
    flight, _ = flown(work, RUN, refused("something else"))
    assert not work.learn(flight)


def test_a_recorded_request_has_its_lengths() -> None:
    """And is a task of its own."""
    work = Work(opening(1))
    call = work.recorded(Arrival(0.0, 30, 70))
    assert (call.prompt_tokens, call.output_tokens) == (30, 70)
    assert work.task_of(call)[1] == ((call,),)


def test_each_target_has_requests_of_its_own() -> None:
    """The host in the head is that of the step."""
    work = Work(opening(1, targets=(Target("http", "127.0.0.1", 1), Target("http", "127.0.0.1", 2))))
    run = Run(0, Shape.CONCURRENCY, 1.0, target=1)
    work.follow(run, warming=False)
    flight, _ = flown(work, run)
    assert b"\r\nHost: 127.0.0.1:2\r\n" in flight.body
    assert work.targets == 2
