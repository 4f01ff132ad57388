"""What events of one answer have in common."""

from __future__ import annotations

import pytest

from perfconsole.load.delta import Delta
from perfconsole.load.likeness import Likeness

EVENT = b'data: {"choices":[{"delta":{"content":"a"},"finish_reason":null}]}\n\n'


def test_the_text_is_what_differs() -> None:
    """Everything before and behind it is kept."""
    like = Likeness.of(EVENT, Delta("content"), chunked=True)
    assert like is not None
    assert like.lead == b'data: {"choices":[{"delta":{"content":"'
    assert like.tail == b'"},"finish_reason":null}]}\n\n\r\n'
    assert (like.stop, like.ahead, like.behind) == (b"\n\n", len(like.lead), 4)


def test_quotes_in_the_text_do_not_end_it() -> None:
    """A backslash before a quote makes it text, two make it an end."""
    like = Likeness.of(EVENT.replace(b'"a"', rb'"a\"\\"'), Delta("content"), chunked=False)
    assert like is not None
    assert like.tail == b'"},"finish_reason":null}]}\n\n'


def test_blanks_behind_the_colon_are_as_good() -> None:
    """Some servers write JSON with them."""
    like = Likeness.of(b'data: {"text": "a", "x": 1}\n\n', Delta("text"), chunked=False)
    assert like is not None
    assert like.lead == b'data: {"text": "'


@pytest.mark.parametrize(
    ("payload", "delta"),
    [
        (EVENT, Delta("content", finish=True)),
        (EVENT, Delta("tool_calls")),
        (EVENT, Delta("reasoning")),
        (b": ping\n" + EVENT, Delta("content")),
        (b": ping\n" + EVENT[:-1], Delta("content")),
        (EVENT[:-1], Delta("content")),
        (b'data: {"content":"a","b":{"content":"c"}}\n\n', Delta("content")),
        (b'data: {"content":""}\n\n', Delta("content")),
    ],
)
def test_what_the_next_one_may_not_look_like_is_none(payload: bytes, delta: Delta) -> None:
    """Such an event is read in full each time."""
    assert Likeness.of(payload, delta, chunked=False) is None


def test_the_last_event_of_a_read_is_what_counts() -> None:
    """A role stands before the first text."""
    like = Likeness.of(b'data: {"delta":{"role":"a"}}\n\n' + EVENT, Delta("content"), chunked=False)
    assert like is not None
    assert like.lead.startswith(b'data: {"choices"')


@pytest.mark.parametrize("chunked", [False, True])
def test_a_run_of_like_events_is_counted_by_its_bytes(chunked: bool) -> None:  # noqa: FBT001 - both forms
    """Up to the first one that is not like them, or not whole."""
    like = Likeness.of(EVENT, Delta("content"), chunked=chunked)
    assert like is not None
    wire = b"%x\r\n%b\r\n" % (len(EVENT), EVENT) if chunked else EVENT
    assert like.run(wire * 3) == (3, 3 * len(wire))
    assert like.run(wire + wire[:-1]) == (1, len(wire))
    assert like.run(wire.replace(b'"a"', b'""') + wire) == (0, 0)
    assert like.run(b"zz\r\n") == (0, 0)
