"""Ending with one's parent: the kernel sees to it, however the parent ends."""

from __future__ import annotations

import ctypes
import os
import signal

_LIBC = ctypes.CDLL(None, use_errno=True)
"""Loaded before any fork: a child that is about to run another program must load nothing."""
_PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """Have this process killed when its parent, which has this number, ends."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)  # it ended before the kernel knew: no signal would come any more
