"""A small PNG picture, another for each number, as a URL that holds it. Pure."""

from __future__ import annotations

from binascii import b2a_base64
from zlib import compress, crc32

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB_8 = bytes((8, 2, 0, 0, 0))
"""8 bits a channel, true colour, the usual compression, filter and no interlacing."""


def png(side: int, number: int) -> bytes:
    """A square of so many pixels a side: a slanted pattern, its top left corner coloured by the number (to 2**64)."""
    row = bytes((x * x * 7 + x * 13) % 251 for x in range(3 * side))
    mark = number.to_bytes(8, "little")[: 3 * side]
    rows = [b"\0" + row[3 * y % len(row) :] + row[: 3 * y % len(row)] for y in range(side)]
    rows[0] = b"\0" + mark + rows[0][1 + len(mark) :]
    head = _chunk(b"IHDR", side.to_bytes(4, "big") * 2 + _RGB_8)
    return _SIGNATURE + head + _chunk(b"IDAT", compress(b"".join(rows), 1)) + _chunk(b"IEND", b"")


def data_url(side: int, number: int) -> bytes:
    """The picture as `data:image/png;base64,...`."""
    return b"data:image/png;base64," + b2a_base64(png(side, number), newline=False)


def _chunk(name: bytes, held: bytes) -> bytes:
    return len(held).to_bytes(4, "big") + name + held + crc32(name + held).to_bytes(4, "big")
