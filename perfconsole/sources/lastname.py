"""The name under which a source spoke of its target last: until its page is known a target is called by its address.

The source of a page takes that name back, once. Another one whose poll was out meanwhile would bring it back for good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity


class LastName:
    """Of one source; its own thread alone uses it."""

    def __init__(self) -> None:
        self._last: Entity | None = None

    def left(self, entity: Entity) -> tuple[Entity, ...]:
        """The entity that the target was in the batch before, if it is another one by now."""
        before, self._last = self._last, entity
        return (before,) if before is not None and before != entity else ()
