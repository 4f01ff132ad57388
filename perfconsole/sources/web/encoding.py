"""Content encodings of HTTP: the page inside the bytes as sent.

Must never unpack more than it is allowed: a page of 100 kB can hold 100 MB.
"""

from __future__ import annotations

import zlib

from perfconsole.sources.web.failure import FetchError, FetchKind, size_text, too_large

_MAX_MEMBERS = 64
"""Parts of a gzip page: cutting off a part copies the rest, so 16 MiB of empty ones would take minutes."""


def unpack(raw: bytes, encoding: str, limit: int) -> bytes:
    """Unpack the page from the bytes as sent; no more than `limit` bytes and one ever come out.

    Raises FetchError: TOO_LARGE beyond the limit, BROKEN for a bad encoding or another than gzip and deflate.
    """
    name = encoding.strip().lower()
    if name in {"", "identity"} or not raw:
        return raw
    if name not in {"gzip", "x-gzip", "deflate"}:
        raise FetchError(FetchKind.BROKEN, f"page comes in an encoding that was not asked for: {name}")
    try:
        return _inflate(raw, _window(raw, name), limit)
    except zlib.error:
        raise FetchError(FetchKind.BROKEN, f"page is marked as {name} but cannot be unpacked") from None


def _window(raw: bytes, name: str) -> int:
    """Format for zlib. `deflate` comes with and without a wrapper, which its first two bytes tell (RFC 1950)."""
    if name != "deflate":
        return zlib.MAX_WBITS | 16
    wrapped = raw[0] & 15 == zlib.DEFLATED and int.from_bytes(raw[:2], "big") % 31 == 0
    return zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS


def _inflate(raw: bytes, window: int, limit: int) -> bytes:
    """Unpack member after member (a gzip page may have several)."""
    page = bytearray()
    for _ in range(_MAX_MEMBERS):
        member = zlib.decompressobj(window)
        page += member.decompress(raw, limit + 1 - len(page))
        if len(page) > limit:
            raise too_large(limit)
        if not member.eof:
            text = f"packed page stops in the middle ({size_text(len(page))} could be unpacked)"
            raise FetchError(FetchKind.BROKEN, text)
        raw = member.unused_data
        if not raw:
            return bytes(page)
    raise FetchError(FetchKind.BROKEN, f"packed page has more than {_MAX_MEMBERS} parts")
