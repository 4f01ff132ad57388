"""Starts a program that ends with the console, reads nothing, and says everything through one pipe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from perfconsole.actions.run import living, start

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.actions.run import Child

_LAUNCHER = (
    "import ctypes, os, sys\n"
    "ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)\n"  # PR_SET_PDEATHSIG, SIGKILL: what it becomes keeps that
    "null = os.open(os.devnull, os.O_RDONLY)\n"
    "os.dup2(null, 0)\n"
    "os.dup2(1, 2)\n"
    "os.environ.pop('RUST_LOG', None)\n"  # py-spy would log between the lines that are read
    "try:\n"
    "    os.execvp(sys.argv[1], sys.argv[1:])\n"
    "except OSError as error:\n"
    "    print(f'{sys.argv[1]}: {error.strerror}', flush=True)\n"
    "    os._exit(126 if isinstance(error, PermissionError) else 127)\n"
)
NOT_FOUND, NOT_ALLOWED = 127, 126
"""Exit codes for a program that could not be started, as shells give them."""


def launch(argv: Sequence[str]) -> Child:
    """Start it in a process group of its own; NotPermittedError when not even the launcher can be started."""
    living()  # takes note of those that were killed before and have ended since
    # -I -S: nothing of the user's own Python is loaded into it.
    return start([sys.executable, "-I", "-S", "-c", _LAUNCHER, *argv], ends_itself=True)
