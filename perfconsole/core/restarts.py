"""When entities began anew. One restart may be seen by two sources; it counts once. The store is the only writer."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.model.sample import Batch

SAME_RESTART_S = 60.0
"""What a second source says within this time is the restart that the first one saw."""


class Restarts:
    """Time of the last restart of each entity, and who saw it."""

    def __init__(self) -> None:
        self._seen: dict[Entity, tuple[float, str]] = {}

    def note(self, entity: Entity, batch: Batch) -> bool:
        """Take over a notice; False when it only echoes one of another source."""
        t, source = self._seen.get(entity, (-inf, batch.source))
        if source != batch.source and batch.t - t <= SAME_RESTART_S:
            return False
        self._seen[entity] = (batch.t, batch.source)
        return True

    def at(self, entity: Entity) -> float:
        """Time of the last restart, minus infinity when none was seen."""
        return self._seen.get(entity, (-inf, ""))[0]

    def drop(self, entity: Entity) -> None:
        """Forget an entity that is gone."""
        self._seen.pop(entity, None)
