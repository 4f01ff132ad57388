"""Runs the cases of a rule file through a Session of their own: the same two methods as live."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.core.session import Session
from perfconsole.core.together import linked
from perfconsole.diagnose.parse import names
from perfconsole.model.entity import Entity, Kind, Link
from perfconsole.model.finding import State, indicator_of
from perfconsole.model.sample import Batch, GivenBaseline, Sample, SeriesKey

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.rule import Case, Place, Rule
    from perfconsole.model.snapshot import Snapshot

_FIRST = {kind: Entity(kind, "case") for kind in Kind}
_BETWEEN = (Kind.HOST, Kind.ENGINE)
"""What ties the others together, whether or not a case has values of it."""

_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class CaseFailure:
    """A case that gave another verdict than it must."""

    rule: str
    place: Place
    message: str


def run_cases(rules: Iterable[Rule], dictionary: Dictionary) -> list[CaseFailure]:
    """Every case of every rule, each judged with its rule alone; an empty list when all hold."""
    return [f for rule in rules for case in rule.cases if (f := run_case(rule, case, dictionary)) is not None]


def run_case(rule: Rule, case: Case, dictionary: Dictionary) -> CaseFailure | None:
    """Feed the series up to the moment of the case and compare."""
    snapshot = _play(rule, case, dictionary)
    state, verdict, missing, severity = _outcome(rule, snapshot)
    problems = []
    if state != case.state:
        problems.append(f"state is {state}, expected {case.state}")
    if case.verdict is not None and verdict != case.verdict:
        problems.append(f"verdict is {verdict}, expected {case.verdict}")
    if case.severity is not None and severity != case.severity:
        problems.append(f"severity is {severity}, expected {case.severity}")
    if case.missing is not None and case.state != "silent" and case.missing not in missing:
        problems.append(f"missing are {', '.join(sorted(missing)) or 'none'}, expected {case.missing} among them")
    return CaseFailure(rule.id, case.place, "; ".join(problems)) if problems else None


def _play(rule: Rule, case: Case, dictionary: Dictionary) -> Snapshot:
    session = Session([rule], dictionary, learns=False, derived=_read(rule))
    owners = _owners(rule, case, dictionary)
    links = linked(dict.fromkeys((*(_FIRST[kind] for kind in (*_BETWEEN, rule.scope)), *owners)))
    whole = int(case.at_s / case.interval_s + _ROUNDING)
    for step in range(whole + 1):
        t = step * case.interval_s
        session.apply(_batch(case, step, owners, links, rule, dictionary))
        snapshot = session.tick(t, t)
    between = case.at_s - t > _ROUNDING
    return session.tick(case.at_s, case.at_s) if between else snapshot


def _read(rule: Rule) -> frozenset[str]:
    """Indicators that any condition of the rule reads: deriving only these takes half the time."""
    return frozenset(name for condition in rule.conditions for name in names(condition.expression))


def _owners(rule: Rule, case: Case, dictionary: Dictionary) -> tuple[Entity, ...]:
    """Entity of each series: the first of its kind, or the next one when the name stood before."""
    seen: Counter[str] = Counter()
    owners = []
    for name, _ in case.series:
        seen[name] += 1
        first = _owner(name, rule, dictionary)
        owners.append(first if seen[name] == 1 else Entity(first.kind, f"{first.name}-{seen[name]}"))
    return tuple(owners)


def _owner(name: str, rule: Rule, dictionary: Dictionary) -> Entity:
    entry = dictionary.find(name)
    scope = entry.scope if entry else rule.scope
    return _FIRST[rule.scope if scope is Kind.TARGET else scope]


def _batch(
    case: Case, step: int, owners: tuple[Entity, ...], links: tuple[Link, ...], rule: Rule, dictionary: Dictionary
) -> Batch:
    t = step * case.interval_s
    values = [(n, e, s[step]) for (n, s), e in zip(case.series, owners, strict=True) if step < len(s)]
    samples = tuple(Sample(SeriesKey(name, owner), v) for name, owner, v in values if v is not None)
    baselines = tuple(GivenBaseline(n, _owner(n, rule, dictionary), v, "case") for n, v in case.base)
    return Batch(
        "case",
        "case",
        t,
        t,
        case.interval_s,
        samples=samples,
        links=links,
        took_s=0.0,
        baselines=baselines,
        entities=(_FIRST[rule.scope],),
    )


def _outcome(rule: Rule, snapshot: Snapshot) -> tuple[str, str | None, set[str], str | None]:
    """State, verdict, missing names and severity of the rule's own entity."""
    entity = _FIRST[rule.scope]
    undecided = [u for u in snapshot.undecided if u.entity == entity]
    missing = {indicator_of(m.name) for u in undecided for m in u.missing}
    silent = "ruled-out" if (rule.id, entity) in snapshot.ruled_out else "silent"
    for finding in snapshot.findings:
        if finding.entity == entity:
            missing |= {indicator_of(name) for name, _ in finding.not_ruled_out}
            state = silent if finding.state is State.CLEARING else str(finding.state)
            return state, str(finding.verdict), missing, str(finding.severity)
    return ("undecided" if undecided else silent), None, missing, None
