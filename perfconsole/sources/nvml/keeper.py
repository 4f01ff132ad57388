"""Keeps a helper process at hand: asks it, ends one that is silent or dead, and starts another one.

A helper stuck in the driver cannot be ended even by SIGKILL until its call returns: it is left behind and named. Must
never wait for one longer than it was told to.
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.actions import run
from perfconsole.errors import NotPermittedError
from perfconsole.sources.web.failure import printable

if TYPE_CHECKING:
    import threading
    from collections.abc import Sequence

    from perfconsole.actions.run import Child
    from perfconsole.clock import Clock

SILENT_S = 10.0
"""A helper that has not answered for so long is replaced."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 2.0, 60.0
PROVEN_S = 60.0
"""A helper that answers for so long was worth its start: the next pause is a short one again."""
MOST_LEFT = 3
YOUNG_S = 3.0
"""How long a helper may take to its first word."""
_GLANCE_S = 0.25
_END_S = 0.2


class Keeper:
    """One helper, or the pause before the next one. One thread asks; `close` may come from any."""

    def __init__(self, argv: Sequence[str], clock: Clock, what: str, root: Path = Path("/")) -> None:
        self._argv = tuple(argv)
        self._clock = clock
        self._what = what
        self._root = root
        self.child: Child | None = None
        self.left_behind: list[Child] = []
        """Helpers that even SIGKILL did not end yet."""
        self._asked_t: float | None = None
        """When the question was asked that is still open."""
        self._started_t = 0.0
        self._start_t = float("-inf")
        """Not to be started before this time."""
        self._pause_s = FIRST_PAUSE_S
        self._why = ""
        self.starting = False
        """The last question found a helper that has just been started, which is no fault."""
        self._spoke: Child | None = None
        """The helper that has answered before."""
        self._closed = False

    def start(self) -> None:
        """Start the helper; from the main thread. NotPermittedError when it cannot be started."""
        if self.child is None and not self._closed:
            self.child = run.start(self._argv)
            self._started_t = self._clock.now()

    def restart(self) -> str:
        """Start one from the thread that asks, when it is time; why there is none, empty when there is one."""
        now = self._clock.now()
        self.left_behind = [child for child in self.left_behind if child.code() is None]
        if self.child is not None:
            return ""
        if self._closed:
            return f"the {self._what} was ended"
        if len(self.left_behind) >= MOST_LEFT:
            many = len(self.left_behind)
            return f"{many} {self._what}s hang in the driver ({self._numbers()}); no further one is started"
        if now < self._start_t:
            return f"{self._why}; the next one starts in {self._start_t - now:.0f} s"
        try:
            self.child = run.start(self._argv, ends_itself=True)
        except NotPermittedError as error:
            self._why = str(error)
            self._delay(now)
            return self._why
        self._started_t, self._asked_t = now, None
        return ""

    def ask(self, wait_s: float, stop: threading.Event) -> bytes | str:
        """A line of answer, or in words why there is none. A late answer counts for a later question."""
        child = self.child
        if child is None:
            return f"the {self._what} was not started"
        if self._asked_t is None and child.send(b"\n"):
            self._asked_t = self._clock.now()
        line, halted = self._line(child, wait_s, stop)
        self.starting = line is None and not halted and self._is_young(child)
        if line is not None:
            self._asked_t, self._spoke = None, child
            return line
        silent_s = self._clock.now() - self._asked_t if self._asked_t is not None else 0.0
        if child.code() is not None or child.mute or self._asked_t is None:
            return self._give_up(child, self._obituary(child))
        if self.starting:
            return f"the {self._what} (pid {child.pid}) is being started"
        words = "is stopped by a signal" if halted else f"has not answered for {silent_s:.1f} s; the driver may hang"
        said = f"the {self._what} (pid {child.pid}) {words}"
        if silent_s > SILENT_S and not stop.is_set():
            return self._give_up(child, said)
        return said

    def _is_young(self, child: Child) -> bool:
        """It runs, has said nothing yet and may still be loading its modules: a second on a busy host."""
        age_s = self._clock.now() - self._started_t
        return child is not self._spoke and child.code() is None and not child.mute and age_s <= YOUNG_S

    def close(self) -> None:
        """End the helper at once; one that is stuck in the driver is left behind."""
        self._closed = True
        if self.child is not None:
            self._kill(self.child)

    def _line(self, child: Child, wait_s: float, stop: threading.Event) -> tuple[bytes | None, bool]:
        """Its line, and whether there is none because it is stopped: then there is nothing to wait for."""
        deadline = self._clock.now() + wait_s
        while (left := deadline - self._clock.now()) > 0 and not stop.is_set():
            line = child.line(min(left, _GLANCE_S))
            if line is not None or child.mute:
                return line, False
            if self._halted(child):
                return None, True
        return None, False

    def _halted(self, child: Child) -> bool:
        """The kernel says that the process is stopped (SIGSTOP, or a debugger)."""
        try:
            stat = (self._root / "proc" / str(child.pid) / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False
        return stat.rpartition(")")[2].split()[:1] in (["T"], ["t"])

    def _give_up(self, child: Child, why: str) -> str:
        """Let go of a helper that is of no use any more."""
        now = self._clock.now()
        if now - self._started_t > PROVEN_S + SILENT_S:
            self._pause_s = FIRST_PAUSE_S
        self._kill(child)
        self.child, self._asked_t, self._why = None, None, why
        if child.code() is None:
            self.left_behind.append(child)
        self._delay(now)
        return why

    def _kill(self, child: Child) -> None:
        if child.code() is None:
            child.signal_group(signal.SIGKILL)
        child.last_words()
        child.close()
        child.wait(_END_S)

    def _delay(self, now: float) -> None:
        self._start_t = now + self._pause_s
        self._pause_s = min(LONGEST_PAUSE_S, self._pause_s * 2)

    def _obituary(self, child: Child) -> str:
        words = printable(child.last_words())
        code = child.code()
        how = (
            "closed its output"
            if code is None
            else f"ended by signal {-code}"
            if code < 0
            else f"ended with code {code}"
        )
        return f"the {self._what} (pid {child.pid}) {how}" + (f": {words}" if words else "")

    def _numbers(self) -> str:
        return ", ".join(f"pid {child.pid}" for child in self.left_behind)
