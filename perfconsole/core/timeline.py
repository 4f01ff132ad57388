"""What happened over a run: the stretches in which each rule spoke. A fold over snapshots."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.model.episode import Episode
from perfconsole.model.finding import State, Verdict

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.model.finding import Finding
    from perfconsole.model.snapshot import Snapshot


class Timeline:
    """Episodes of a run. `add` is the only writer; call it with every snapshot."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, Entity], Episode] = {}
        self._closed: list[Episode] = []

    def add(self, snapshot: Snapshot) -> None:
        """Account for one tick."""
        speaking = [f for f in snapshot.findings if f.state in (State.PENDING, State.FIRING, State.UNDECIDED)]
        keys = {(f.rule, f.entity) for f in speaking}
        for key in self._open.keys() - keys:
            self._closed.append(self._open.pop(key))
        for finding in speaking:
            first = finding is snapshot.findings[0]
            self._extend(finding, snapshot.t, first=first)

    def _extend(self, finding: Finding, t: float, *, first: bool) -> None:
        key = (finding.rule, finding.entity)
        fired = finding.state is not State.PENDING
        before = self._open.get(key)
        if before is None:
            self._open[key] = Episode(
                finding.rule,
                finding.title,
                finding.entity,
                finding.since,
                t,
                fired,
                finding.verdict,
                finding.severity,
                first,
                finding.explained_by,
            )
            return
        settled = before.fired and (before.verdict is Verdict.LIKELY or finding.state is not State.FIRING)
        self._open[key] = replace(
            before,
            end=t,
            fired=before.fired or fired,
            verdict=before.verdict if settled else finding.verdict,
            severity=max(before.severity, finding.severity, key=lambda s: s.rank),
            first=before.first or first,
            explained_by=finding.explained_by,
        )

    def episodes(self) -> tuple[Episode, ...]:
        """All episodes in order of their start."""
        return tuple(sorted([*self._closed, *self._open.values()], key=lambda e: (e.start, e.rule, e.entity)))
