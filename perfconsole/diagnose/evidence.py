"""From an assessment to a finding: readings, what was ruled out and by which value, checks, remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.diagnose.assess import judge_condition
from perfconsole.diagnose.checks import filled
from perfconsole.diagnose.fullest import title
from perfconsole.diagnose.parse import names
from perfconsole.model.finding import CheckResult, Finding, RuledOut, State, Truth, Verdict, measured_result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from perfconsole.diagnose.assess import Assessment, Judged
    from perfconsole.diagnose.evaluate import Evaluator, Reader
    from perfconsole.diagnose.stages import Stage
    from perfconsole.model.entity import Entity
    from perfconsole.model.finding import FindingCheck, Operand
    from perfconsole.model.rule import Rule, Severity
    from perfconsole.model.sample import Missing

    Lookup = Callable[[str, Entity], str | None]

MAX_RIVALS = 4
_VERDICTS: dict[CheckResult | None, Verdict] = {
    CheckResult.CONFIRMED: Verdict.LIKELY,
    CheckResult.REFUTED: Verdict.POSSIBLE,
}
"""How sure a finding is once an action has answered: a measurement outweighs look-alikes that nobody could exclude."""


def finding(
    assessment: Assessment,
    stage: Stage,
    others: Sequence[Assessment],
    reads: Mapping[str, AbstractSet[str]],
    reader: Reader,
    evaluator: Evaluator,
    lookup: Lookup,
) -> Finding:
    """The finding as shown. `others` are the assessments of the same entity, for the rivals.

    `reads` has the indicators that each rule reads, worked out once and not at every tick.
    """
    rule, entity = assessment.rule, assessment.entity
    assert stage.state is not None  # noqa: S101 - only called for a stage that shows something
    checks = tuple(filled(c, entity, lookup, evaluator, frozenset(reads[rule.id])) for c in rule.checks)
    return Finding(
        rule=rule.id,
        row=rule.row,
        entity=entity,
        state=stage.state,
        verdict=_verdict(assessment, checks),
        severity=_severity(assessment, stage.state, evaluator),
        rank_class=rule.rank_class,
        title=title(assessment, evaluator),
        since=stage.since,
        cut=assessment.cut,
        cause=rule.cause,
        readings=tuple(j.reading() for j in assessment.when),
        ruled_out=(*_exclusions(assessment), *_rivals(assessment, others, reads)),
        not_ruled_out=_open_exclusions(assessment),
        explained_by=None,
        checks=checks,
        remedies=rule.remedies,
        evidence=_evidence(rule, entity, reader),
        no_history=assessment.no_history,
    )


def _verdict(assessment: Assessment, checks: tuple[FindingCheck, ...]) -> Verdict:
    return _VERDICTS.get(measured_result(checks), assessment.verdict)


def _severity(assessment: Assessment, state: State, evaluator: Evaluator) -> Severity:
    """The rule's own, raised by the worst escalation that holds; a pending finding escalates nothing."""
    rule = assessment.rule
    raised = [
        level
        for level, condition in rule.escalate
        if judge_condition(condition, assessment.entity, evaluator).outcome.strict is Truth.TRUE
    ]
    if state is State.PENDING:
        return rule.severity
    return max([rule.severity, *raised], key=lambda s: s.rank)


def _exclusions(assessment: Assessment) -> list[RuledOut]:
    false = [j for j in assessment.unless if j.outcome.strict is Truth.FALSE]
    return [_ruled_out(assessment.rule.id, j) for j in false]


def _open_exclusions(assessment: Assessment) -> tuple[tuple[str, Missing], ...]:
    unknown = [j for j in assessment.unless if j.outcome.strict is Truth.UNKNOWN]
    return tuple(dict(pair for j in unknown for pair in j.missing()).items())


def _rivals(
    assessment: Assessment, others: Sequence[Assessment], reads: Mapping[str, AbstractSet[str]]
) -> list[RuledOut]:
    """Causes that read the same indicators and are FALSE here, each by the condition that says so."""
    mine = reads[assessment.rule.id]
    found: list[tuple[int, str, list[Judged]]] = []
    for other in others:
        shared = mine & reads[other.rule.id]
        if other.rule is assessment.rule or other.rule.rank_class == "symptom" or not shared:
            continue
        false = [j for j in other.when if j.outcome.hopeful is Truth.FALSE]
        if false:
            found.append((len(shared), other.rule.id, false))
    found.sort(key=lambda rival: -rival[0])
    return [_ruled_out(rule_id, _most_telling(false, mine)) for _, rule_id, false in found[:MAX_RIVALS]]


def _most_telling(false: list[Judged], mine: AbstractSet[str]) -> Judged:
    """The FALSE condition that reads what the reader of this finding already sees."""
    return max(false, key=lambda j: len(mine & set(names(j.condition.expression))))


def reads_of(rule: Rule) -> frozenset[str]:
    """Indicators that the conditions of a rule read."""
    return frozenset(name for condition in rule.when for name in names(condition.expression))


def _ruled_out(rule: str, judged: Judged) -> RuledOut:
    return RuledOut(rule, judged.condition.text, judged.trace.operand_list())


def _evidence(rule: Rule, entity: Entity, reader: Reader) -> tuple[Operand, ...]:
    return tuple((name, reader.read(name, entity)) for name in rule.evidence)
