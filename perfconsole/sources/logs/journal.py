"""Lines of the systemd journal, through one short run of journalctl at a time. Never follows it, never waits long."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from perfconsole.actions import run
from perfconsole.clock import SystemClock
from perfconsole.errors import NotPermittedError
from perfconsole.model.sample import Missing
from perfconsole.sources.logs.tail import Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perfconsole.clock import Clock

PROGRAM = "journalctl"
_WAIT_S = 4.0
_MOST_LINES = 20_000
_CURSOR = b"-- cursor: "
_REFUSED = ("insufficient permissions", "not seeing messages", "No journal files were opened")
NO_RIGHT = "the systemd journal may not be read by this user: join the group systemd-journal, or run as root"


class Journal:
    """Reads the lines that match (`_SYSTEMD_CGROUP=/system.slice/vllm.service`, `-k`) from where it was last."""

    def __init__(self, matches: Sequence[str], clock: Clock | None = None, program: str = "") -> None:
        self._matches = tuple(matches)
        self._clock = clock or SystemClock()
        self._program = program or shutil.which(PROGRAM) or ""
        self._cursor = ""

    def read(self, since: float, stop: Callable[[], bool] = lambda: False) -> bytes | Unreadable:
        """Whole lines in the format `short-unix`: those since that moment at first, later those that came since."""
        if not self._program:
            return Unreadable(Missing.NOT_EXPORTED, "its output goes to the journal, and there is no journalctl here")
        place = f"--after-cursor={self._cursor}" if self._cursor else f"--since=@{since:.0f}"
        return self._run((place, f"--lines={_MOST_LINES}", "--show-cursor"), stop)

    def start_of(self, begun: float, span_s: float) -> bytes | Unreadable:
        """What was written in so many seconds from a moment on: where an engine says what it was started with."""
        if not self._program:
            return b""
        return self._run((f"--since=@{begun:.0f}", f"--until=@{begun + span_s:.0f}"), lambda: False, place=False)

    def _run(self, options: Sequence[str], stop: Callable[[], bool], *, place: bool = True) -> bytes | Unreadable:
        argv = (self._program, "--no-pager", "-q", "--output=short-unix", *options, *self._matches)
        try:
            child = run.start(argv, ends_itself=True)  # it ends with its output, or when nobody takes that any more
        except NotPermittedError as error:
            return Unreadable(Missing.NO_PERMISSION, str(error))
        lines: list[bytes] = []
        deadline = self._clock.now() + _WAIT_S
        while not stop() and len(lines) < _MOST_LINES and (left := deadline - self._clock.now()) > 0:
            line = child.line(min(left, 0.5))
            if line is not None:
                lines.append(line)
            elif child.mute:
                break
        words = child.last_words()
        child.end()
        if lines and lines[-1].startswith(_CURSOR):
            cursor = lines.pop()[len(_CURSOR) :].decode("ascii", "replace").strip()
            self._cursor = cursor if place else self._cursor
        if not lines and any(refused in words for refused in _REFUSED):
            return Unreadable(Missing.NO_PERMISSION, NO_RIGHT)
        return b"".join(line + b"\n" for line in lines)
