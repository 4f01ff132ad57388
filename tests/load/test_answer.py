"""Streamed answers: captured ones, and all that servers do to them."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.load.answer import Answer
from perfconsole.model.probeload import Trouble

CAPTURES = Path(__file__).parents[1] / "captures"
MS = 1_000_000
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
CAPTURED = {
    "vllm/sse_chat.raw": (24, 16, 27),
    "vllm/sse_chat_continuous_usage.raw": (6, 3, 19),
    "vllm/sse_completion.raw": (8, 5, 2),
    "sglang/sse_chat.raw": (12, 7, 25),
    "llamacpp/sse_chat.raw": (24, 23, 29),
}
"""Output tokens by usage, events with text, prompt tokens: counted by hand."""


def chunk(event: bytes) -> bytes:
    """One event as one chunk."""
    return b"%x\r\n%b\r\n" % (len(event), event)


def token(text: str = "x", **more: object) -> bytes:
    """An event as vLLM writes it."""
    choice = {"index": 0, "delta": {"content": text}, "logprobs": None, "finish_reason": None}
    return b"data: " + json.dumps({"id": "c", "choices": [choice], **more}, separators=(",", ":")).encode() + b"\n\n"


def fed(*reads: bytes, gap: int = MS) -> Answer:
    """An answer that came in these reads, one every `gap` from 1 s on."""
    answer = Answer()
    for number, read in enumerate((HEAD, *reads)):
        answer.feed(read, 10**9 + number * gap)
    return answer


END = b"0\r\n\r\n"
DONE = chunk(b"data: [DONE]\n\n")


@pytest.mark.parametrize("name", CAPTURED)
@pytest.mark.parametrize("size", [1, 13, 200, 4096])
def test_a_captured_stream_has_its_exact_tokens(name: str, size: int) -> None:
    """However it is cut, with and without chunks."""
    raw = (CAPTURES / name).read_bytes()
    plain = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + raw
    chunked = HEAD + b"".join(chunk(e + b"\n\n") for e in raw.split(b"\n\n") if e) + END
    tokens, events, prompt = CAPTURED[name]
    for wire in (plain, chunked):
        answer = Answer()
        for at in range(0, len(wire), size):
            answer.feed(wire[at : at + size], at + 1)
        answer.closed(len(wire) + 1)
        assert answer.trouble is None
        assert answer.usage is not None
        assert (answer.usage.output, answer.usage.prompt) == (tokens, prompt)
        assert answer.events == events


@pytest.mark.parametrize("name", CAPTURED)
def test_a_captured_stream_has_its_exact_times(name: str) -> None:
    """An event a millisecond: the first and the last text are where they stand in the file."""
    events = [e + b"\n\n" for e in (CAPTURES / name).read_bytes().split(b"\n\n") if e]
    text = [n for n, e in enumerate(events, 1) if _has_text(e)]
    answer = fed(*map(chunk, events), END)
    assert (answer.first, answer.last) == (10**9 + text[0] * MS, 10**9 + text[-1] * MS)
    assert sum(answer.gaps) == pytest.approx(answer.last - answer.first, abs=len(answer.gaps))


def _has_text(event: bytes) -> bool:
    document = event.removeprefix(b"data: ")
    choices = json.loads(document)["choices"] if b"[DONE]" not in event else []
    return bool(choices and (choices[0].get("delta", {}).get("content") or choices[0].get("text")))


def test_a_likeness_gives_what_reading_gives() -> None:
    """Events known by their bytes count as those that are read."""
    answer = fed(*(chunk(token(text)) for text in ("a", "b", '\\" ]}', "", "é", "c")), DONE, END)
    assert (answer.seen, answer.events, answer.gaps) == (6, 5, [MS, MS, MS, MS, MS])
    assert answer.done


def test_the_gap_of_several_tokens_is_shared() -> None:
    """Three events in a read after six milliseconds: two for each."""
    answer = Answer()
    for read, at in ((HEAD + chunk(token()), 1), (chunk(token()) * 3, 1 + 6 * MS)):
        answer.feed(read, at)
    assert (answer.gaps, answer.clustered) == ([2 * MS] * 3, 2)


def test_a_first_read_that_was_late_is_put_in_its_time() -> None:
    """Two texts in it and one every millisecond behind: the first came a millisecond before the second."""
    answer = Answer()
    answer.feed(HEAD + chunk(token()) * 2, 10**9, 10**9 - 5 * MS)
    for number in range(1, 10):
        answer.feed(chunk(token()), 10**9 + number * MS)
    answer.feed(DONE + END, 2 * 10**9)
    assert (answer.first, answer.first_answer, answer.seen) == (10**9 - MS, 10**9 - MS, 11)
    assert answer.gaps == [MS] * 10


def test_a_running_count_tells_tokens_of_an_event() -> None:
    """Speculation: two tokens in an event, said by its usage."""
    answer = fed(*(chunk(token(usage={"completion_tokens": n})) for n in (1, 3, 5)), DONE, END, gap=4 * MS)
    assert (answer.seen, answer.events, answer.gaps) == (5, 3, [2 * MS] * 4)


def test_usage_on_the_last_text_is_the_whole() -> None:
    """It does not make the last event many tokens."""
    answer = fed(chunk(token()), chunk(token()), chunk(token(usage={"completion_tokens": 3})), DONE, END)
    assert (answer.seen, answer.gaps) == (3, [MS, MS])
    assert answer.usage is not None
    assert answer.usage.output == 3


def test_neither_role_nor_usage_is_the_first_token() -> None:
    """TTFT ends at text."""
    role = b'data: {"choices":[{"delta":{"role":"assistant","content":""}}]}\n\n'
    usage = b'data: {"choices":[],"usage":{"prompt_tokens":4,"completion_tokens":0}}\n\n'
    answer = fed(chunk(role), chunk(usage), chunk(token()), DONE, END)
    assert answer.first == 10**9 + 3 * MS


def test_the_answer_itself_may_come_after_thoughts() -> None:
    """Both moments are kept."""
    thought = b'data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}\n\n'
    answer = fed(chunk(thought), chunk(thought), chunk(token()), DONE, END)
    assert (answer.first, answer.first_answer, answer.reasoned) == (10**9 + MS, 10**9 + 3 * MS, True)


def test_a_missing_done_is_no_fault() -> None:
    """The body has ended."""
    answer = fed(chunk(token()), END)
    assert (answer.done, answer.trouble, answer.reusable) == (True, None, True)


def test_an_event_that_the_stream_ends_in_is_not_lost() -> None:
    """Some servers leave the last empty line out."""
    answer = fed(chunk(token()), chunk(token().rstrip(b"\n")), END)
    assert (answer.events, answer.trouble) == (2, None)


def test_done_alone_does_not_end_the_answer() -> None:
    """The connection would be thrown away with the last chunk unread."""
    answer = fed(chunk(token()), DONE)
    assert not answer.done


def test_a_connection_that_ends_behind_done_lost_nothing() -> None:
    """But cannot be used again."""
    answer = fed(chunk(token()), DONE)
    answer.closed(2 * 10**9)
    assert (answer.done, answer.trouble, answer.reusable) == (True, None, False)


def test_a_connection_that_ends_in_the_middle_is_an_error() -> None:
    """Tokens that came do not make it good."""
    answer = fed(chunk(token()))
    answer.closed(2 * 10**9)
    assert (answer.trouble, answer.detail) == (Trouble.RESET, "the connection ended in the middle of the answer")


def test_an_error_under_200_is_an_error() -> None:
    """In the middle of the stream."""
    answer = fed(chunk(token()), chunk(b'data: {"error":{"message":"out of memory"}}\n\n'))
    assert (answer.trouble, answer.detail, answer.done) == (Trouble.IN_BAND, "out of memory", True)


def test_a_status_is_an_error_with_the_words_of_its_page() -> None:
    """The connection can be used again."""
    answer = Answer()
    answer.feed(b'HTTP/1.1 429 Too Many\r\ncontent-length: 33\r\n\r\n{"error":{"message":"slow down"}}', 1)
    assert (answer.trouble, answer.detail, answer.reusable) == (Trouble.STATUS, "429 slow down", True)
    assert answer.done


def test_an_answer_without_text_is_an_error() -> None:
    """Its latency would be of nothing."""
    assert fed(DONE, END).trouble is Trouble.EMPTY


def test_an_answer_that_is_no_stream_is_an_error() -> None:
    """The server did not do what it was asked for."""
    answer = Answer()
    answer.feed(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}", 1)
    assert answer.trouble is Trouble.GARBLED


EVENT = st.sampled_from([token("a"), token("bc"), token(""), token('q"'), b": ping\n\n", token("z", created=5)])


@settings(max_examples=60)
@given(st.lists(EVENT, min_size=1, max_size=12), st.lists(st.integers(0, 3000), max_size=8), st.booleans())
def test_cuts_change_times_but_never_counts(events: list[bytes], cuts: list[int], crlf: bool) -> None:  # noqa: FBT001 - drawn
    """However the kernel hands a stream over, its text events and tokens are the same."""
    events = [e.replace(b"\n", b"\r\n") for e in events] if crlf else events
    wire = HEAD + b"".join(map(chunk, events)) + DONE + END
    whole = Answer()
    whole.feed(wire, 1)
    pieces = Answer()
    places = sorted({0, len(wire), *(cut % len(wire) for cut in cuts)})
    for a, b in itertools.pairwise(places):
        pieces.feed(wire[a:b], b + 1)
    assert (pieces.events, pieces.seen, pieces.done) == (whole.events, whole.seen, whole.done)
