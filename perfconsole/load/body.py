"""The body of an HTTP/1.1 answer without its framing, however it is cut into reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.load.chunklengths import LENGTHS
from perfconsole.load.head import GarbledError

if TYPE_CHECKING:
    from perfconsole.load.head import Head

_LINE = 1024
"""Bytes of the line that says how long a chunk is."""
_CRLF = 2


class Body:
    """Takes the framing off; `done` once the end has come."""

    __slots__ = ("_chunked", "_left", "_line", "_trailing", "done", "extra")

    def __init__(self, head: Head) -> None:
        self._chunked = head.chunked
        self._left = head.length if head.length is not None else -1
        """Bytes to come, of the chunk with its line end or of the body; -1 where it ends with the connection."""
        if self._chunked:
            self._left = 0
        self._line = b""
        self._trailing = False
        self.done = not self._chunked and self._left == 0
        self.extra = False
        """Something came behind the end."""

    @property
    def between(self) -> bool:
        """What comes next is the beginning of a chunk, or plain body."""
        return not self.done and not self._trailing and not self._line and (self._left == 0 or not self._chunked)

    @property
    def chunked(self) -> bool:
        """It comes in chunks."""
        return self._chunked

    @property
    def bounded(self) -> bool:
        """It has an end of its own; of any other the end of the connection is the end."""
        return self._chunked or self._left >= 0

    def take(self, data: bytes) -> bytes:
        """The bytes of the body in this read; GarbledError where the framing is wrong."""
        if self._chunked:
            return self._chunks(data)
        if self._left < 0:
            return data
        piece = data[: self._left]
        self._left -= len(piece)
        self.done = self._left == 0
        self.extra = len(data) > len(piece)
        return piece

    def _chunks(self, data: bytes) -> bytes:
        data, self._line = self._line + data, b""
        out: list[bytes] = []
        pos = 0
        while pos < len(data) and not self.done:
            if self._left == 0 and not self._trailing:
                pos = _whole_chunks(data, pos, out)
            if pos == len(data):
                break
            if self._left > _CRLF:
                piece = data[pos : pos + self._left - _CRLF]
                out.append(piece)
                pos += len(piece)
                self._left -= len(piece)
            elif self._left:
                pos = self._end_of_chunk(data, pos)
            else:
                pos = self._next_line(data, pos)
        self.extra = self.extra or pos < len(data)
        return b"".join(out)

    def _end_of_chunk(self, data: bytes, pos: int) -> int:
        want = b"\r\n"[_CRLF - self._left :]
        piece = data[pos : pos + self._left]
        if not want.startswith(piece):
            raise GarbledError(f"a chunk does not end where it should: {piece!r}")
        self._left -= len(piece)
        return pos + len(piece)

    def _next_line(self, data: bytes, pos: int) -> int:
        """The line before a chunk, or one of those behind the last; all of it must be there."""
        end = data.find(b"\r\n", pos)
        if end < 0:
            self._line = data[pos:]
            if len(self._line) > _LINE:
                raise GarbledError(f"no length of a chunk: {self._line[:40]!r}")
            return len(data)
        line = data[pos:end]
        if self._trailing:
            self.done = not line
        else:
            size = _size(line)
            self._trailing = size == 0
            self._left = size + _CRLF if size else 0
        return end + _CRLF


def _whole_chunks(data: bytes, pos: int, out: list[bytes]) -> int:
    """Take the chunks that are all there, up to the first that is not, or is not as usual; where that begins."""
    while True:
        line = data.find(b"\r\n", pos, pos + 10)
        size = LENGTHS[data[pos:line]] if line > pos else 0
        end = line + _CRLF + size
        if size <= 0 or data[end : end + _CRLF] != b"\r\n":
            return pos
        out.append(data[line + _CRLF : end])
        pos = end + _CRLF


def _size(line: bytes) -> int:
    text = line.partition(b";")[0].strip()
    try:
        size = int(text, 16)
    except ValueError:
        size = -1
    if size < 0 or b"_" in text:
        raise GarbledError(f"no length of a chunk: {line[:40]!r}")
    return size
