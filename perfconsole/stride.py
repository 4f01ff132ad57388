"""How many ticks to go at a time, so that they take no more than their share of a core. Pure on what ticks took."""

from __future__ import annotations

from collections import deque
from math import ceil

SHARE = 1 / 8
"""Of a core: with 64 targets a tick takes 0.2 to 0.3 s, and comes every third second."""
MOST = 5
"""The slowest pace of a poll, in seconds: what is known would grow old unseen."""
_LOOKS = 3


class Stride:
    """The only writer of what the last ticks took."""

    def __init__(self) -> None:
        self._took: deque[float] = deque(maxlen=_LOOKS)

    def note(self, cpu_s: float) -> None:
        """One tick took so many seconds of CPU."""
        self._took.append(cpu_s)

    @property
    def ticks(self) -> int:
        """One while ticks are cheap or nobody knows; the least of the last ones counts, as a busy host adds to any."""
        if len(self._took) < _LOOKS:
            return 1
        return max(1, min(MOST, ceil(min(self._took) / SHARE)))
