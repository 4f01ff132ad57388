"""All rules on all entities, once a tick. Owns the holds and the stages of findings; reads everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.diagnose.assess import Assessment, assess
from perfconsole.diagnose.evaluate import Evaluator, Holds
from perfconsole.diagnose.evidence import finding
from perfconsole.diagnose.glance import glance, has_hold
from perfconsole.diagnose.order import ranked
from perfconsole.diagnose.rivals import Rivals
from perfconsole.diagnose.stages import Stage
from perfconsole.model.finding import Finding, State, Truth, Undecided

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from perfconsole.diagnose.evaluate import Reader
    from perfconsole.diagnose.glance import Look
    from perfconsole.model.entity import Entity, Kind
    from perfconsole.model.rule import Rule


class Judge:
    """Rules with their state over time."""

    def __init__(
        self,
        rules: Iterable[Rule],
        *,
        touch: Callable[[Entity, Entity], bool],
        lookup: Callable[[str, Entity], str | None],
        origin: Callable[[str], str],
    ) -> None:
        self.rules = {rule.id: rule for rule in rules}
        looks = {rule_id: glance(rule) for rule_id, rule in self.rules.items()}
        self._looks = _by_scope(self.rules, looks)
        self._rivals = Rivals(self.rules, looks)
        self._touch = touch
        self._lookup = lookup
        self._origin = origin
        self._holds: Holds = {}
        self._holding = frozenset(r.id for r in self.rules.values() if _holds(r))
        self._stages: dict[tuple[str, Entity], Stage] = {}
        self.ruled_out: tuple[tuple[str, Entity], ...] = ()
        """Rules that only an exclusion kept silent at the last tick, for whoever asks why nothing is shown."""

    def judge(self, reader: Reader, entities: Sequence[Entity]) -> tuple[tuple[Finding, ...], tuple[Undecided, ...]]:
        """Findings in ranked order, and the rules that lack data to be decided."""
        evaluator = Evaluator(reader, self._holds)
        found: list[tuple[Finding, int]] = []
        undecided: list[Undecided] = []
        ruled_out: list[tuple[str, Entity]] = []
        whole = self._whole()
        for entity in entities:
            here = self._assessed(entity, evaluator, whole.get(entity, self._holding))
            found.extend(self._findings(here, reader, evaluator))
            undecided.extend(self._undecided(here))
            ruled_out.extend((a.rule.id, entity) for a in here if a.silenced)
        self.ruled_out = tuple(ruled_out)
        self._drop_idle_holds(reader.t)
        return ranked(found, self.rules, self._touch), tuple(undecided)

    def _whole(self) -> dict[Entity, set[str]]:
        """Rules to judge with their exclusions whatever they say, by entity: they are on the screen there.

        So is, on every entity, a rule with a `for` in an exclusion, which must see every tick.
        """
        whole: dict[Entity, set[str]] = {}
        for (rule, entity), stage in self._stages.items():
            if stage.state is not None:
                whole.setdefault(entity, set(self._holding)).add(rule)
        return whole

    def _assessed(self, entity: Entity, evaluator: Evaluator, whole: AbstractSet[str]) -> list[Assessment]:
        """Rules that may have something to say of an entity; one that is quiet at a glance, and was, is left out."""
        seen = evaluator.seen(entity)
        return [
            assess(rule, entity, evaluator, whole=rule.id in whole)
            for rule, look in self._looks.get(entity.kind, ())
            if rule.id in whole or look(seen) is Truth.TRUE
        ]

    def _findings(self, here: list[Assessment], reader: Reader, evaluator: Evaluator) -> Iterable[tuple[Finding, int]]:
        for assessment in here:
            rule, entity = assessment.rule, assessment.entity
            stage = self._stages.setdefault((rule.id, entity), Stage())
            if stage.move(reader.t, assessment) is not None:
                shown = finding(assessment, stage, self._rivals, reader, evaluator, self._lookup)
                yield stage.settled(shown), assessment.met()

    def _undecided(self, here: list[Assessment]) -> Iterable[Undecided]:
        for assessment in here:
            rule = assessment.rule
            lost = self._stages[rule.id, assessment.entity].state is State.UNDECIDED
            if lost or assessment.undecided:
                missing = assessment.missing(self._origin)
                yield Undecided(rule.id, rule.title, rule.severity, assessment.entity, missing)

    def _drop_idle_holds(self, t: float) -> None:
        """A hold that was not asked for (of a check whose finding is off) has a gap here: it starts anew."""
        for holds in self._holds.values():
            for key in [k for k, hold in holds.items() if hold.seen != t]:
                del holds[key]

    def forget(self, entity: Entity) -> None:
        """Drop the state of an entity that is gone for good."""
        for key in [k for k in self._stages if k[1] == entity]:
            del self._stages[key]
        self._holds.pop(entity, None)


def _by_scope(rules: Mapping[str, Rule], looks: Mapping[str, Look]) -> dict[Kind, list[tuple[Rule, Look]]]:
    """Rules of each scope with the first look at each."""
    found: dict[Kind, list[tuple[Rule, Look]]] = {}
    for rule in rules.values():
        found.setdefault(rule.scope, []).append((rule, looks[rule.id]))
    return found


def _holds(rule: Rule) -> bool:
    """Some exclusion has a `for`."""
    return any(has_hold(condition.expression) for condition in rule.unless)
