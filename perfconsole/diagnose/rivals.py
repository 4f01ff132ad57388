"""What else was thought of: the causes that read what a finding reads and are FALSE here, each by what denies it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from perfconsole.diagnose.assess import assess
from perfconsole.diagnose.glance import Impression
from perfconsole.diagnose.parse import names
from perfconsole.model.finding import RuledOut, Truth

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from perfconsole.diagnose.assess import Assessment, Judged
    from perfconsole.diagnose.evaluate import Evaluator
    from perfconsole.diagnose.glance import Glance
    from perfconsole.model.entity import Entity
    from perfconsole.model.rule import Rule

MAX_RIVALS = 4


class Rivals:
    """For each rule the others that might be meant instead, the closest first; worked out once for all ticks."""

    def __init__(self, rules: Mapping[str, Rule], glances: Mapping[str, Glance]) -> None:
        self._reads = {rule_id: _reads_of(rule) for rule_id, rule in rules.items()}
        self._glances = glances
        self._closest = {rule_id: self._ordered(rule, rules) for rule_id, rule in rules.items()}

    def reads(self, rule: Rule) -> frozenset[str]:
        """Indicators that the conditions of a rule read."""
        return self._reads[rule.id]

    def _ordered(self, rule: Rule, rules: Mapping[str, Rule]) -> list[Rule]:
        """Causes of the same scope that read some of the same indicators; those that share most come first."""
        mine = self._reads[rule.id]
        able = (r for r in rules.values() if r is not rule and r.scope is rule.scope and r.rank_class != "symptom")
        shared = [(len(mine & self._reads[other.id]), other) for other in able]
        return [other for count, other in sorted(shared, key=lambda pair: -pair[0]) if count]

    def denied(self, rule: Rule, entity: Entity, evaluator: Evaluator) -> list[RuledOut]:
        """The closest few that are FALSE on the entity, each by the condition that says so."""
        mine = self._reads[rule.id]
        return [_ruled_out_by(found, mine) for found in islice(self._false(rule, entity, evaluator), MAX_RIVALS)]

    def _false(self, rule: Rule, entity: Entity, evaluator: Evaluator) -> Iterator[Assessment]:
        seen = evaluator.seen(entity)
        for other in self._closest[rule.id]:
            if self._glances[other.id].impression(seen) is Impression.QUIET:
                yield assess(other, entity, evaluator, whole=False)


def ruled_out(rule: str, judged: Judged) -> RuledOut:
    """The line that says what a FALSE condition read."""
    return RuledOut(rule, judged.condition.text, judged.trace.operand_list())


def _ruled_out_by(assessment: Assessment, mine: AbstractSet[str]) -> RuledOut:
    """By the FALSE condition that reads what the reader of the finding already sees."""
    false = [j for j in assessment.when if j.outcome.hopeful is Truth.FALSE]
    telling = max(false, key=lambda j: len(mine & set(names(j.condition.expression))))
    return ruled_out(assessment.rule.id, telling)


def _reads_of(rule: Rule) -> frozenset[str]:
    return frozenset(name for condition in rule.when for name in names(condition.expression))
