"""Lines of the systemd journal, through one short run of journalctl at a time. Never follows it, never waits long."""

from __future__ import annotations

import re
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
_STAMP = re.compile(rb"\d{10}\.\d{6}(?= )")
"""Time of a line; of one width, so that they compare as they stand."""
_REFUSED = ("insufficient permissions", "not seeing messages", "No journal files were opened")
NO_RIGHT = "the systemd journal may not be read by this user: join the group systemd-journal, or run as root"


class Journal:
    """Reads the lines that match (`_SYSTEMD_CGROUP=/system.slice/vllm.service`, `-k`) from where it was last."""

    def __init__(self, matches: Sequence[str], clock: Clock | None = None, program: str = "") -> None:
        self._matches = tuple(matches)
        self._clock = clock or SystemClock()
        self._program = program or shutil.which(PROGRAM) or ""
        self._cursor = ""
        self._after = b""
        """Time of the last line that was read, where a run gave no cursor."""
        self.gap = False
        """Something before or within what was read last may be missing."""

    def read(self, since: float, stop: Callable[[], bool] = lambda: False) -> bytes | Unreadable:
        """Whole lines in the format `short-unix`: those since that moment at first, later those that came since."""
        if not self._program:
            return Unreadable(Missing.NOT_EXPORTED, "its output goes to the journal, and there is no journalctl here")
        found = self._run((self._place(since), f"--lines={_MOST_LINES}", "--show-cursor"), stop)
        if isinstance(found, Unreadable):
            return found
        lines, cursor = found
        after, self.gap = self._after, bool(self._after) or len(lines) >= _MOST_LINES
        self._go_on(lines, cursor)
        return _joined(_later(lines, after))

    def start_of(self, begun: float, span_s: float) -> bytes | Unreadable:
        """What was written in so many seconds from a moment on: where an engine says what it was started with."""
        if not self._program:
            return b""
        found = self._run((f"--since=@{begun:.0f}", f"--until=@{begun + span_s:.0f}"), lambda: False)
        return found if isinstance(found, Unreadable) else _joined(found[0])

    def _place(self, since: float) -> str:
        if self._cursor:
            return f"--after-cursor={self._cursor}"
        return f"--since=@{self._after.decode('ascii')}" if self._after else f"--since=@{since:.0f}"

    def _go_on(self, lines: Sequence[bytes], cursor: str) -> None:
        """Keep where the next run begins; a run without a line leaves it as it was."""
        if cursor:
            self._cursor, self._after = cursor, b""
        elif stamps := [match[0] for line in lines if (match := _STAMP.match(line))]:
            # Cut short before its cursor came: the one from before would bring the same lines again.
            self._cursor, self._after = "", max(self._after, *stamps)

    def _run(self, options: Sequence[str], stop: Callable[[], bool]) -> tuple[list[bytes], str] | Unreadable:
        """The lines of one run, and its cursor, empty where none came."""
        argv = (self._program, "--no-pager", "-q", "--output=short-unix", *options, *self._matches)
        try:
            child = run.start(argv, ends_itself=True)  # it ends with its output, or when nobody takes that any more
        except NotPermittedError as error:
            return Unreadable(Missing.NO_PERMISSION, str(error))
        lines: list[bytes] = []
        deadline = self._clock.now() + _WAIT_S
        most = _MOST_LINES + 1  # the cursor comes after the last of them
        while not stop() and len(lines) < most and (left := deadline - self._clock.now()) > 0:
            line = child.line(min(left, 0.5))
            if line is not None:
                lines.append(line)
            elif child.mute:
                break
        words = child.last_words()
        child.end()
        if not lines and any(refused in words for refused in _REFUSED):
            return Unreadable(Missing.NO_PERMISSION, NO_RIGHT)
        if lines and lines[-1].startswith(_CURSOR):
            return lines, lines.pop()[len(_CURSOR) :].decode("ascii", "replace").strip()
        return lines, ""


def _later(lines: Sequence[bytes], after: bytes) -> list[bytes]:
    """Those written after that time; a line without a time belongs to the one before it."""
    kept: list[bytes] = []
    late = not after
    for line in lines:
        if after and (match := _STAMP.match(line)):
            late = match[0] > after
        if late:
            kept.append(line)
    return kept


def _joined(lines: Sequence[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
