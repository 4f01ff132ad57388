"""Why a value is missing: what sources said about it, and what their state says where they said nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from perfconsole.core.health import SourceStatus
    from perfconsole.model.entity import Entity
    from perfconsole.model.sample import Absence


class Absences:
    """Explained absences by entity and indicator. Reads the state of the sources and who speaks for whom."""

    def __init__(self, sources: Mapping[str, SourceStatus], speakers: Mapping[Entity, set[str]]) -> None:
        self._sources = sources
        self._speakers = speakers
        self._explained: dict[Entity, dict[str, tuple[Missing, str]]] = {}

    def note(self, absences: Iterable[Absence], source: str) -> None:
        """Take over what one source said; the latest word counts, but "not exported" is no word against another's.

        A page and the processes behind it speak of some indicators both: their reasons must not take turns.
        """
        for absence in absences:
            said = self._explained.setdefault(absence.entity, {})
            reason, speaker = said.get(absence.indicator, (Missing.NOT_EXPORTED, source))
            if speaker == source or absence.reason is not Missing.NOT_EXPORTED or reason is Missing.NOT_EXPORTED:
                said[absence.indicator] = (absence.reason, source)

    def dismiss(self, sources: Collection[str]) -> None:
        """Forget what sources said that are no more."""
        for entity, said in self._explained.items():
            self._explained[entity] = {name: word for name, word in said.items() if word[1] not in sources}

    def drop(self, entity: Entity) -> None:
        """Forget an entity that ceased to exist."""
        self._explained.pop(entity, None)

    def names(self, entity: Entity) -> list[str]:
        """Indicators whose absence some source explained."""
        return list(self._explained.get(entity, ()))

    def never_seen(self, indicator: str, entity: Entity, t: float) -> Missing:
        """Reason for an indicator that never had a value."""
        said = self._explained.get(entity)
        explained = said.get(indicator) if said else None
        if explained is None:
            return self._silent_source(entity) or Missing.NEVER
        reason, source = explained
        down = self._sources[source].last.error is not None and not self._sources[source].fresh(t)
        return Missing.SOURCE_DOWN if down else reason

    def no_longer_seen(self, indicator: str, entity: Entity, source: str, t: float) -> Missing:
        """Reason for an indicator that `source` used to give."""
        status = self._sources[source]
        if status.fresh(t):
            explained = self._explained.get(entity, {}).get(indicator)
            return explained[0] if explained else Missing.NOT_EXPORTED
        return Missing.SOURCE_DOWN if status.last.error is not None else Missing.STALE

    def _silent_source(self, entity: Entity) -> Missing | None:
        """SOURCE_DOWN when every source that speaks for the entity has failed and never answered."""
        speakers = self._speakers.get(entity, ())
        for name in speakers:
            source = self._sources[name]
            if source.good_t is not None or source.last.error is None:
                return None
        return Missing.SOURCE_DOWN if speakers else None
