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

from perfconsole.errors import EXIT_HANGUP, EXIT_INTERRUPTED, EXIT_TERMINATED
from perfconsole.view.plain import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.tui.output import Output

RESTORE = (
    "\x1b[?2004l\x1b[?7h\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l\x1b[<u\x1b[?1004l"
    "\x1b[m\x1b[?1049l\x1b[?25h"
)
"""Paste, wrapping, resize reports, mouse, keyboard protocol, focus reports, colours, screen, cursor: as they were."""
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
        self.farewell: list[Callable[[], object]] = []
        """What to end first (children); each must be quick."""
        self._once = threading.Lock()

    def handle_signals(self) -> None:
        """End on SIGTERM, SIGHUP and SIGINT; call from the main thread."""
        for number in _SIGNALS:
            signal.signal(number, lambda number, _frame: self.leave(_SIGNALS[signal.Signals(number)]))

    def leave(self, code: int, *last_words: str) -> NoReturn:
        """Restore, end, go. `last_words` are lines for the terminal as it was before."""
        if not self._once.acquire(blocking=False):
            self._at_least()
            os._exit(code)
        with suppress(Exception):
            self.restore(*last_words)
        for end in self.farewell:
            with suppress(Exception):
                end()
        os._exit(code)

    def restore(self, *last_words: str) -> None:
        """Give the terminal back as it was; one that is gone refuses every step at once."""
        if self.output is None:
            return
        with suppress(termios.error, OSError):
            termios.tcflush(self.fd, termios.TCOFLUSH)  # what a slow terminal has not taken yet is of no use any more
        self.output.close(RESTORE + "".join(f"{plain(line)}\r\n" for line in last_words))
        self._swallow_answer(self.output)
        self._set_attributes()

    def _at_least(self) -> None:
        """What a second way out does while the first one is still at it: it may have come before the last step."""
        if self.output is not None:
            with suppress(OSError):
                os.write(self.output.fd, RESTORE.encode())
        self._set_attributes()

    def _set_attributes(self) -> None:
        if self.attributes is not None:
            with suppress(termios.error, OSError):
                termios.tcflush(self.fd, termios.TCIFLUSH)  # a shell would take late answers of the terminal for input
                termios.tcsetattr(self.fd, termios.TCSANOW, self.attributes)  # type: ignore[arg-type]  # from tcgetattr

    def _swallow_answer(self, output: Output) -> None:
        """An answer that comes when nobody reads any more would stand on the shell's next line."""
        for _ in range(_ANSWER_LOOKS):
            if not output.flow.asking:
                return
            with suppress(OSError, ValueError):
                if select.select((self.fd,), (), (), _ANSWER_S / _ANSWER_LOOKS)[0] and b"R" in os.read(self.fd, 4096):
                    return
