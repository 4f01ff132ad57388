"""One look at all processes for all engines whose trees are due: it costs a line of every process on the host.

Sixty-four engines that each look every ten seconds at a host of two thousand processes take a sixth of a core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.linux.tree import read_parents

if TYPE_CHECKING:
    from collections.abc import Mapping

FRESH_S = 0.5
"""How old what another engine's look brought may be; a child that it misses is found by the next one."""


class ParentRound:
    """The last table by root of the file system. Of two threads at once both may read, and either table is good."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[float, Mapping[int, int]]] = {}

    def parents(self, base: str, pid: int, now: float) -> Mapping[int, int]:
        """Parent by process at `now` or up to FRESH_S before, and new where `pid` was not there then."""
        at, found = self._found.get(base, (0.0, {}))
        if pid not in found or not 0 <= now - at < FRESH_S:
            found = read_parents(base)
            self._found[base] = now, found
        return found
