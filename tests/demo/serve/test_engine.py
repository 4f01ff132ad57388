"""The routes of the engine's front-end, without a core."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress

import pytest

from perfconsole.clock import ManualClock
from perfconsole.demo.model.enginepage import MODEL
from perfconsole.demo.model.request import Ask
from perfconsole.demo.scenarios import chosen
from perfconsole.demo.serve.engine import CHAT, FrontEnd, python_part
from perfconsole.demo.serve.own import Cue
from perfconsole.demo.serve.web import Asked
from perfconsole.load.body import Body
from perfconsole.load.delta import Delta, Usage, read_delta
from perfconsole.load.eventlines import EventLines
from perfconsole.load.head import split_head
from tests.demo.serve.replying import reply, status


@pytest.mark.parametrize("path", ["/metrics", "/health"])
def test_without_a_core_nothing_is_ready(path: str) -> None:
    """503, as while an engine loads."""
    front = FrontEnd(Cue(chosen("healthy")), ManualClock(1.0), ())
    answer, kept = reply()
    asyncio.run(front.handle(Asked("GET", path, b""), answer))
    assert status(kept) == 503


def test_the_interpreter_shows_its_real_collector() -> None:
    """Three generations."""
    assert python_part(0.0).count("python_gc_collections_total{") == 3


class PlayedCore:
    """Stands in for a core: tells the events that a test gives it."""

    def __init__(self, *events: tuple[int, bool]) -> None:
        self.asked: list[Ask] = []
        self.aborted: list[int] = []
        self.taken = asyncio.Event()
        self._events = events

    def send(self, ask: Ask) -> tuple[int, asyncio.Queue[tuple[int, bool]]]:
        """Take a request; its events lie ready."""
        self.asked.append(ask)
        self.taken.set()
        events: asyncio.Queue[tuple[int, bool]] = asyncio.Queue()
        for event in self._events:
            events.put_nowait(event)
        return 7, events

    def abort(self, number: int) -> None:
        """Nobody waits for it any more."""
        self.aborted.append(number)


CHAT_BODY = {
    "model": MODEL,
    "stream": True,
    "messages": [{"role": "user", "content": "go on"}],
    "max_tokens": 3,
    "stream_options": {"include_usage": True},
}


def front_end(core: PlayedCore, cue: Cue, clock: ManualClock) -> FrontEnd:
    """A front-end with a played core behind it."""
    front = FrontEnd(cue, clock, ())
    front.core = core  # type: ignore[assignment]  # what a request needs of it
    return front


def answered(core: PlayedCore, **changes: object) -> tuple[int, bytes]:
    """Status and body of the answer to one chat, as a client of HTTP reads it."""
    front = front_end(core, Cue(chosen("healthy")), ManualClock(1.0))
    answer, kept = reply()
    body = json.dumps({**CHAT_BODY, **changes}).encode()
    asyncio.run(front.handle(Asked("POST", CHAT, body), answer))
    found = split_head(kept.sent)
    assert found is not None
    return found[0].status, Body(found[0]).take(found[1])


def deltas(core: PlayedCore) -> list[Delta]:
    """What each event of the answer says."""
    return [read_delta(event) for event in EventLines().take(answered(core)[1])]


def test_a_chat_is_streamed_token_by_token() -> None:
    """As many events with text as tokens, then the end, their number, and the mark."""
    core = PlayedCore((1, False), (2, False), (3, True))
    found = deltas(core)
    assert [delta.channel for delta in found] == ["content"] * 3 + [""] * 3
    assert (found[3].finish, found[4].usage, found[5].done) == (True, Usage(3, 6, None), True)
    assert core.asked == [Ask(6, 3, each=True)]


def test_what_a_core_leaves_behind_ends_with_the_tokens_that_it_has() -> None:
    """It was put away between two scenes."""
    found = deltas(PlayedCore((1, False), (0, True)))
    assert [delta.channel for delta in found].count("content") == 1
    assert [delta.usage for delta in found if delta.usage] == [Usage(1, 6, None)]


def test_a_chat_that_is_not_taken_asks_nothing_of_the_core() -> None:
    """Its status and message are the answer."""
    core = PlayedCore()
    code, body = answered(core, model="other")
    assert (code, core.asked) == (404, [])
    assert "does not exist" in json.loads(body)["error"]["message"]


def test_callers_of_the_play_are_answered_by_their_lengths() -> None:
    """In two lines, of which the last says how much was made."""
    core = PlayedCore((1, False), (9, True))
    front = front_end(core, Cue(chosen("healthy")), ManualClock(1.0))
    answer, kept = reply()
    asyncio.run(front.handle(Asked("POST", CHAT, b'{"prompt_tokens": 5, "max_tokens": 9}'), answer))
    assert json.loads(kept.sent.split(b"\n")[-2]) == {"generated": 9}
    assert core.asked == [Ask(5, 9)]


def test_the_play_stands_still_while_somebody_streams_and_a_little_longer() -> None:
    """The steps of a probe have pauses between them."""
    cue, clock = Cue(chosen("healthy")), ManualClock(100.0)
    cue.begin(90.0)
    core = PlayedCore()
    front = front_end(core, cue, clock)

    def passed(wait_s: float) -> float:
        """Where the play stands, so many seconds later."""
        front.stand_still(clock.now())
        clock.sleep(wait_s)
        front.stand_still(clock.now())
        return cue.at(clock.now()).since_s

    async def run() -> list[float]:
        before = passed(1.0)
        stream = asyncio.ensure_future(front.handle(Asked("POST", CHAT, json.dumps(CHAT_BODY).encode()), reply()[0]))
        await core.taken.wait()
        during = passed(20.0)
        stream.cancel()
        with suppress(asyncio.CancelledError):
            await stream
        return [before, during, passed(2.0), passed(2.0), passed(5.0)]

    assert asyncio.run(run()) == [11.0, 11.0, 11.0, 11.0, 16.0]
    assert core.aborted == [7]
