"""Runs the cases of a rule file through a Session of their own: the same two methods as live."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.core.session import Session
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.finding import State
from perfconsole.model.sample import Batch, GivenBaseline, Sample, SeriesKey

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.rule import Case, Place, Rule
    from perfconsole.model.snapshot import Snapshot

_NAMES = {kind: Entity(kind, "case") for kind in Kind}
_LINKS = (
    Link(Relation.GATEWAY_TO_ENGINE, _NAMES[Kind.GATEWAY], _NAMES[Kind.ENGINE]),
    Link(Relation.ORCHESTRATOR_TO_ENGINE, _NAMES[Kind.ORCHESTRATOR], _NAMES[Kind.ENGINE]),
    Link(Relation.ENGINE_USES_GPU, _NAMES[Kind.ENGINE], _NAMES[Kind.GPU]),
    Link(Relation.ENGINE_HAS_RANK, _NAMES[Kind.ENGINE], _NAMES[Kind.RANK]),
    Link(Relation.ENGINE_HAS_PROCESS, _NAMES[Kind.ENGINE], _NAMES[Kind.PROCESS], "frontend"),
    *(Link(Relation.HOST_HAS, _NAMES[Kind.HOST], _NAMES[k]) for k in (Kind.GATEWAY, Kind.ORCHESTRATOR, Kind.ENGINE)),
)

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
    session = Session([rule], dictionary)
    owners = {name: _owner(name, rule, dictionary) for name, _ in case.series}
    whole = int(case.at_s / case.interval_s + _ROUNDING)
    for step in range(whole + 1):
        t = step * case.interval_s
        session.apply(_batch(case, step, t, owners, rule, dictionary))
        snapshot = session.tick(t, t)
    between = case.at_s - t > _ROUNDING
    return session.tick(case.at_s, case.at_s) if between else snapshot


def _owner(name: str, rule: Rule, dictionary: Dictionary) -> Entity:
    entry = dictionary.find(name)
    scope = entry.scope if entry else rule.scope
    return _NAMES[rule.scope if scope is Kind.TARGET else scope]


def _batch(case: Case, step: int, t: float, owners: dict[str, Entity], rule: Rule, dictionary: Dictionary) -> Batch:
    values = [(name, series[step]) for name, series in case.series if step < len(series)]
    samples = tuple(Sample(SeriesKey(name, owners[name]), v) for name, v in values if v is not None)
    baselines = tuple(GivenBaseline(n, _owner(n, rule, dictionary), v, "case") for n, v in case.base)
    return Batch(
        "case",
        "case",
        t,
        t,
        case.interval_s,
        samples=samples,
        links=_LINKS,
        took_s=0.0,
        baselines=baselines,
        entities=(_NAMES[rule.scope],),
    )


def _outcome(rule: Rule, snapshot: Snapshot) -> tuple[str, str | None, set[str], str | None]:
    """State, verdict, missing names and severity of the rule's own entity."""
    entity = _NAMES[rule.scope]
    undecided = [u for u in snapshot.undecided if u.entity == entity]
    missing = {m.name for u in undecided for m in u.missing}
    silent = "ruled-out" if (rule.id, entity) in snapshot.ruled_out else "silent"
    for finding in snapshot.findings:
        if finding.entity == entity:
            missing |= {name for name, _ in finding.not_ruled_out}
            state = silent if finding.state is State.CLEARING else str(finding.state)
            return state, str(finding.verdict), missing, str(finding.severity)
    return ("undecided" if undecided else silent), None, missing, None
