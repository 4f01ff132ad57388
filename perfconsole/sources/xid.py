"""Xid numbers of the driver: which of them mean what, and how many came in the last hour. Never reads anything."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ANY = "gpu.xid"
CLASSES = {
    "gpu.xid_memory": frozenset({48, 63, 64, 94, 95, 140, 171, 172}),
    "gpu.xid_lost": frozenset({79, 119, 120}),
    "gpu.xid_link": frozenset({74, 137, 145, 149}),
    "gpu.xid_application": frozenset({13, 31, 43, 45}),
}
"""Numbers of each class, as the dictionary of indicators defines them."""
FILLS = (ANY, *CLASSES)
KEPT_S = 3600.0
"""An event counts for an hour."""
_MOST_KEPT = 1000
"""Per GPU; a card in trouble may repeat one Xid many times a second, and a thousand say as much as a million."""


def by_class(numbers: Sequence[int]) -> dict[str, float]:
    """How many there are of any class and of each one; 0 where there is none."""
    found = {name: float(sum(number in members for number in numbers)) for name, members in CLASSES.items()}
    return {ANY: float(len(numbers)), **found}


class XidLog:
    """Xids of the last hour by GPU; the only writer of that memory. Times are seconds of one clock."""

    def __init__(self) -> None:
        self._events: dict[str, deque[tuple[float, int]]] = {}

    def add(self, gpu: str, xid: int, t: float, count: int = 1) -> None:
        """Take down that an Xid came `count` times at t."""
        events = self._events.setdefault(gpu, deque(maxlen=_MOST_KEPT))
        events.extend([(t, xid)] * min(count, _MOST_KEPT))

    def counts(self, gpu: str, t: float) -> dict[str, float]:
        """How many of any class and of each one came in the hour before t; 0 where none did."""
        events = self._events.get(gpu, deque())
        while events and events[0][0] <= t - KEPT_S:
            events.popleft()
        return by_class([xid for _, xid in events])
