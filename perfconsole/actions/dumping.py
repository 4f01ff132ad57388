"""Takes the stacks of several processes twice, side by side. Nothing here waits: who drives it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.actions.pyspy import dump

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.actions.pyspy import PySpy

APART_S = 1.0
_LOOKS = 2


class Dumping:
    """Two looks at each process; the only writer of what they gave."""

    def __init__(self, pids: Sequence[int], tool: str, now: float) -> None:
        self._pids = tuple(pids)
        self._tool = tool
        self._began = now
        self._running: dict[int, PySpy] = {}
        self.given: list[dict[int, tuple[str, str | None]]] = []
        """By look and process: what it wrote, and why it failed."""
        self._start(now)

    def _start(self, now: float) -> None:
        self._began = now
        self.given.append({})
        self._running = {pid: dump(pid, self._tool, now) for pid in self._pids}

    def look(self, now: float) -> bool:
        """Whether both looks at all processes have ended."""
        for pid, run in list(self._running.items()):
            if run.look(now):
                self.given[-1][pid] = (run.said.decode("utf-8", "replace"), run.trouble())
                del self._running[pid]
        if self._running:
            return False
        if len(self.given) == _LOOKS:
            return True
        if now - self._began >= APART_S:
            self._start(now)
        return False

    def close(self) -> None:
        """End what still runs."""
        for run in self._running.values():
            run.close()
        self._running = {}
