"""When entities began anew. One restart may be seen by two sources; it counts once. The store is the only writer."""

from __future__ import annotations

from collections import deque
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.model.sample import Batch

SAME_RESTART_S = 60.0
"""What a second source says within this time is the restart that the first one saw."""
COUNTED_S = 6 * 3600.0
"""Restarts are remembered this long."""


class Restarts:
    """Times of the restarts of each entity, and who saw the last one."""

    def __init__(self) -> None:
        self._seen: dict[Entity, tuple[float, str]] = {}
        self._times: dict[Entity, deque[float]] = {}

    def note(self, entity: Entity, batch: Batch) -> bool:
        """Take over a notice; False when it only echoes one of another source."""
        t, source = self._seen.get(entity, (-inf, batch.source))
        if source != batch.source and batch.t - t <= SAME_RESTART_S:
            return False
        self._seen[entity] = (batch.t, batch.source)
        times = self._times.setdefault(entity, deque())
        times.append(batch.t)
        while batch.t - times[0] > COUNTED_S:
            times.popleft()
        return True

    def at(self, entity: Entity) -> float:
        """Time of the last restart, minus infinity when none was seen."""
        return self._seen.get(entity, (-inf, ""))[0]

    def count(self, entity: Entity, t: float) -> int:
        """Restarts seen in the six hours before t."""
        return sum(t - COUNTED_S <= at <= t for at in self._times.get(entity, ()))

    def drop(self, entity: Entity) -> None:
        """Forget an entity that is gone."""
        self._seen.pop(entity, None)
        self._times.pop(entity, None)
