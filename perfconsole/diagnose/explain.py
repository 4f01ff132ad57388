"""From an assessment to its explanation: where a rule stands on an entity, and by which reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.diagnose.assess import missing_operands
from perfconsole.model.finding import Explanation, Standing, State, Truth

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.diagnose.assess import Assessment

_SHOWN = {State.FIRING: Standing.FIRING, State.PENDING: Standing.PENDING, State.UNDECIDED: Standing.UNDECIDED}
"""A finding that is clearing is explained by what keeps it from firing."""


def explanation(assessment: Assessment, state: State | None, origin: Callable[[str], str]) -> Explanation:
    """What the judge read; `state` is that of its finding at this tick, None for no finding."""
    rule = assessment.rule
    judged = (*assessment.when, *assessment.unless)
    unknown = [j for j in judged if j.outcome.hopeful is Truth.UNKNOWN]
    stand_ins = (
        (index, rule.when[index].text)
        for index, substitute in rule.fallback
        if substitute is not None and assessment.when[index].condition is substitute
    )
    return Explanation(
        rule=rule.id,
        row=rule.row,
        title=rule.title,
        entity=assessment.entity,
        standing=_SHOWN.get(state, _silent(assessment)) if state else _silent(assessment),
        when=tuple(j.reading() for j in assessment.when),
        unless=tuple(j.reading() for j in assessment.unless),
        stand_ins=tuple(stand_ins),
        missing=missing_operands(unknown, origin),
    )


def _silent(assessment: Assessment) -> Standing:
    """Without a finding: a FALSE condition decides it alone, whatever else is missing or excluded."""
    if any(j.outcome.hopeful is Truth.FALSE for j in assessment.when):
        return Standing.QUIET
    return Standing.RULED_OUT if assessment.ruled_out else Standing.UNDECIDED
