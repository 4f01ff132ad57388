"""Tests of what the exact server puts on the wire, scenario by scenario."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.load.asking import Asking, wait_for
from tests.load.exactserver.server import ExactServer
from tests.load.exactserver.settings import Settings, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

QUICK = Settings(itl_ms=0.2, prefill_ms=0.2)


@contextmanager
def serving(**settings: object) -> Iterator[tuple[ExactServer, Asking]]:
    """A quick server with these settings, and a client that is connected to it."""
    with ExactServer(changed(QUICK, settings)) as server, Asking(server.port) as asking:
        yield server, asking


def test_a_chat_is_streamed_as_vllm_does_it() -> None:
    """A role, an event a token, the reason of the end with the last one, usage, [DONE], each a chunk of its own."""
    with serving() as (_, asking):
        reply = asking.ask(tokens=3)
    assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert [delta.get("role") for delta in reply.deltas] == ["assistant", None, None, None]
    assert reply.texts == [" tok"] * 3
    finishes = [event["choices"][0]["finish_reason"] for event in reply.events if event["choices"]]
    assert finishes == [None, None, None, "length"]
    assert reply.events[-1]["choices"] == []
    assert reply.usage == {"prompt_tokens": 11, "total_tokens": 14, "completion_tokens": 3}
    assert reply.chunks[-1] == b"data: [DONE]\n\n"
    assert len(reply.chunks) == 1 + 3 + 1 + 1


def test_a_plain_completion_has_no_role() -> None:
    """Its text stands in another place."""
    with serving() as (_, asking):
        reply = asking.ask(tokens=3, api="completions")
    assert [event["choices"][0]["text"] for event in reply.events if event["choices"]] == [" tok"] * 3
    assert {event["object"] for event in reply.events} == {"text_completion"}


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_an_answer_without_streaming_comes_at_the_end(api: str) -> None:
    """One body, with the usage in it."""
    with serving() as (server, asking):
        reply = asking.ask(tokens=3, api=api, stream=False, stream_options=None)
        (truth,) = server.truths()
    assert b" tok tok tok" in reply.body
    assert b'"completion_tokens": 3' in reply.body
    assert len(truth.wrote_ns) == 3


def test_usage_is_sent_when_it_was_asked_for() -> None:
    """And the continuous one too."""
    with serving() as (_, asking):
        assert asking.ask(stream_options=None).usage is None
        events = asking.ask(tokens=2, stream_options={"include_usage": True, "continuous_usage_stats": True}).events
    assert [event.get("usage", {}).get("completion_tokens") for event in events] == [None, 1, 2, 2]


@pytest.mark.parametrize(
    ("usage", "counts"), [("never", [None] * 4), ("always", [None, 1, 2, 3, 3]), ("last", [None, None, None, 3])]
)
def test_usage_is_sent_as_it_is_set(usage: str, counts: list[int | None]) -> None:
    """Whatever was asked for."""
    with serving(usage=usage) as (_, asking):
        events = asking.ask(tokens=3).events
    assert [event.get("usage", {}).get("completion_tokens") for event in events] == counts


def test_reasoning_comes_first() -> None:
    """In the field that is set, and in the usage."""
    with serving(reasoning_tokens=3, reasoning_field="reasoning", tokens_per_event=2) as (_, asking):
        reply = asking.ask(tokens=6)
    said = [delta for delta in reply.deltas if "role" not in delta]
    assert said[:2] == [{"reasoning": " tok"}, {"reasoning": " tok tok"}]
    assert "".join(delta["content"] for delta in said[2:]) == " tok tok tok"
    assert (reply.usage or {})["completion_tokens_details"] == {"reasoning_tokens": 3}


def test_text_may_come_in_a_tool_call() -> None:
    """As arguments."""
    with serving(channel="tool_calls") as (_, asking):
        said = asking.ask(tokens=2).deltas[1:]
    assert said == [{"tool_calls": [{"index": 0, "function": {"arguments": " tok"}}]}] * 2


def test_tokens_without_text_have_events() -> None:
    """And are in the log by their index."""
    with serving(empty_every=3) as (server, asking):
        assert asking.ask(tokens=6).texts == [" tok", " tok", "", " tok", " tok", ""]
        assert list(server.truths()[0].empty) == [2, 5]


def test_several_tokens_come_in_one_event() -> None:
    """The first alone, the others in groups, and those of a group at the same moment."""
    with serving(tokens_per_event=3) as (server, asking):
        reply = asking.ask(tokens=9)
        (truth,) = server.truths()
    assert [text.count("tok") for text in reply.texts] == [1, 3, 3, 2]
    assert (reply.usage or {})["completion_tokens"] == 9
    moments = list(truth.wrote_ns)
    assert [moments.count(moment) for moment in sorted(set(moments))] == [1, 3, 3, 2]


def test_several_events_come_in_one_write() -> None:
    """Each an event and a chunk of its own."""
    with serving(events_per_write=4, itl_ms=5.0) as (server, asking):
        reply = asking.ask(tokens=10)
        (truth,) = server.truths()
    assert len(reply.texts) == 10
    assert len(reply.chunks) == 1 + 10 + 2
    moments = list(truth.wrote_ns)
    assert [moments.count(moment) for moment in sorted(set(moments))] == [1, 4, 4, 1]
    assert any(read.count(b"data: ") >= 4 for read in asking.reads)


def test_a_write_may_be_cut_anywhere() -> None:
    """A token counts as written when the second part is; the answer is the same."""
    with serving(split_at=20, split_gap_ms=60_000.0) as (server, asking):
        asking.send(tokens=1)
        asking.until(b"\r\n\r\n")
        asking.take(20)
        assert asking.silent()
        assert [len(truth.wrote_ns) for truth in server.truths()] == [0]
    with serving(split_at=20, split_gap_ms=0.1) as (server, asking):
        assert asking.ask(tokens=3).texts == [" tok"] * 3
        assert [len(truth.wrote_ns) for truth in server.truths()] == [3]


def test_a_token_that_is_due_before_the_second_part_sends_it_on_its_way() -> None:
    """Each of the two has a moment of its own."""
    with serving(split_at=20, split_gap_ms=100.0, itl_ms=0.2) as (server, asking):
        assert asking.ask(tokens=4).texts == [" tok"] * 4
        (truth,) = server.truths()
    assert len(set(truth.wrote_ns)) == 4


def test_an_event_may_lie_in_two_chunks() -> None:
    """Cut in the middle of a character."""
    with serving(text="é日", role="never") as (_, plain):
        whole = plain.ask(tokens=1)
    at = whole.body.index("日".encode()) + 1
    with serving(text="é日", role="never", chunk_at=at) as (_, asking):
        reply = asking.ask(tokens=1)
    assert reply.texts == ["é日"]
    assert reply.chunks[0].endswith("日".encode()[:1])
    assert reply.chunks[1].startswith("日".encode()[1:])


def test_lines_end_as_they_are_set() -> None:
    """CRLF, no space behind the colon, and lines of other fields."""
    with serving(crlf=True, space=False, event_lines=True) as (_, asking):
        reply = asking.ask(tokens=2)
    assert b"\n" not in reply.body.replace(b"\r\n", b"")
    assert b'event: message\r\nid: 1\r\ndata:{"id"' in reply.body
    assert len(reply.texts) == 2


def test_comments_come_between_events() -> None:
    """As pings of a proxy do."""
    with serving(ping_every=2) as (_, asking):
        reply = asking.ask(tokens=5)
    assert reply.body.count(b": ping\n\n") == 3
    assert len(reply.texts) == 5


def test_the_role_comes_when_it_is_set_to() -> None:
    """Long before the first token, or never."""
    with serving(role="early", hang="first") as (_, asking):
        asking.send()
        assert b'"role":"assistant"' in asking.until(b"\n\n")
    with serving(role="never") as (_, asking):
        assert len(asking.ask(tokens=2).deltas) == 2


def test_the_end_may_lack_its_mark() -> None:
    """No [DONE], and a reason in an event of its own."""
    with serving(done=False, finish_apart=True) as (_, asking):
        reply = asking.ask(tokens=2)
    assert b"[DONE]" not in reply.body
    assert reply.deltas[1:] == [{"content": " tok"}, {"content": " tok"}, {}]
    assert reply.events[3]["choices"][0]["finish_reason"] == "length"


def test_an_answer_may_end_before_it_was_to() -> None:
    """With `stop` for a reason."""
    with serving(eos_after=3) as (_, asking):
        reply = asking.ask(tokens=50)
    assert len(reply.texts) == 3
    assert reply.events[3]["choices"][0]["finish_reason"] == "stop"


def test_a_connection_may_be_closed_behind_each_answer() -> None:
    """After a whole answer, or as the end of it."""
    with serving(close=True) as (server, asking):
        reply = asking.ask(tokens=2)
        assert reply.headers["connection"] == "close"
        assert asking.rest() == b""
        assert server.state()["connections"] == 0
    with serving(delimited=True) as (_, asking):
        reply = asking.ask(tokens=2)
    assert "transfer-encoding" not in reply.headers
    assert reply.body.endswith(b"data: [DONE]\n\n")


@pytest.mark.parametrize("early", [True, False])
def test_the_head_may_wait_for_the_first_token(*, early: bool) -> None:
    """Until then nothing is sent."""
    with serving(head_early=early, hang="first") as (server, asking):
        asking.send(tokens=2)
        wait_for(lambda: [truth.parked for truth in server.truths()] == [True])
        assert asking.silent() is not early
        server.set(hang="")
        assert len(asking.reply().texts) == 2
