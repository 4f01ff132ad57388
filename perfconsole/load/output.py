"""Lines to a pipe that may be read late: whoever reads them must never hold the load up."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress

_PIPE = 1 << 20
_MOST = 64 << 20
"""Bytes that wait: nobody has read for minutes."""


class Output:
    """What is still to be written."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._waiting = bytearray()
        self.broken = False
        """Nobody reads any more."""
        os.set_blocking(fd, False)
        with suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _PIPE)

    def write(self, line: bytes) -> None:
        """Have it written with the next flush."""
        self._waiting += line

    def flush(self) -> bool:
        """Write what goes; whether all is written."""
        while self._waiting and not self.broken:
            try:
                sent = os.write(self._fd, self._waiting)
            except BlockingIOError:
                self.broken = len(self._waiting) > _MOST
                break
            except OSError:
                self.broken = True
                break
            del self._waiting[:sent]
        return not self._waiting
