"""The way out: terminal restored, children ended, then the process is gone. Within a second, whatever hangs.

Works from the event loop, from a signal handler and from the thread that reads keys, since any of them may be stuck.
"""

from __future__ import annotations

import os
import select
import signal
import termios
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from perfconsole.errors import EXIT_INTERRUPTED, EXIT_TERMINATED

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.tui.output import Output

RESTORE = (
    "\x1b[?2004l\x1b[?7h\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l\x1b[<u\x1b[?1004l"
    "\x1b[m\x1b[?1049l\x1b[?25h"
)
"""Paste, wrapping, resize reports, mouse, keyboard protocol, focus reports, colours, screen, cursor: as they were."""
EXIT_HANGUP = 129
_ANSWER_S, _ANSWER_LOOKS = 0.25, 25
"""How long to wait for the last answer of the terminal, and in how many looks."""
_SIGNALS = {signal.SIGTERM: EXIT_TERMINATED, signal.SIGHUP: EXIT_HANGUP, signal.SIGINT: EXIT_INTERRUPTED}


class Leaving:
    """Ends the process once; a second call while the first is at it ends at once."""

    def __init__(self) -> None:
        self.output: Output | None = None
        self.attributes: list[object] | None = None
        """Settings of the terminal as they were before."""
        self.fd = 0
        self.farewell: list[Callable[[], None]] = []
        """What to end first (children); each must be quick."""
        self._once = threading.Lock()

    def handle_signals(self) -> None:
        """End on SIGTERM, SIGHUP and SIGINT; call from the main thread."""
        for number in _SIGNALS:
            signal.signal(number, lambda number, _frame: self.leave(_SIGNALS[signal.Signals(number)]))

    def leave(self, code: int, last_words: str = "") -> NoReturn:
        """Restore, end, go. `last_words` are written to the terminal as it was before."""
        if not self._once.acquire(blocking=False):
            os._exit(code)
        if code != EXIT_HANGUP:
            self.restore(last_words)
        for end in self.farewell:
            with suppress(Exception):
                end()
        os._exit(code)

    def restore(self, last_words: str = "") -> None:
        """Give the terminal back as it was."""
        if self.output is None:
            return
        with suppress(termios.error, OSError):
            termios.tcflush(self.fd, termios.TCOFLUSH)  # what a slow terminal has not taken yet is of no use any more
        self.output.close()
        self.output.write_now(RESTORE + (f"{last_words}\r\n" if last_words else ""))
        self._swallow_answer(self.output)
        if self.attributes is not None:
            with suppress(termios.error, OSError):
                # FLUSH drops answers of the terminal that nobody reads any more: a shell would take them for input.
                termios.tcsetattr(self.fd, termios.TCSAFLUSH, self.attributes)  # type: ignore[arg-type]  # as tcgetattr gave them

    def _swallow_answer(self, output: Output) -> None:
        """An answer that comes when nobody reads any more would stand on the shell's next line."""
        for _ in range(_ANSWER_LOOKS):
            if not output.flow.asking:
                return
            with suppress(OSError, ValueError):
                if select.select((self.fd,), (), (), _ANSWER_S / _ANSWER_LOOKS)[0]:
                    os.read(self.fd, 4096)
