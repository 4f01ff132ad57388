"""All rules on all entities, once a tick. Owns the holds and the stages of findings; reads everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.diagnose.assess import Assessment, assess
from perfconsole.diagnose.evaluate import Evaluator, Holds
from perfconsole.diagnose.evidence import finding, reads_of
from perfconsole.diagnose.order import ranked
from perfconsole.diagnose.parse import walk
from perfconsole.diagnose.stages import Stage
from perfconsole.model.expression import Held
from perfconsole.model.finding import Finding, State, Undecided

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from perfconsole.diagnose.evaluate import Reader
    from perfconsole.model.entity import Entity
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
        self._reads = {rule_id: reads_of(rule) for rule_id, rule in self.rules.items()}
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
        for entity in entities:
            here = [
                assess(rule, entity, evaluator, whole=self._needs_all(rule.id, entity))
                for rule in self.rules.values()
                if rule.scope is entity.kind
            ]
            found.extend(self._findings(here, reader, evaluator))
            undecided.extend(self._undecided(here))
            ruled_out.extend((a.rule.id, entity) for a in here if a.silenced)
        self.ruled_out = tuple(ruled_out)
        self._drop_idle_holds(reader.t)
        return ranked(found, self.rules, self._touch), tuple(undecided)

    def open_rules(self, reader: Reader, entities: Sequence[Entity]) -> tuple[Undecided, ...]:
        """Rules with nothing TRUE and nothing FALSE at a tick that was judged; judging it again changes no hold."""
        evaluator = Evaluator(reader, self._holds)
        every = (assess(r, e, evaluator) for e in entities for r in self.rules.values() if r.scope is e.kind)
        return tuple(self._lacking(a) for a in every if a.open)

    def _lacking(self, assessment: Assessment) -> Undecided:
        rule = assessment.rule
        return Undecided(rule.id, rule.title, rule.severity, assessment.entity, assessment.missing(self._origin))

    def _needs_all(self, rule: str, entity: Entity) -> bool:
        """It is on the screen, with its exclusions; or these have a `for`, which must see every tick."""
        stage = self._stages.get((rule, entity))
        return rule in self._holding or (stage is not None and stage.state is not None)

    def _findings(self, here: list[Assessment], reader: Reader, evaluator: Evaluator) -> Iterable[tuple[Finding, int]]:
        for assessment in here:
            stage = self._stages.setdefault((assessment.rule.id, assessment.entity), Stage())
            if stage.move(reader.t, assessment) is not None:
                shown = finding(assessment, stage, here, self._reads, reader, evaluator, self._lookup)
                yield stage.settled(shown), assessment.met()

    def _undecided(self, here: list[Assessment]) -> Iterable[Undecided]:
        for assessment in here:
            lost = self._stages[assessment.rule.id, assessment.entity].state is State.UNDECIDED
            if lost or assessment.undecided:
                yield self._lacking(assessment)

    def _drop_idle_holds(self, t: float) -> None:
        """A hold that was not asked for (of a check whose finding is off) has a gap here: it starts anew."""
        for key in [k for k, hold in self._holds.items() if hold.seen != t]:
            del self._holds[key]

    def forget(self, entity: Entity) -> None:
        """Drop the state of an entity that is gone for good."""
        for key in [k for k in self._stages if k[1] == entity]:
            del self._stages[key]
        for hold in [k for k in self._holds if k[1] == entity]:
            del self._holds[hold]


def _holds(rule: Rule) -> bool:
    """Some exclusion has a `for`."""
    return any(isinstance(node, Held) for condition in rule.unless for node in walk(condition.expression))
