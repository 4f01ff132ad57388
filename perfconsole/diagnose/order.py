"""Which finding stands first, and which stand under another: the one statement of the order in code."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.model.finding import Finding, State, Verdict
from perfconsole.model.rule import RANK_CLASSES, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from perfconsole.model.entity import Entity
    from perfconsole.model.rule import Rule

    Touch = Callable[[Entity, Entity], bool]

_CLASS = {name: i for i, name in enumerate(RANK_CLASSES)}


def ranked(found: Sequence[tuple[Finding, int]], rules: Mapping[str, Rule], touch: Touch) -> tuple[Finding, ...]:
    """Findings in order, each explained one behind its cause. `found` carries the number of conditions met."""
    place = {rule_id: i for i, rule_id in enumerate(rules)}
    ordered = [f for f, _ in sorted(found, key=lambda pair: _key(pair[0], pair[1], place[pair[0].rule]))]
    causes = _causes(ordered, rules, touch)
    heads = [_raised(f, ordered, causes) for i, f in enumerate(ordered) if i not in causes]
    heads_index = [i for i in range(len(ordered)) if i not in causes]
    result: list[Finding] = []
    for i, head in sorted(zip(heads_index, heads, strict=True), key=lambda p: _headline(p[1])):
        result.append(head)
        result.extend(replace(f, explained_by=head.rule) for j, f in enumerate(ordered) if causes.get(j) == i)
    return tuple(result)


def _key(finding: Finding, met: int, place: int) -> tuple[object, ...]:
    faded = finding.state in (State.UNDECIDED, State.CLEARING)
    return (
        faded,
        finding.severity is Severity.INFO,
        _CLASS[finding.rank_class],
        finding.verdict is not Verdict.LIKELY,
        -met,
        place,
        finding.entity,
    )


def _headline(finding: Finding) -> tuple[bool, bool]:
    """A cause that rose above info through what it explains moves up; otherwise the order stands (sort is stable)."""
    return finding.state in (State.UNDECIDED, State.CLEARING), finding.severity is Severity.INFO


def _causes(ordered: list[Finding], rules: Mapping[str, Rule], touch: Touch) -> dict[int, int]:
    """Index of each explained finding to the index of the unexplained one that accounts for it."""
    direct: dict[int, int] = {}
    for i, finding in enumerate(ordered):
        for j, cause in enumerate(ordered):
            if j != i and _explains(cause, finding, rules, touch) and _root(j, direct) != i:
                direct[i] = j
                break
    return {i: _root(i, direct) for i in direct}


def _root(index: int, direct: Mapping[int, int]) -> int:
    while index in direct:
        index = direct[index]
    return index


def _explains(cause: Finding, finding: Finding, rules: Mapping[str, Rule], touch: Touch) -> bool:
    complete = cause.state is State.FIRING
    return complete and finding.rule in rules[cause.rule].explains and touch(cause.entity, finding.entity)


def _raised(head: Finding, ordered: list[Finding], causes: Mapping[int, int]) -> Finding:
    """A cause is at least as severe as the symptoms that it explains."""
    mine = [ordered[i] for i, j in causes.items() if ordered[j] is head]
    symptoms = [f.severity for f in mine if f.rank_class == "symptom" and f.state is State.FIRING]
    worst = max([head.severity, *symptoms], key=lambda s: s.rank)
    return replace(head, severity=worst)
