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


def ranked(
    found: Sequence[tuple[Finding, int]], rules: Mapping[str, Rule], touch: Touch, beside: Touch
) -> tuple[Finding, ...]:
    """Findings in order, each explained one behind its cause. `found` carries the number of conditions met.

    Of one rule on several parts of one engine (its processes, its GPUs) the first stands for all: one incident.
    """
    place = {rule_id: i for i, rule_id in enumerate(rules)}

    def key(pair: tuple[Finding, int]) -> tuple[object, ...]:
        return _key(pair[0], pair[1], place[pair[0].rule])

    pairs = sorted(found, key=key)
    ordered = [f for f, _ in pairs]
    direct = _causes(ordered, rules, touch)
    direct |= _repeated(ordered, direct, beside)
    causes = {i: _root(i, direct) for i in direct}
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
    """Index of each explained finding to the index of the one that accounts for it.

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
    return direct


def _repeated(ordered: list[Finding], direct: Mapping[int, int], beside: Touch) -> dict[int, int]:
    """Index of each finding that says of one part what the finding of the other index says of its neighbour."""
    again: dict[int, int] = {}
    heads: dict[str, list[int]] = {}
    alone = [i for i, f in enumerate(ordered) if i not in direct and f.result is not CheckResult.REFUTED]
    for i in sorted(alone, key=lambda i: ordered[i].state not in _COMPLETE):
        mine = heads.setdefault(ordered[i].rule, [])
        head = next((j for j in mine if beside(ordered[j].entity, ordered[i].entity)), None)
        if head is None:
            mine.append(i)
        else:
            again[i] = head
    return again


def _root(index: int, direct: Mapping[int, int]) -> int:
    while index in direct:
        index = direct[index]
    return index


def _raised(head: Finding, mine: list[Finding]) -> Finding:
    """A cause is at least as severe as the symptoms that it explains, and as itself on another part."""
    counted = [f for f in mine if f.rank_class == "symptom" or f.rule == head.rule]
    worst = max([head.severity, *(f.severity for f in counted if f.state is State.FIRING)], key=lambda s: s.rank)
    return replace(head, severity=worst)
