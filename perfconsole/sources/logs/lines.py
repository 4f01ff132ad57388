"""Which lines of a piece of a log are worth a look, and when each was written. Pure on bytes.

Gates are sought in the whole piece at once: 30 of them in 256 KiB take about a millisecond, line by line 20.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from perfconsole.sources.logs.prefix import plain_line, stamp_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from perfconsole.sources.logs.prefix import Stamp

LONGEST_LINE = 1 << 16
"""Bytes of a line that are looked at; the longest that says anything, vLLM's configuration, has 6000."""
_MOST_HITS = 500
"""Lines per gate in one piece: an engine that repeats one line so often has said it."""
_BACK = 400
"""Lines that are searched for a date before one that has none, as in a traceback."""
_HALF_HOUR_S, _SURE_S, _FARTHEST_S = 1800.0, 120.0, 50_400.0


def candidates(piece: bytes, gates: Iterable[bytes]) -> list[tuple[int, bytes]]:
    """Lines that hold one of the gates, with the place where each begins, in their order."""
    starts: dict[int, int] = {}
    for gate in gates:
        for at in _places(piece, gate):
            start = piece.rfind(b"\n", 0, at) + 1
            if start not in starts:
                end = piece.find(b"\n", at)
                starts[start] = end if end >= 0 else len(piece)
    return [(start, piece[start : min(end, start + LONGEST_LINE)]) for start, end in sorted(starts.items())]


def _places(piece: bytes, gate: bytes) -> Iterator[int]:
    at, hits = piece.find(gate), 0
    while at >= 0 and hits < _MOST_HITS:
        yield at
        hits += 1
        end = piece.find(b"\n", at)
        at = piece.find(gate, end) if end >= 0 else -1


class Dates:
    """When the lines of a piece were written that was found already there, in epoch seconds.

    A logger may live in another time zone than this host, as in a container: the last date of a file is set against
    the time of its last change.
    """

    def __init__(self, piece: bytes, written: float, shift_s: float | None = None) -> None:
        """`written` is the file's last change; `shift_s` what to take from a date without a zone, None to find out."""
        self._piece = piece
        self._written = written
        self._last: tuple[int, Stamp | None] = (0, None)
        """Where the last line began that was asked for, and the date that holds there: lines come in their order."""
        last = self._stamp_before(len(piece))
        self.shift_s = shift_s if shift_s is not None else zone_shift(last, written)

    def of(self, start: int) -> float:
        """When the line that begins there was written; the file's last change where nothing near has a date."""
        stamp = self._stamp(start) or self._stamp_before(start)
        self._last = start, stamp
        if stamp is None:
            return self._written
        return min(self._written, stamp.seconds if stamp.zoned else stamp.seconds - self.shift_s)

    def _stamp(self, start: int) -> Stamp | None:
        return stamp_of(plain_line(self._piece[start : start + 512].partition(b"\n")[0]), self._written)

    def _stamp_before(self, start: int) -> Stamp | None:
        end = start - 1
        for _ in range(_BACK):
            if end < 0:
                return None
            begin = self._piece.rfind(b"\n", 0, end) + 1
            if 0 < begin <= self._last[0]:
                return self._last[1]
            stamp = self._stamp(begin)
            if stamp is not None:
                return stamp
            end = begin - 1
        return None


def zone_shift(last: Stamp | None, written: float) -> float:
    """Seconds that a logger's clock is ahead of UTC, from its last date and the moment the file was last written."""
    here = _here_s(written)
    if last is None or last.zoned:
        return here
    ahead = last.seconds - here - written
    whole = round(ahead / _HALF_HOUR_S) * _HALF_HOUR_S
    elsewhere = abs(ahead - whole) <= _SURE_S and abs(whole) <= _FARTHEST_S
    return here + whole if elsewhere else here


def _here_s(wall: float) -> float:
    offset = datetime.fromtimestamp(wall).astimezone().utcoffset()
    return offset.total_seconds() if offset is not None else 0.0
