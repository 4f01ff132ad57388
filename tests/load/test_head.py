"""Heads of answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.load.head import GarbledError, Head, split_head


def test_a_chunked_stream_keeps_its_connection() -> None:
    """Names and values are taken in any case."""
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTRANSFER-ENCODING: Chunked\r\n\r\nrest"
    )
    assert split_head(head) == (Head(200, chunked=True, length=None, keeps=True, stream=True), b"rest")


def test_a_body_without_length_ends_with_the_connection() -> None:
    """Such a connection is not used again, whatever the head says."""
    found = split_head(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
    assert found == (Head(200, chunked=False, length=None, keeps=False, stream=True), b"")


def test_a_server_may_close_after_a_chunked_answer() -> None:
    """It says so in the head."""
    found = split_head(b"HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n")
    assert found is not None
    assert not found[0].keeps


def test_http_1_0_keeps_only_what_it_says_it_keeps() -> None:
    """Its connections end unless told otherwise."""
    plain = split_head(b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n")
    kept = split_head(b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\nconnection: keep-alive\r\n\r\n")
    assert plain is not None
    assert kept is not None
    assert (plain[0].keeps, kept[0].keeps) == (False, True)


def test_continue_is_not_the_answer() -> None:
    """The head behind it is."""
    found = split_head(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 429 Too Many\r\ncontent-length: 3\r\n\r\nabc")
    assert found is not None
    assert (found[0].status, found[0].length, found[1]) == (429, 3, b"abc")


def test_no_content_has_no_body() -> None:
    """Its length is 0 without a word."""
    found = split_head(b"HTTP/1.1 204 No Content\r\n\r\n")
    assert found is not None
    assert found[0].length == 0


@pytest.mark.parametrize("data", [b"SSH-2.0-x\r\n", b"\x16\x03\x01", b"HTTP/2 200\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n"])
def test_what_is_no_http_is_said(data: bytes) -> None:
    """The first bytes tell."""
    with pytest.raises(GarbledError, match="no HTTP answer"):
        split_head(data)


def test_a_head_without_end_is_given_up() -> None:
    """64 KiB of fields are no head."""
    with pytest.raises(GarbledError):
        split_head(b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 20_000)


@given(st.integers(0, 80))
def test_a_head_that_is_not_whole_is_waited_for(cut: int) -> None:
    """Wherever it is cut."""
    head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-type: text/event-stream\r\n\r\n"
    assert split_head(head[: min(cut, len(head) - 1)]) is None
