"""One command of a check while it runs: its output so far, and how it ended. Nothing here waits.

The program runs below a launcher that asks the kernel to end it with the console, reads nothing (stdin is /dev/null)
and leads a process group of its own; the whole group is killed when it ends, takes too long, says too much or is
stopped.
"""

from __future__ import annotations

import shutil
import signal
from typing import TYPE_CHECKING

from perfconsole.actions.launcher import NOT_ALLOWED, NOT_FOUND, launch
from perfconsole.errors import NotPermittedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.actions.run import Child

TIMEOUT_S = 30.0
MOST_BYTES = 256 * 1024
"""More than that is no answer to read under stress: 3,000 lines of a wide terminal."""
_A_LOOK = 64 * 1024
"""Bytes taken at one look: a program that writes without end must not hold the screen."""


class Errand:
    """Starts with the program, ends with its group; `look` is its only writer."""

    def __init__(self, argv: Sequence[str], now: float) -> None:
        self.argv = tuple(argv)
        self.output = bytearray()
        self.ended: str | None = None
        """How it ended, in words; None while it runs."""
        self.took_s = 0.0
        self._began = now
        self._child: Child | None = None
        try:
            self._child = self._start()
        except NotPermittedError as error:
            self.ended = str(error)

    def _start(self) -> Child:
        if shutil.which(self.argv[0]) is None:
            raise NotPermittedError(f"{self.argv[0]} is not installed here: nothing of that name is in PATH")
        return launch(self.argv)

    def look(self, now: float) -> bool:
        """Take in what it wrote and whether it ended; whether anything is new."""
        if self._child is None:
            return False
        code = self._child.code()  # before its output is read: what it wrote until its end is then all there
        before = len(self.output)
        left = MOST_BYTES - before
        self.output += self._child.take(min(left, _A_LOOK))
        self.took_s = now - self._began
        full = len(self.output) >= MOST_BYTES
        if full:
            self._finish(f"stopped at {MOST_BYTES // 1024} KiB of output: the rest is not shown")
        elif code is not None and len(self.output) == before:
            self._finish(_ending(code))
        elif self.took_s >= TIMEOUT_S:
            self._finish(f"stopped after {TIMEOUT_S:.0f} s: it had not ended by itself")
        return self.ended is not None or len(self.output) > before

    def stop(self) -> None:
        """End it now, with all that it started."""
        if self._child is not None:
            self._finish("stopped by you")

    def _finish(self, words: str) -> None:
        assert self._child is not None  # noqa: S101 - both callers look
        self._child.signal_group(signal.SIGKILL)
        self._child.close()
        self._child.code()  # takes note of its end where it is already known; else the kernel clears up by itself
        self._child = None
        self.ended = words


def _ending(code: int) -> str:
    """The exit code, and what it usually means for a command that was not run at all."""
    if code < 0:
        return f"ended by signal {-code}"
    hint = {NOT_FOUND: ": a command of it is not installed here", NOT_ALLOWED: ": no permission to run it"}
    return f"exit code {code}{hint.get(code, '')}"
