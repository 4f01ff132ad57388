"""Which finding stands first, and which stand under another: the one statement of the order in code."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.model.finding import CheckResult, Finding, State, Verdict
from perfconsole.model.rule import RANK_CLASSES, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from perfconsole.model.entity import Entity
    from perfconsole.model.rule import Rule

    Touch = Callable[[Entity, Entity], bool]

_COMPLETE = (State.FIRING, State.CLEARING)
"""States in which a finding accounts for others: it has held in full, perhaps until a moment ago.

What is clearing keeps its place and its consequences: a gauge that dips for one tick must not turn the screen over.
"""
_CLASS = {name: i for i, name in enumerate(RANK_CLASSES)}


def ranked(found: Sequence[tuple[Finding, int]], rules: Mapping[str, Rule], touch: Touch) -> tuple[Finding, ...]:
    """Findings in order, each explained one behind its cause. `found` carries the number of conditions met."""
    place = {rule_id: i for i, rule_id in enumerate(rules)}

    def key(pair: tuple[Finding, int]) -> tuple[object, ...]:
        return _key(pair[0], pair[1], place[pair[0].rule])

    pairs = sorted(found, key=key)
    ordered = [f for f, _ in pairs]
    causes = _causes(ordered, rules, touch)
    under: dict[int, list[Finding]] = {i: [] for i in range(len(ordered)) if i not in causes}
    for i, cause in sorted(causes.items()):
        under[cause].append(ordered[i])
    heads = [((_raised(ordered[i], mine), pairs[i][1]), mine) for i, mine in under.items()]
    result: list[Finding] = []
    for (head, _), mine in sorted(heads, key=lambda h: key(h[0])):
        result.append(head)
        result.extend(replace(f, explained_by=head.rule) for f in mine)
    return tuple(result)


def _key(finding: Finding, met: int, place: int) -> tuple[object, ...]:
    return (
        finding.state is State.UNDECIDED,
        finding.result is CheckResult.REFUTED,
        finding.severity is Severity.INFO,
        finding.result is not CheckResult.CONFIRMED,
        _CLASS[finding.rank_class],
        finding.verdict is not Verdict.LIKELY,
        -met,
        place,
        finding.entity,
    )


def _causes(ordered: list[Finding], rules: Mapping[str, Rule], touch: Touch) -> dict[int, int]:
    """Index of each explained finding to the index of the unexplained one that accounts for it.

    From the last to the first, so that of two which explain each other the first stays the cause.
    """
    able: dict[str, list[int]] = {}
    for j, cause in enumerate(ordered):
        if cause.state in _COMPLETE and cause.result is not CheckResult.REFUTED:
            for explained in rules[cause.rule].explains:
                able.setdefault(explained, []).append(j)
    direct: dict[int, int] = {}
    for i, finding in reversed(list(enumerate(ordered))):
        for j in able.get(finding.rule, ()):
            if j != i and touch(ordered[j].entity, finding.entity) and _root(j, direct) != i:
                direct[i] = j
                break
    return {i: _root(i, direct) for i in direct}


def _root(index: int, direct: Mapping[int, int]) -> int:
    while index in direct:
        index = direct[index]
    return index


def _raised(head: Finding, mine: list[Finding]) -> Finding:
    """A cause is at least as severe as the symptoms that it explains."""
    symptoms = [f.severity for f in mine if f.rank_class == "symptom" and f.state is State.FIRING]
    worst = max([head.severity, *symptoms], key=lambda s: s.rank)
    return replace(head, severity=worst)
