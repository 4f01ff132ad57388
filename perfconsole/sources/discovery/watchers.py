"""Processes of this host that ask others for their pages: consoles such as this one, Prometheus and its like."""

from __future__ import annotations

from perfconsole.sources.discovery.strangers import watches
from perfconsole.sources.linux.tree import read_argv, read_pids


class Watchers:
    """Told by command lines, of which each is read once, some 20 us. Only one thread calls it."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._judged: dict[int, bool] = {}

    def look(self) -> tuple[int, ...]:
        """Their numbers."""
        judged = self._judged
        self._judged = {
            pid: judged[pid] if pid in judged else watches(read_argv(self._base, pid)) for pid in read_pids(self._base)
        }
        return tuple(pid for pid, found in self._judged.items() if found)
