"""The head of an HTTP/1.1 answer, however it is cut into reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

MOST_BYTES = 64 * 1024
_END = b"\r\n\r\n"


class GarbledError(ValueError):
    """What came is no HTTP answer; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Head:
    """What the head of an answer says of its body."""

    status: int
    chunked: bool
    length: int | None
    """Bytes of the body; None when it is chunked or ends with the connection."""
    keeps: bool
    """The connection can be used again."""
    stream: bool
    """The body is a stream of events."""


def split_head(data: bytes) -> tuple[Head, bytes] | None:
    """The first head in the data that is no mere `100 Continue`, and what follows it; None until all of it is there.

    GarbledError for what is no head.
    """
    while (end := data.find(_END)) >= 0:
        head = _read(data[:end])
        data = data[end + len(_END) :]
        if head.status >= 200:
            return head, data
    if len(data) > MOST_BYTES or not b"HTTP/".startswith(data[:5]):
        raise GarbledError(f"no HTTP answer: {data[:40]!r}")
    return None


@lru_cache(64)
def _read(head: bytes) -> Head:
    """What a head says; those of one server differ by the second, and hundreds come in one."""
    first, *lines = head.split(b"\r\n")
    version, _, rest = first.partition(b" ")
    code = rest[:3]
    if not version.startswith(b"HTTP/1") or not code.isdigit():
        raise GarbledError(f"no HTTP answer: {first[:40]!r}")
    fields = dict(_field(line) for line in lines)
    chunked = b"chunked" in fields.get(b"transfer-encoding", b"").lower()
    length = fields.get(b"content-length", b"")
    known = int(length) if length.isdigit() and not chunked else None
    connection = fields.get(b"connection", b"").lower()
    keeps = (b"close" not in connection) if version == b"HTTP/1.1" else b"keep-alive" in connection
    bodyless = int(code) in (204, 304)
    return Head(
        int(code),
        chunked,
        0 if bodyless else known,
        keeps and (chunked or known is not None or bodyless),
        b"event-stream" in fields.get(b"content-type", b"").lower(),
    )


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name.strip().lower(), value.strip()
