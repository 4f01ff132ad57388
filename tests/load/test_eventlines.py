"""Server-sent events in pieces."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.load import eventlines
from perfconsole.load.eventlines import EventLines, SentEvent
from perfconsole.load.head import GarbledError

STREAM = (
    b'data: {"a":1}\n\n: a comment\n\ndata:no space\r\n\r\nevent: error\ndata: one\ndata: two\nid: 7\n\nretry: 5\n\n'
    b"data: \xe4\xb8\xad\n\n"
)
EVENTS = [
    SentEvent(b"message", b'{"a":1}'),
    SentEvent(b"message", b"no space"),
    SentEvent(b"error", b"one\ntwo"),
    SentEvent(b"message", "中".encode()),
]


@given(st.lists(st.integers(0, len(STREAM)), max_size=20))
def test_events_are_the_same_however_they_are_cut(cuts: list[int]) -> None:
    """Also in the middle of a character, of a line end, of the word data."""
    places = sorted({0, len(STREAM), *cuts})
    lines = EventLines()
    assert [e for a, b in itertools.pairwise(places) for e in lines.take(STREAM[a:b])] == EVENTS
    assert lines.empty


def test_an_event_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded."""
    monkeypatch.setattr(eventlines, "MOST_BYTES", 100)
    with pytest.raises(GarbledError, match="an event of more"):
        EventLines().take(b"data: " + b"x" * 200)
