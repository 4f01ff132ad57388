"""One growing file: its head and its end at first sight, then what is appended. Never reads a large file whole.

Follows a file through rotation and truncation, and goes on with one that was away. Never opens what is not a regular
file, and never waits.
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
_MARK_BYTES = 64
"""What was read last is compared before more is read: a file may be cut off and grow past that place between polls."""


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
        """Device and number of the file that was read last; kept when it is closed, to go on with it."""
        self._at = 0
        self._mark = b""
        """Bytes right before that place."""
        self._begun = b""
        """Start of a line whose end has not come yet."""
        self._overlong = False
        self.seen = False
        """Its content at first sight was read."""

    def read(self) -> list[Piece] | Unreadable:
        """What is new, in order; an empty list for nothing."""
        status = self._status()
        if isinstance(status, Unreadable):
            pieces = self._rest()  # of a file whose process has ended: its last words say why
            self.close()
            return pieces or status
        rotated = self._descriptor >= 0 and self._identity != (status.st_dev, status.st_ino)
        pieces = self._rest() if rotated else []
        if rotated:
            self.close()
        try:
            if self._descriptor < 0 and (failed := self._open(rotated=rotated)) is not None:
                return pieces or failed
            return pieces + self._grown(POLL_BYTES)
        except OSError as error:
            self.close()
            return pieces or _why(error)

    def reads(self, path: str) -> bool:
        """That path leads to the file that is being read."""
        try:
            status = os.stat(path)  # noqa: PTH116 - followed, not resolved
        except OSError:
            return False
        return self._identity == (status.st_dev, status.st_ino)

    def close(self) -> None:
        """Let go of the file; how far it was read is kept."""
        # Forgotten first: where closing fails the number may soon be another file's.
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _status(self) -> os.stat_result | Unreadable:
        try:
            status = os.stat(self.path)  # noqa: PTH116 - a link of /proc must be followed, not resolved
        except OSError as error:
            return _why(error)
        if not stat.S_ISREG(status.st_mode):
            return Unreadable(Missing.UNSUPPORTED, "is no regular file")
        return status

    def _open(self, *, rotated: bool) -> Unreadable | None:
        """Open what is there: the file that was read before goes on, another one is seen for the first time."""
        self._descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        opened = os.fstat(self._descriptor)
        if not stat.S_ISREG(opened.st_mode):
            self.close()
            return Unreadable(Missing.UNSUPPORTED, "is no regular file")
        identity = (opened.st_dev, opened.st_ino)
        # The number of a deleted file is given to the next one; without a byte that was read nothing tells them apart.
        if identity != self._identity or self._at == 0 or not self._unchanged(opened.st_size):
            self.seen = self.seen and rotated  # what took the place of an open file has come since the last poll
            self._go_to(0)
        self._identity = identity
        return None

    def _rest(self) -> list[Piece]:
        """What was not read yet of a file that will be let go."""
        try:
            return self._grown(BEHIND_BYTES) if self._descriptor >= 0 else []
        except OSError:
            return [Piece(b"", 0.0, fresh=True, gap=True)]

    def _go_to(self, place: int, *, within: bool = False) -> None:
        """Read from there on; `within` a line of which only the end is left."""
        self._at, self._mark, self._begun, self._overlong = place, b"", b"", within

    def _before(self) -> bytes:
        """What now stands where the mark was taken."""
        return os.pread(self._descriptor, len(self._mark), self._at - len(self._mark)) if self._mark else b""

    def _unchanged(self, size: int) -> bool:
        return size >= self._at and self._before() == self._mark

    def _grown(self, most: int) -> list[Piece]:
        status = os.fstat(self._descriptor)
        size, written = status.st_size, status.st_mtime
        if not self.seen:
            pieces = self._first(size, written)
            self.seen = True
            return pieces
        gap = not self._unchanged(size)
        if gap:  # truncated in place: what stands there now has come since
            # A writer that does not append goes on at its own place, and leaves a hole of zeros before it.
            hole = size >= self._at and not self._before().strip(b"\0")
            self._go_to(self._at if hole else 0)
        if size - self._at > BEHIND_BYTES:
            gap = True
            self._go_to(size - POLL_BYTES, within=True)
        piece = self._take(min(size - self._at, most), written, fresh=True)
        return [replace(piece, gap=gap)] if piece.data or gap else []

    def _first(self, size: int, written: float) -> list[Piece]:
        if size <= HEAD_BYTES + END_BYTES:
            return [self._take(size, written, fresh=False)]
        head = self._take(HEAD_BYTES, written, fresh=False)
        self._go_to(size - END_BYTES, within=True)
        return [head, replace(self._take(END_BYTES, written, fresh=False), gap=True)]

    def _take(self, length: int, written: float, *, fresh: bool) -> Piece:
        """Whole lines of the next so many bytes; the start of another one is kept for the next time."""
        data = os.pread(self._descriptor, length, self._at) if length > 0 else b""
        self._at += len(data)
        self._mark = (self._mark + data[-_MARK_BYTES:])[-_MARK_BYTES:]
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
