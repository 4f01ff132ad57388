"""From an assessment to a finding: readings, what was ruled out and by which value, checks, remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.diagnose.assess import judge_condition
from perfconsole.diagnose.checks import filled
from perfconsole.diagnose.fullest import title
from perfconsole.diagnose.rivals import ruled_out
from perfconsole.model.finding import CheckResult, Finding, State, Truth, Verdict, measured_result

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.diagnose.assess import Assessment
    from perfconsole.diagnose.evaluate import Evaluator, Reader
    from perfconsole.diagnose.rivals import Rivals
    from perfconsole.diagnose.stages import Stage
    from perfconsole.model.entity import Entity
    from perfconsole.model.finding import FindingCheck, Operand, RuledOut
    from perfconsole.model.rule import Rule, Severity
    from perfconsole.model.sample import Missing

    Lookup = Callable[[str, Entity], str | None]

_VERDICTS: dict[CheckResult | None, Verdict] = {
    CheckResult.CONFIRMED: Verdict.LIKELY,
    CheckResult.REFUTED: Verdict.POSSIBLE,
}
"""How sure a finding is once an action has answered: a measurement outweighs look-alikes that nobody could exclude."""


def finding(
    assessment: Assessment,
    stage: Stage,
    rivals: Rivals,
    reader: Reader,
    evaluator: Evaluator,
    lookup: Lookup,
) -> Finding:
    """The finding as shown."""
    rule, entity = assessment.rule, assessment.entity
    assert stage.state is not None  # noqa: S101 - only called for a stage that shows something
    checks = tuple(filled(c, entity, lookup, evaluator, rivals.reads(rule)) for c in rule.checks)
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
        ruled_out=(*_exclusions(assessment), *rivals.denied(rule, entity, evaluator)),
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
    """Those that are FALSE; one that is TRUE so far and waits for its hold rules nothing out."""
    false = [j for j in assessment.unless if j.outcome.hopeful is Truth.FALSE]
    return [ruled_out(assessment.rule.id, j) for j in false]


def _open_exclusions(assessment: Assessment) -> tuple[tuple[str, Missing], ...]:
    unknown = [j for j in assessment.unless if j.outcome.strict is Truth.UNKNOWN]
    return tuple(dict(pair for j in unknown for pair in j.missing()).items())


def _evidence(rule: Rule, entity: Entity, reader: Reader) -> tuple[Operand, ...]:
    return tuple((name, reader.read(name, entity)) for name in rule.evidence)
