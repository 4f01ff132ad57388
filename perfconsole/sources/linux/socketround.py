"""One look at the kernel's sockets for all ports that are watched: the kernel walks its whole table for every question.

Sixty-four targets that each ask for their own port cost a tenth of a core in the kernel alone.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from perfconsole.sources.linux import sockdiag

if TYPE_CHECKING:
    from perfconsole.sources.linux.sockdiag import Dump

FRESH_S = 0.5
"""How old what another port's question brought may be: half of the fastest cadence, so that each poll sees news."""
_IDLE_S = 30.0
"""A port that nobody has asked for as long is watched no more."""


class SocketRound:
    """The answers to the last question of each family, by port. Callable from any thread; it alone writes them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: dict[tuple[int, int], float] = {}
        """By family and port: when it was asked for last."""
        self._found: dict[int, tuple[float, dict[int, Dump] | None]] = {}

    def dump(self, family: int, port: int, now: float) -> Dump | None:
        """Sockets of the port at `now` or up to FRESH_S before; None where netlink is refused."""
        with self._lock:
            self._asked = {key: t for key, t in self._asked.items() if now - t < _IDLE_S}
            new = (family, port) not in self._asked
            self._asked[family, port] = now
            at, found = self._found.get(family, (0.0, None))
            if new or found is None or not 0 <= now - at < FRESH_S:
                found = sockdiag.dump_ports(family, {p for f, p in self._asked if f == family})
                self._found[family] = (now, found)
            return None if found is None else found[port]
