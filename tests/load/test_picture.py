"""Pictures that any decoder takes, and no two alike."""

from __future__ import annotations

from base64 import b64decode
from zlib import crc32, decompress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.load.picture import data_url, png


def _chunks(picture: bytes) -> dict[bytes, bytes]:
    """Name and content of each chunk, with their checksums checked."""
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    found, rest = {}, picture[8:]
    while rest:
        size = int.from_bytes(rest[:4], "big")
        assert int.from_bytes(rest[8 + size : 12 + size], "big") == crc32(rest[4 : 8 + size])
        found[rest[4:8]] = rest[8 : 8 + size]
        rest = rest[12 + size :]
    return found


@settings(max_examples=30)
@given(st.integers(1, 80), st.integers(0, 2**63))
def test_a_picture_is_whole(side: int, number: int) -> None:
    """Chunks with right checksums, a head with its size, and a filter byte and three bytes a pixel for each row."""
    chunks = _chunks(png(side, number))
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    assert chunks[b"IHDR"][:8] == side.to_bytes(4, "big") * 2
    pixels = decompress(chunks[b"IDAT"])
    assert len(pixels) == side * (3 * side + 1)
    assert set(pixels[:: 3 * side + 1]) == {0}


@pytest.mark.parametrize("side", [2, 224])
def test_pixels_differ_by_number(side: int) -> None:
    """Not only the file: servers know a picture by its pixels."""
    assert len({decompress(_chunks(png(side, number))[b"IDAT"]) for number in range(20)}) == 20


def test_a_url_holds_the_picture() -> None:
    """Base64 without line breaks."""
    url = data_url(8, 3)
    assert url.startswith(b"data:image/png;base64,")
    assert b64decode(url.partition(b",")[2], validate=True) == png(8, 3)
