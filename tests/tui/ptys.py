"""The console on a pseudo-terminal, as a person runs it: bytes out, keys in, and a terminal that answers."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from tests.tui.terminals import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CLOCK = SystemClock()
_WAIT_S = 20.0
_QUESTION = b"\x1b[6n"


class Console:
    """One running console. `answers` says whether the terminal tells its cursor when asked."""

    def __init__(self, *arguments: str, size: tuple[int, int], answers: bool, environment: dict[str, str]) -> None:
        self.output = b""
        self.questions = self.answered = 0
        self.code: int | None = None
        self._answers = answers
        self._size = size
        inherited = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES", "TMUX")}
        usual = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            with contextlib.suppress(BaseException):
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
                command = [sys.executable, "-m", "perfconsole", *arguments]
                os.execve(sys.executable, command, {**inherited, **usual, **environment})  # noqa: S606 - a terminal's child, without a shell
            os._exit(127)
        self.resize(*size)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, keys: str) -> None:
        """Press keys."""
        os.write(self.fd, keys.encode())

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the console."""
        os.kill(self.pid, number)

    def state(self) -> str:
        """State of the process as /proc has it: S, R, T ..."""
        return Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]

    def read(self, within_s: float, most: int = 65_536) -> bytes:
        """What came within the time, at most so many bytes; nothing any more after a hang-up."""
        if self.fd < 0:
            CLOCK.sleep(within_s)
            return b""
        if not select.select((self.fd,), (), (), within_s)[0]:
            return b""
        try:
            data = os.read(self.fd, most)
        except OSError:
            return b""
        self.output += data
        self._answer()
        return data

    def _answer(self) -> None:
        self.questions = self.output.count(_QUESTION)
        while self._answers and self.answered < self.questions:
            self.answered += 1
            os.write(self.fd, b"\x1b[7;7R")

    def wait_for(self, pattern: str, within_s: float = _WAIT_S) -> str:
        """Read until the text (without escapes) has the pattern; fails with what was there."""
        self.until(lambda: re.search(pattern, self.text()) is not None, within_s, pattern)
        return self.text()

    def until(self, done: Callable[[], bool], within_s: float = _WAIT_S, what: str = "") -> None:
        """Read until something holds."""
        end = CLOCK.now() + within_s
        while not done():
            assert CLOCK.now() < end, f"{what!r} did not come: {self.text()[-2000:]!r}"
            self.read(0.05)

    def screen(self) -> str:
        """What stands on the screen now."""
        terminal = Terminal(*self._size)
        terminal.feed("".join(self.output.decode("utf-8", "replace").partition("\x1b[2J")[1:]))
        return terminal.text()

    def text(self) -> str:
        """Everything written so far, without escape sequences."""
        return re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]", "", self.output.decode("utf-8", "replace"))

    def ended(self, within_s: float) -> bool:
        """Whether the process ends within the time; what it writes is read meanwhile."""
        end = CLOCK.now() + within_s
        while self.code is None and CLOCK.now() < end:
            self.read(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
                while self.read(0.02):
                    pass
        return self.code is not None

    def hang_up(self) -> None:
        """Drop the terminal, as a lost connection does."""
        os.close(self.fd)
        self.fd = -1

    def close(self) -> None:
        """End it whatever it does."""
        if self.code is None:
            with contextlib.suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
        if self.fd >= 0:
            with contextlib.suppress(OSError):
                os.close(self.fd)


@contextlib.contextmanager
def console(
    *arguments: str,
    size: tuple[int, int] = (120, 40),
    answers: bool = True,
    environment: dict[str, str] | None = None,
) -> Iterator[Console]:
    """A console that is gone at the end."""
    running = Console(*arguments, size=size, answers=answers, environment=environment or {})
    try:
        yield running
    finally:
        running.close()
