"""Starts programs, and sees to it that none outlives the console. The only importer of subprocess.

Every child leads a process group of its own and is killed by the kernel when the console dies. Start children from the
main thread, or from one that lives as long as they are needed: the kernel takes the end of the thread that started them
for the end of the console. Never waits long.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from perfconsole.actions.deathsignal import end_with
from perfconsole.clock import SystemClock
from perfconsole.errors import NotPermittedError

if TYPE_CHECKING:
    from collections.abc import Sequence

_CHUNK = 1 << 16
_MAX_LINE = 4 << 20
"""Bytes of one line; a program that writes more than that without an end of line is not understood anyway."""
_LAST_WORDS = 4096
_CLOCK = SystemClock()
# Reentrant: a handler of a signal runs in the main thread and ends the children, whatever that thread was just doing.
_LOCK = threading.RLock()
_LIVING: set[Child] = set()
"""Children that were started and not yet seen to end; written under the lock."""


class Child:
    """One running program, spoken to in lines over pipes that never block."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._out = bytearray()
        self._errors = bytearray()
        self.mute = False
        """It has closed its output: no line will come any more."""
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)

    @property
    def pid(self) -> int:
        """Number of its process, and of its group."""
        return self._process.pid

    def code(self) -> int | None:
        """Exit code (negative for a signal), None while it runs."""
        code = self._process.poll()
        if code is not None:
            with _LOCK:
                _LIVING.discard(self)
        return code

    def send(self, data: bytes) -> bool:
        """Whether the program, or the pipe to it, took the data."""
        if self._process.stdin is None or self._process.stdin.closed:
            return False
        try:
            return os.write(self._process.stdin.fileno(), data) == len(data)
        except OSError:
            return False

    def line(self, wait_s: float) -> bytes | None:
        """Its next line without the end of line, None when none came in time or it has closed its output."""
        self.last_words()  # also because a full pipe would stop it
        deadline = _CLOCK.now() + wait_s
        found = self._cut()
        while found is None and not self.mute and self._readable(deadline - _CLOCK.now()):
            self.mute = _drain(self._process.stdout, self._out, _MAX_LINE)
            found = self._cut()
        return found

    def take(self, most: int) -> bytes:
        """What it has written by now and nobody has read, at most so many bytes; for text that is not lines."""
        data = b""
        pipe = self._process.stdout
        with suppress(BlockingIOError):
            while pipe is not None and not pipe.closed and len(data) < most:
                chunk = os.read(pipe.fileno(), min(_CHUNK, most - len(data)))
                if not chunk:
                    self.mute = True
                    break
                data += chunk
        return data

    def last_words(self) -> str:
        """Last line that it wrote to stderr; empty for none."""
        _drain(self._process.stderr, self._errors, _LAST_WORDS)
        lines = self._errors.decode("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def signal_group(self, number: signal.Signals) -> None:
        """Signal the program and all that it started in its group."""
        with suppress(OSError):
            os.killpg(self.pid, number)

    def end(self, wait_s: float = 0.5) -> bool:
        """End its group and close the pipes; whether it was gone in time. One stuck in the kernel is left behind."""
        ended = not end([self], wait_s)
        self.last_words()
        self.close()
        return ended

    def close(self) -> None:
        """Close the pipes to it; what it has said is kept."""
        self.mute = True
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def wait(self, seconds: float) -> bool:
        """Whether it ended within so many seconds."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, seconds))
        return self.code() is not None

    def _cut(self) -> bytes | None:
        at = self._out.find(b"\n")
        if at < 0:
            return None
        line = bytes(self._out[:at])
        del self._out[: at + 1]
        return line

    def _readable(self, wait_s: float) -> bool:
        pipe = self._process.stdout
        ready = select.select([pipe], [], [], max(0.0, wait_s))[0] if pipe is not None else []
        return bool(ready)


def _drain(pipe: IO[bytes] | None, into: bytearray, most: int) -> bool:
    """Take what is there now, of too much only the end; whether the far end is closed."""
    with suppress(BlockingIOError):
        while pipe is not None and not pipe.closed and (chunk := os.read(pipe.fileno(), _CHUNK)):
            into += chunk
            del into[: max(0, len(into) - most)]
        return True
    return False


def start(argv: Sequence[str], *, ends_itself: bool = False) -> Child:
    """Start a program with pipes to all three of its streams; NotPermittedError when it cannot be started.

    A program that `ends_itself` asks the kernel on its own to be killed with the console, or ends with its stdin. Only
    such a one may be started while other threads run: no code of ours runs between fork and exec, where a lock that
    another thread held would never be released.
    """
    console = os.getpid()
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            list(argv),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            bufsize=0,
            process_group=0,
            preexec_fn=None if ends_itself else lambda: end_with(console),  # noqa: PLW1509 - one system call, before the threads of the sources
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise NotPermittedError(f"cannot start {argv[0]}: {getattr(error, 'strerror', None) or error}") from error
    child = Child(process)
    with _LOCK:
        _LIVING.add(child)
    return child


def living() -> tuple[Child, ...]:
    """Children that have not ended, in no order."""
    with _LOCK:
        known = tuple(_LIVING)
    return tuple(child for child in known if child.code() is None)


def end_all(timeout_s: float) -> tuple[int, ...]:
    """End the groups of all children, politely and then not; numbers of those that even that did not end in time."""
    return end(living(), timeout_s)  # the pipes close with the console


def end(children: Sequence[Child], timeout_s: float) -> tuple[int, ...]:
    """Half of the time is for the polite signal, the other half for the kernel to clear up after the other one."""
    left = [child for child in children if child.code() is None]
    for number in (signal.SIGTERM, signal.SIGKILL):
        for child in left:
            child.signal_group(number)
        deadline = _CLOCK.now() + timeout_s / 2
        left = [child for child in left if not child.wait(deadline - _CLOCK.now())]
    return tuple(child.pid for child in left)
