"""Facts in words (version, model, origin of max_num_seqs), held beside the series. The store is the only writer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.entity import Entity
    from perfconsole.model.sample import Fact


class FactBook:
    """The newest text of each fact of each entity."""

    def __init__(self) -> None:
        self._facts: dict[tuple[Entity, str], Fact] = {}

    def note(self, facts: Iterable[Fact]) -> None:
        """Take over what a batch says; a fact that it does not repeat stays."""
        for fact in facts:
            self._facts[fact.entity, fact.name] = fact

    def drop(self, entity: Entity) -> None:
        """Forget an entity that is gone."""
        for key in [k for k in self._facts if k[0] == entity]:
            del self._facts[key]

    def all(self) -> list[Fact]:
        """Every fact, ordered by entity and name."""
        return [fact for _, fact in sorted(self._facts.items(), key=lambda pair: pair[0])]

    def text(self, name: str, entity: Entity) -> str | None:
        """One fact, None when no source gave it."""
        fact = self._facts.get((entity, name))
        return fact.value if fact else None
