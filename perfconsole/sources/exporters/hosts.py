"""What the hosts are called whose exporters are watched: two exporters of one host must mean one host."""

from __future__ import annotations

import threading


class HostNames:
    """Names of hosts by the host of their exporters' URLs; callable from any thread, the first name given stays."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._names: dict[str, str] = {}

    def settle(self, place: str, *names: str) -> str:
        """The name of the host at a place: the one it has, else the first of these that is none empty."""
        with self._lock:
            known = self._names.get(place)
            if known is None:
                known = self._names[place] = next(filter(None, names), place)
            return known
