"""The rules that cannot be decided, with what they lack: made anew only when that changes, which it seldom does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.finding import MissingOperand, Undecided
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from perfconsole.diagnose.glance import Glance
    from perfconsole.model.entity import Entity
    from perfconsole.model.rule import Rule

Lacks = tuple[tuple[str, Missing], ...]
"""Operands without a value, each with its reason."""


class OpenRules:
    """Undecided rules of this tick and of the one before. The judge is the only writer."""

    def __init__(self, origin: Callable[[str], str]) -> None:
        self._origin = origin
        self._before: dict[tuple[str, Entity], tuple[Lacks, Undecided]] = {}
        self._now: dict[tuple[str, Entity], tuple[Lacks, Undecided]] = {}

    def listed(self, glances: Iterable[Glance], entity: Entity, lacking: Mapping[str, Lacks]) -> list[Undecided]:
        """The rules of an entity that lack something, by their id, in the order of the rules."""
        if not lacking:
            return []
        return [self._kept(g.rule, entity, lacking[g.rule.id]) for g in glances if g.rule.id in lacking]

    def _kept(self, rule: Rule, entity: Entity, lacks: Lacks) -> Undecided:
        before = self._before.get((rule.id, entity))
        if before is None or before[0] != lacks:
            before = lacks, self.undecided(rule, entity, lacks)
        self._now[rule.id, entity] = before
        return before[1]

    def undecided(self, rule: Rule, entity: Entity, lacks: Lacks) -> Undecided:
        """The line of a rule, with the kind of source that has what it lacks."""
        missing = tuple(MissingOperand(name, reason, self._origin(name)) for name, reason in lacks)
        return Undecided(rule.id, rule.title, rule.severity, entity, missing)

    def keep(self) -> None:
        """The tick is over: what was not listed is decided."""
        self._before, self._now = self._now, {}
