"""One growing file: its head and its end at first sight, then what is appended. Never reads a large file whole.

Follows a file through rotation and truncation. Never opens what is not a regular file, and never waits.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, replace

from perfconsole.model.sample import Missing

HEAD_BYTES = 2 << 20
"""Of a large file at first sight: there an engine says what it was started with."""
END_BYTES = 1 << 20
POLL_BYTES = 256 << 10
BEHIND_BYTES = 8 << 20
"""A reader that is this far behind leaves out the middle."""
_LONGEST = 1 << 16
"""Bytes kept of a line whose end has not come yet."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines of a log."""

    data: bytes
    written: float
    """When the file was last changed, epoch seconds."""
    fresh: bool
    """It has come since the last poll; else it was there at first sight."""
    gap: bool = False
    """Something before it was not read."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a file gives nothing."""

    reason: Missing
    words: str


class Tail:
    """Reads one path; the only writer of how far it is. `close` may come from any thread after the last poll."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.shown = ""
        """As a person knows the file."""
        self._descriptor = -1
        self._identity: tuple[int, int] | None = None
        self._at = 0
        self._begun = b""
        """Start of a line whose end has not come yet."""
        self._overlong = False
        self.seen = False
        """Its content at first sight was read."""

    def read(self) -> list[Piece] | Unreadable:
        """What is new, in order; an empty list for nothing."""
        pieces: list[Piece] = []
        status = self._status()
        if isinstance(status, Unreadable):
            self.close()
            return status
        if self._identity not in (None, (status.st_dev, status.st_ino)):
            pieces += self._rest()  # of the file that was rotated away
            self.close()
        if self._descriptor < 0 and (failed := self._open()) is not None:
            return failed
        try:
            return pieces + self._grown()
        except OSError as error:
            self.close()
            return _why(error)

    def reads(self, path: str) -> bool:
        """That path leads to the file that is being read."""
        try:
            status = os.stat(path)  # noqa: PTH116 - followed, not resolved
        except OSError:
            return False
        return self._identity == (status.st_dev, status.st_ino)

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self._identity = -1, None

    def _status(self) -> os.stat_result | Unreadable:
        try:
            status = os.stat(self.path)  # noqa: PTH116 - a link of /proc must be followed, not resolved
        except OSError as error:
            return _why(error)
        if not stat.S_ISREG(status.st_mode):
            return Unreadable(Missing.UNSUPPORTED, "is no regular file")
        return status

    def _open(self) -> Unreadable | None:
        try:
            self._descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        except OSError as error:
            return _why(error)
        opened = os.fstat(self._descriptor)
        if not stat.S_ISREG(opened.st_mode):
            self.close()
            return Unreadable(Missing.UNSUPPORTED, "is no regular file")
        self._identity = (opened.st_dev, opened.st_ino)
        self._at, self._begun, self._overlong = 0, b"", False
        return None

    def _rest(self) -> list[Piece]:
        try:
            return self._grown() if self._descriptor >= 0 else []
        except OSError:
            return []

    def _grown(self) -> list[Piece]:
        status = os.fstat(self._descriptor)
        size, written = status.st_size, status.st_mtime
        if size < self._at:  # truncated in place: what stands there now has come since
            self._at, self._begun, self._overlong = 0, b"", False
        if not self.seen:
            self.seen = True
            return self._first(size, written)
        gap = size - self._at > BEHIND_BYTES
        if gap:
            self._at, self._begun, self._overlong = size - POLL_BYTES, b"", True
        piece = self._take(min(size - self._at, POLL_BYTES), written, fresh=True)
        return [replace(piece, gap=gap)] if piece.data or gap else []

    def _first(self, size: int, written: float) -> list[Piece]:
        if size <= HEAD_BYTES + END_BYTES:
            return [self._take(size, written, fresh=False)]
        head = self._take(HEAD_BYTES, written, fresh=False)
        self._at, self._begun, self._overlong = size - END_BYTES, b"", True
        return [head, replace(self._take(END_BYTES, written, fresh=False), gap=True)]

    def _take(self, length: int, written: float, *, fresh: bool) -> Piece:
        """Whole lines of the next so many bytes; the start of another one is kept for the next time."""
        data = os.pread(self._descriptor, length, self._at) if length > 0 else b""
        self._at += len(data)
        return Piece(self._lines(data.replace(b"\r", b"\n")), written, fresh)

    def _lines(self, data: bytes) -> bytes:
        if self._overlong:  # its end is all that is wanted of this line
            _, end, data = data.partition(b"\n")
            self._overlong = not end
        data = self._begun + data
        whole, end, self._begun = data.rpartition(b"\n")
        if len(self._begun) > _LONGEST:
            cut, self._begun, self._overlong = self._begun[:_LONGEST], b"", True
            return whole + end + cut + b"\n"
        return whole + end


def _why(error: OSError) -> Unreadable:
    if isinstance(error, PermissionError):
        return Unreadable(Missing.NO_PERMISSION, "may not be read by this user: run as the engine's user or as root")
    if isinstance(error, FileNotFoundError):
        return Unreadable(Missing.NOT_EXPORTED, "is not there")
    return Unreadable(Missing.SOURCE_DOWN, f"cannot be read: {error.strerror or error}")
