"""How long the play has stood still: while a probe runs its phase lasts, so that all steps meet the same traffic.

One number in a page of memory that all programs share and the engine's front-end alone writes: it sees every probe.
"""

from __future__ import annotations

import mmap
import os
from typing import Self

_SIZE = 8


class Standstill:
    """The time of the play on the monotonic clock.

    The number is how many seconds of the clock the play has left out; below 0, the moment at which it stands.
    """

    def __init__(self, place: str = "") -> None:
        """`place` is the page of a stage; without one it is this program's own."""
        self._own: int | None = None
        if place:
            number = os.open(place, os.O_RDWR | os.O_CLOEXEC)
        else:
            number = self._own = os.memfd_create("perfconsole-demo", os.MFD_CLOEXEC)
            os.ftruncate(number, _SIZE)
        self._page = memoryview(mmap.mmap(number, _SIZE)).cast("d")  # a float of eight bytes is written at once
        if place:
            os.close(number)

    @property
    def place(self) -> str:
        """Where the programs of this stage find it: no file, so that nothing is left behind."""
        return f"/proc/{os.getpid()}/fd/{self._own}"

    @property
    def held(self) -> bool:
        """It stands."""
        return self._page[0] < 0

    def played(self, now: float) -> float:
        """The moment at which the play would be now had it never stood still."""
        number = self._page[0]
        return -number if number < 0 else now - number

    def hold(self, now: float) -> None:
        """Stand still from now on."""
        if not self.held:
            self._page[0] = -self.played(now)

    def release(self, now: float) -> None:
        """Go on from where it stands."""
        if self.held:
            self._page[0] = now - self.played(now)

    def close(self) -> None:
        """Give the page back; the programs that have it keep it until they end."""
        if self._own is not None:
            os.close(self._own)
            self._own = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
