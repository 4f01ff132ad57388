"""Bodies without their framing."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.load.body import Body
from perfconsole.load.head import GarbledError, Head

CHUNKED = Head(200, chunked=True, length=None, keeps=True, stream=True)


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    """The data cut at these places."""
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[a:b] for a, b in itertools.pairwise(places)]


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=6), st.lists(st.integers(0, 400), max_size=12))
def test_chunks_come_out_as_they_went_in(chunks: list[bytes], cuts: list[int]) -> None:
    """However the wire cuts them, with words behind the lengths and fields behind the last."""
    wire = b"".join(b"%X;x=y\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\nfoo: bar\r\n\r\n"
    body = Body(CHUNKED)
    assert b"".join(body.take(piece) for piece in pieces(wire, cuts)) == b"".join(chunks)
    assert body.done
    assert not body.extra


def test_what_follows_the_end_is_noticed() -> None:
    """Such a connection cannot be used again."""
    body = Body(CHUNKED)
    assert body.take(b"1\r\na\r\n0\r\n\r\nHTTP/1.1") == b"a"
    assert body.extra


def test_a_body_of_known_length_ends_there() -> None:
    """What is behind it is not its own."""
    body = Body(Head(500, chunked=False, length=3, keeps=True, stream=False))
    assert body.take(b"ab") == b"ab"
    assert not body.done
    assert body.take(b"cd") == b"c"
    assert (body.done, body.extra) == (True, True)


def test_a_body_of_no_length_is_done_at_once() -> None:
    """Nothing needs to come for it."""
    assert Body(Head(204, chunked=False, length=0, keeps=True, stream=False)).done


def test_a_body_without_framing_goes_on() -> None:
    """Only the end of the connection ends it."""
    body = Body(Head(200, chunked=False, length=None, keeps=False, stream=True))
    assert body.take(b"x") == b"x"
    assert (body.done, body.bounded, body.between) == (False, False, True)


@pytest.mark.parametrize("wire", [b"zz\r\n", b"-1\r\n", b"1_0\r\n", b"2\r\nabX", b"f" * 2000])
def test_wrong_framing_is_said(wire: bytes) -> None:
    """It is not taken for text."""
    with pytest.raises(GarbledError):
        Body(CHUNKED).take(wire)


def test_between_chunks_a_chunk_may_begin() -> None:
    """Not within one, and not behind the last."""
    body = Body(CHUNKED)
    seen = [(body.take(piece), body.between)[1] for piece in (b"2\r\na", b"b\r", b"\n", b"0\r\n", b"\r\n")]
    assert seen == [False, False, True, False, False]
