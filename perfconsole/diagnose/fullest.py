"""Which part of a condition speaks loudest: the share that completes the title of a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.diagnose.evaluate import Trace
from perfconsole.diagnose.parse import walk
from perfconsole.model.dictionary.labels import label
from perfconsole.model.expression import Comparison, Held, Name, Or, OverEntities, OverTime
from perfconsole.model.finding import Truth
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.diagnose.assess import Assessment
    from perfconsole.diagnose.evaluate import Evaluator
    from perfconsole.model.expression import Expression

Measured = Name | OverTime | OverEntities


def title(assessment: Assessment, evaluator: Evaluator) -> str:
    """The rule's title, completed with the fullest share of the condition that the rule names for it."""
    rule = assessment.rule
    if rule.names is None:
        return rule.title
    expression = assessment.when[rule.names].condition.expression
    found = [f for part in parts(expression) if (f := _share(part, assessment, evaluator)) is not None]
    if not found:
        return rule.title
    value, name = max(found)
    return f"{rule.title}: {label(name)} {value:.0%}"


def parts(expression: Expression) -> Iterator[Expression]:
    """What an `or` joins, without the holds around it; the condition itself where it joins nothing."""
    if isinstance(expression, Held):
        yield from parts(expression.part)
    elif isinstance(expression, Or):
        for part in expression.parts:
            yield from parts(part)
    else:
        yield expression


def measured(part: Expression) -> Measured | None:
    """What a part measures: the reading on the left of its first comparison."""
    comparison = next((node for node in walk(part) if isinstance(node, Comparison)), None)
    left = comparison.left if comparison else None
    return left if isinstance(left, Measured) else None


def _share(part: Expression, assessment: Assessment, evaluator: Evaluator) -> tuple[float, str] | None:
    """Value and name of what a part measures, None where the part does not hold now."""
    node, trace = measured(part), Trace()
    if node is None or evaluator.outcome(part, assessment.entity, trace).hopeful is not Truth.TRUE:
        return None
    value = next(iter(trace.operands.values()), Missing.NEVER)
    return None if isinstance(value, Missing) else (value, node.name)
