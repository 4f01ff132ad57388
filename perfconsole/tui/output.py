"""The thread that writes to the terminal: control sequences in order, and of the screen only the newest state.

A terminal that is slow, stopped or gone blocks this thread and nothing else.
"""

from __future__ import annotations

import os
import select
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from perfconsole.tui.flow import Flow

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.clock import Clock
    from perfconsole.tui.painter import Painter

_ASK = "\x1b[6n"
"""Where is the cursor? Every terminal answers, after it has taken what stands before."""
_JOIN_S = _LAST_WORDS_S = 0.3
_URGENT_S = 0.2
"""What changes so soon after a key is what the key was pressed for."""


def open_terminal(fd: int) -> int:
    """A descriptor of the same terminal that never blocks, its own so that the shell's stays as it is."""
    try:
        return os.open(os.ttyname(fd), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return os.dup(fd)


class _Waker:
    """Wakes a thread that waits for a descriptor."""

    def __init__(self) -> None:
        self.fds = self._read, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def wake(self) -> None:
        """End the wait; callable from any thread."""
        with suppress(BlockingIOError, OSError):
            os.write(self._write, b"x")

    def wait(self, writable: int | None, seconds: float | None) -> bool:
        """Wait to be woken, or for the descriptor: True when that takes more."""
        wanted = () if writable is None else (writable,)
        woken, can_write, _ = select.select((self._read,), wanted, (), seconds)
        if woken:
            os.read(self._read, 4096)
        return bool(can_write)


class Output:
    """Owns the painter and the flow. Every method may be called from any thread."""

    def __init__(self, fd: int, painter: Painter, clock: Clock, on_gone: Callable[[], None]) -> None:
        self._on_gone = on_gone
        self.fd = open_terminal(fd)
        self._painter = painter
        self._clock = clock
        self.flow = Flow()
        self._control: list[str] = []
        self._left = b""
        self._lock = threading.Lock()
        self._waker = _Waker()
        self._stop = False
        self._paused = False
        self._urgent_until = 0.0
        self._thread = threading.Thread(target=self._run, name="terminal output", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def control(self, text: str) -> None:
        """A sequence that must arrive, in order (modes, queries, a copy to the clipboard)."""
        with self._lock:
            self._control.append(text)
        self._waker.wake()

    def resize(self, columns: int, rows: int) -> None:
        """The terminal has another size."""
        with self._lock:
            self._painter.resize(columns, rows)
        self._waker.wake()

    def pause(self, *, paused: bool) -> None:
        """Hold the screen back while somebody else has the terminal; all is painted anew after it."""
        with self._lock:
            self._paused = paused
            self._painter.forget()
        self._waker.wake()

    def frame(self, pieces: list[tuple[int, int, list[tuple[str, str]]]]) -> None:
        """The screen as it should be now: (row, column, cells) of what may have changed."""
        with self._lock:
            urgent = self._clock.now() < self._urgent_until
            for y, x, cells in pieces:
                self._painter.put(y, x, cells, urgent=urgent)
        self._waker.wake()

    def key_pressed(self) -> None:
        """A person waits: what changes now goes first."""
        self._urgent_until = self._clock.now() + _URGENT_S

    def answered(self) -> None:
        """The terminal answered the question behind the last piece."""
        with self._lock:
            self.flow.answered(self._clock.now())
        self._waker.wake()

    def close(self, last_words: str = "") -> None:
        """End the thread; what it could not write is dropped, `last_words` go past everything that waits."""
        self._stop = True
        self._waker.wake()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(_JOIN_S)
        self._write_within(last_words.encode(errors="backslashreplace"), _LAST_WORDS_S)

    def dispose(self) -> None:
        """Let go of the descriptors, after `close`."""
        for fd in (self.fd, *self._waker.fds):
            with suppress(OSError):
                os.close(fd)

    def _write_within(self, data: bytes, seconds: float) -> None:
        end = self._clock.now() + seconds
        while data and self._clock.now() < end:
            try:
                data = data[os.write(self.fd, data) :]
            except BlockingIOError:
                select.select((), (self.fd,), (), 0.02)
            except OSError:
                return

    def _run(self) -> None:
        while not self._stop:
            with self._lock:
                now = self._clock.now()
                if not self._left:
                    self._left = self._next(now)
                wait = self._wait_s(now)
            self._write_or_wait(wait)

    def _next(self, now: float) -> bytes:
        """The next piece: control sequences first, then as much of the screen as may be on the way."""
        if self._control:
            text = "".join(self._control)
            self._control.clear()
            return text.encode()
        if self._paused or not self._painter.pending:
            return b""
        limit = self.flow.allowance(now, urgent=self._painter.urgent)
        text = self._painter.take(limit) if limit > 0 else ""
        if text and self.flow.sent(len(text), now):
            text += _ASK
        return text.encode()

    def _wait_s(self, now: float) -> float | None:
        """How long nothing can happen by itself."""
        if self._left or self._paused or not self._painter.pending:
            return None
        return self.flow.wait_s(now)

    def _write_or_wait(self, wait_s: float | None) -> None:
        try:
            if self._waker.wait(self.fd if self._left else None, wait_s):
                self._left = self._left[os.write(self.fd, self._left[:4096]) :]
        except BlockingIOError:
            return
        except OSError:  # the terminal is gone, and no signal need say so (it is not always the controlling one)
            self._left, self._stop = b"", True
            self._on_gone()
