"""Runs py-spy on a process: records its stacks for a while, or takes them once. Never leaves a file behind.

What is recorded goes into memory that has a path only while we hold it: a full disk or an unwritable folder cannot
spoil a recording, and nothing is left of one that was killed.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.actions.launcher import launch
from perfconsole.errors import NotPermittedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.actions.run import Child
    from perfconsole.model.flameplan import FlamePlan

MOST_BYTES = 64 << 20
"""Of folded stacks: a hundred times of what an engine's processes give in ten minutes."""
_GRACE_S = 20.0
"""For reading symbols at the start (torch has a gigabyte of them) and for writing at the end."""
_DUMP_S = 15.0
_SAID = 64 * 1024
_HINTS = (
    ("failed to find", "its Python may be statically linked, stripped of symbols, or none that py-spy knows"),
    ("unsupported version", "a newer py-spy may know it (pip install -U py-spy)"),
    ("permission denied", "sudo with the full path of py-spy, or the capability SYS_PTRACE in a container"),
    ("no such process", "it has ended"),
)
"""What the commonest of its errors mean, by words in them."""


def find_tool() -> str:
    """Full path of py-spy: beside this Python, then in PATH; NotPermittedError when it is nowhere."""
    beside = Path(sys.executable).parent / "py-spy"
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which("py-spy")
    if found is None:
        raise NotPermittedError("py-spy is not installed: pip install py-spy, into the environment of perfconsole")
    return found


def record_argv(plan: FlamePlan, tool: str, output: str) -> list[str]:
    """The command of a recording, as it is shown and started."""
    options = (
        ("--idle", plan.idle and not plan.gil),
        ("--gil", plan.gil),
        ("--native", plan.native),
        ("--subprocesses", plan.subprocesses),
        ("--nonblocking", not plan.stops),
    )
    chosen = [word for word, yes in options if yes]
    seconds = f"{max(1.0, plan.seconds):.0f}"
    return [
        *(tool, "record", "--pid", str(plan.pid), "--duration", seconds, "--rate", str(plan.rate)),
        *("--format", "raw", "--threads", "--full-filenames", *chosen, "--output", output),
    ]


def dump_argv(pid: int, tool: str) -> list[str]:
    """The command of one look at all stacks."""
    return [tool, "dump", "--json", "--nonblocking", "--pid", str(pid)]


class PySpy:
    """One run of py-spy. `look` is the only writer of its output; `close` ends it with all that it started."""

    def __init__(self, argv: Sequence[str], now: float, most_s: float) -> None:
        self.argv = tuple(argv)
        self.ended = False
        self.code: int | None = None
        self.cancelled = False
        self.took_s = 0.0
        self.said = bytearray()
        """What it wrote to its terminal, errors included."""
        self._began = now
        self._most_s = most_s
        self._child: Child | None = launch(argv)

    def look(self, now: float) -> bool:
        """Take in what it says; whether it has ended."""
        if self._child is None:
            return self.ended
        self.took_s = now - self._began
        code = self._child.code()
        self.said += self._child.take(_SAID if code is None else MOST_BYTES)
        if code is not None:
            self.code = code
            self._close()
        elif self.took_s > self._most_s + _GRACE_S:
            self.said += b"\nError: it had not ended by itself and was ended"
            self._close()
        return self.ended

    def cancel(self) -> None:
        """Ask it to end now; it still writes what it has."""
        if self._child is not None and not self.cancelled:
            self.cancelled = True
            self._most_s = self.took_s
            self._child.signal_group(signal.SIGINT)

    def close(self) -> None:
        """End it at once."""
        if self._child is not None:
            self._close()

    def _close(self) -> None:
        assert self._child is not None  # noqa: S101 - the callers look
        self._child.signal_group(signal.SIGKILL)
        self._child.close()
        self._child.code()
        self._child = None
        self.ended = True

    def trouble(self) -> str | None:
        """Why it failed, in its own last words; None where it did not."""
        if self.code == 0 or (self.cancelled and self.code is not None):
            return None
        text = self.said.decode("utf-8", "replace")
        lines = [line.strip() for line in text.split("\n") if line.strip() and not line.startswith("py-spy>")]
        named = [line for line in lines if line.startswith(("Error:", "Reason:"))]
        if named:
            said = " ".join(line.removeprefix("Error: ") for line in named)
            return said + next((f": {hint}" for words, hint in _HINTS if words.lower() in said.lower()), "")
        how = "was killed" if self.code is None or self.code < 0 else f"ended with exit code {self.code}"
        return f"{lines[-1]} (it {how})" if lines else f"it {how} and said nothing"


class Recording(PySpy):
    """A recording of stacks over some seconds."""

    def __init__(self, plan: FlamePlan, tool: str, now: float) -> None:
        self.plan = plan
        self._memory = os.memfd_create("perfconsole-stacks", os.MFD_CLOEXEC)
        output = f"/proc/{os.getpid()}/fd/{self._memory}"
        try:
            super().__init__(record_argv(plan, tool, output), now, plan.seconds)
        except NotPermittedError:
            os.close(self._memory)
            raise

    def folded(self) -> str:
        """The stacks recorded; empty for none. The memory is given back."""
        if self._memory < 0:
            return ""
        size = min(os.fstat(self._memory).st_size, MOST_BYTES)
        text = os.pread(self._memory, size, 0).decode("utf-8", "replace")
        self._forget()
        return text

    def close(self) -> None:
        """End it at once; what was recorded is lost unless it was taken."""
        if not self.ended:
            super().close()
            self._forget()

    def _forget(self) -> None:
        if self._memory >= 0:
            os.close(self._memory)
            self._memory = -1


def dump(pid: int, tool: str, now: float) -> PySpy:
    """Take the stacks of a process once; its output is JSON."""
    return PySpy(dump_argv(pid, tool), now, _DUMP_S)
