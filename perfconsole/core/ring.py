"""A time-ordered window of rows of doubles, in flat arrays: 400 series for 1 h cost about 12 MB, tuples 165 MB."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right

_BLOCK = 64
"""Rows that are dropped at a time."""


class Ring:
    """Rows of `width` doubles by time; old rows are dropped as new ones come.

    Indexes run from 0 (oldest kept row) to len - 1.
    """

    __slots__ = ("_rows", "_times", "keep_s", "width")

    def __init__(self, width: int = 1, keep_s: float = 600.0) -> None:
        self.width = width
        self.keep_s = keep_s
        self._times = array("d")
        self._rows = array("d")

    def __len__(self) -> int:
        return len(self._times)

    def append(self, t: float, row: tuple[float, ...]) -> None:
        """Add a row; a row at the time of the last one replaces it, an older one is ignored."""
        if self._times and t <= self._times[-1]:
            if t == self._times[-1]:
                self._rows[-self.width :] = array("d", row)
            return
        self._times.append(t)
        self._rows.extend(row)
        self._trim(t)

    def push(self, t: float, value: float) -> None:
        """Add a row of one cell: `append` without the tuple, for what happens a thousand times a tick."""
        times = self._times
        if times and t <= times[-1]:
            self.append(t, (value,))
            return
        times.append(t)
        self._rows.append(value)
        if len(times) >= _BLOCK and times[_BLOCK - 1] < t - self.keep_s:
            self._trim(t)

    def _trim(self, now: float) -> None:
        """Drop rows older than kept; done in blocks so that an append stays cheap."""
        if len(self._times) < _BLOCK or self._times[_BLOCK - 1] >= now - self.keep_s:
            return
        cut = bisect_left(self._times, now - self.keep_s)
        del self._times[:cut]
        del self._rows[: cut * self.width]

    def clear(self) -> None:
        """Forget everything."""
        del self._times[:]
        del self._rows[:]

    @property
    def last_t(self) -> float | None:
        """Time of the newest row."""
        return self._times[-1] if self._times else None

    def time(self, index: int) -> float:
        """Time of one row."""
        return self._times[index]

    def row(self, index: int) -> array[float]:
        """Copy of one row; negative indexes count from the newest."""
        start = index * self.width
        return self._rows[start : start + self.width] if index != -1 else self._rows[start:]

    def cell(self, index: int) -> float:
        """First cell of one row, from 0 on."""
        return self._rows[index * self.width]

    def span(self, start: float, end: float) -> tuple[int, int]:
        """Half-open index range of the rows with start <= t <= end; 1 us of slack for sums of floats."""
        return bisect_left(self._times, start - 1e-6), bisect_right(self._times, end + 1e-6)

    def cut(self, t: float) -> int:
        """Index of the first row at t or later; 1 us of slack as above."""
        return bisect_left(self._times, t - 1e-6)

    def times(self, start: int, end: int) -> array[float]:
        """Times of the rows from index start up to end."""
        return self._times[start:end]

    def values(self, start: int, end: int, column: int = 0) -> array[float]:
        """One cell of each row from index start up to end."""
        return self._rows[start * self.width + column : end * self.width : self.width]

    def points(self, start: float, end: float) -> list[tuple[float, float]]:
        """(t, first cell) of the rows in [start, end]."""
        i, j = self.span(start, end)
        rows = self._rows[i * self.width : j * self.width : self.width]
        return list(zip(self._times[i:j], rows, strict=True))
