"""The load process of a probe: started, spoken to without ever waiting, and ended with all that it has open."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.actions.run import living, start
from perfconsole.load.wire import decode_event, encode_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfconsole.model.probeload import LoadEvent
    from perfconsole.model.probeorders import LoadOrder

_FILES = 4096
"""Descriptors that it may have, where the host allows it: four for each connection of the widest plan."""
_STARTER = (
    "import ctypes, resource, runpy, sys\n"
    "ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)\n"  # PR_SET_PDEATHSIG, SIGKILL; it ends with its input too
    f"soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)\nwant = {_FILES} if hard < 0 else min({_FILES}, hard)\n"
    "if 0 <= soft < want: resource.setrlimit(resource.RLIMIT_NOFILE, (want, hard))\n"
    "sys.path.append(sys.argv.pop(1))\n"  # last: nothing that is installed there stands in for the standard library
    "runpy.run_module('perfconsole.load', run_name='__main__', alter_sys=True)\n"
)
_PIECE = 4096
"""PIPE_BUF: so much a pipe takes whole or not at all."""
_MOST = 4_000
"""Events of one look: a tenth of a second of what the fastest servers give."""
_ROOT = Path(__file__).resolve().parents[2]


def load_argv() -> list[str]:
    """Command of the load process: this package and the standard library, and nothing that a user has installed."""
    return [sys.executable, "-I", "-S", "-c", _STARTER, str(_ROOT)]


class LoadProcess:
    """One load process. Start it from the main thread; `look` and `send` are for one thread at a time.

    NotPermittedError when it cannot be started.
    """

    def __init__(self, argv: Sequence[str] = ()) -> None:
        living()  # takes note of those that were killed before and have ended since
        self._child = start(argv or load_argv(), ends_itself=True)
        self._unsent = bytearray()
        self._fault = ""
        self.gone = False
        """It will say nothing more."""

    @property
    def pid(self) -> int:
        """Number of its process."""
        return self._child.pid

    def send(self, orders: Iterable[LoadOrder]) -> None:
        """Give orders; what the pipe does not take now goes with the next look."""
        for order in orders:
            self._unsent += encode_order(order)
        self._flush()

    def look(self) -> list[LoadEvent]:
        """What it has told since the last look."""
        self._flush()
        events: list[LoadEvent] = []
        while not self.gone and len(events) < _MOST:
            line = self._child.line(0.0)
            if line is None:
                self.gone = self._child.mute
                break
            try:
                events.append(decode_event(line))
            except ValueError as error:
                self._fault = f"it does not speak as it should: {error}"
                self.close()
        return events

    def last_words(self) -> str:
        """Why it ended, as far as it says; empty where it says nothing."""
        return self._fault or self._child.last_words() or _how(self._child.code())

    def close(self) -> None:
        """Kill it, with its connections. Does not wait."""
        self.gone = True
        self._child.signal_group(signal.SIGKILL)
        self._child.last_words()
        self._child.close()
        self._child.code()

    def _flush(self) -> None:
        while self._unsent and self._child.send(bytes(self._unsent[:_PIECE])):
            del self._unsent[:_PIECE]


def _how(code: int | None) -> str:
    if code is None or code == 0:
        return ""
    return f"killed by signal {-code}" if code < 0 else f"exit code {code}"
