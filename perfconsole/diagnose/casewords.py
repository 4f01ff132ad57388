"""Finds what is wrong with the cases of a rule: missing kinds, names that decide nothing, moments without data.

Never plays a case: whether it holds is for core/cases.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.diagnose.parse import has_base, names, walk
from perfconsole.diagnose.problem import Problem
from perfconsole.diagnose.scopes import unreadable
from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.expression import Base, OverTime
from perfconsole.model.rule import Condition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.diagnose.problem import Dictionary
    from perfconsole.model.rule import Case, Rule

_ROUNDING = 1e-6
_QUIET = ("silent", "ruled-out")
# Shorter parts of a name, such as "of" or "kv", stand in many definitions by chance.
_TELLING = 5


def of_cases(rule: Rule, dictionary: Dictionary) -> Iterator[Problem]:
    """Problems of the cases as a set, then of each."""
    yield from _of_kinds(rule)
    reads = _reads(rule)
    told: dict[object, Case] = {}
    for place, case in enumerate(rule.cases):
        yield from _of_names(rule, place, case, dictionary)
        yield from _of_unread(rule, place, case, reads, dictionary)
        yield from _of_moment(rule, place, case)
        yield from _of_expectation(rule, place, case)
        other = told.setdefault(
            (case.interval_s, tuple(sorted(case.series, key=_name)), frozenset(case.base), case.at_s), case
        )
        if other.state != case.state:
            message = f"the same values are expected to be {other.state} by the case in line {other.place.line}"
            yield Problem(rule.at("cases", place, "expect", "state"), "contradicting-cases", message)


def _name(given: tuple[str, object]) -> str:
    return given[0]


def _of_kinds(rule: Rule) -> Iterator[Problem]:
    states = {case.state for case in rule.cases}
    place = rule.at("cases")
    if "firing" not in states:
        yield Problem(place, "no-firing-case", "no case that fires; add one with 'state: firing'")
    if not states.intersection(_QUIET):
        message = "no case that stays silent; add the closest look-alike with 'state: silent' or 'state: ruled-out'"
        yield Problem(place, "no-silent-case", message)
    if "undecided" not in states:
        yield Problem(place, "no-undecided-case", "no case with missing data; add one with 'state: undecided'")


def _of_names(rule: Rule, place: int, case: Case, dictionary: Dictionary) -> Iterator[Problem]:
    series, base = (tuple(dict.fromkeys(map(_name, pairs))) for pairs in (case.series, case.base))
    missing = () if case.missing is None else (case.missing,)
    given = (
        *((name, rule.at_key("cases", place, "series", name)) for name in series),
        *((name, rule.at_key("cases", place, "base", name)) for name in base if name not in series),
        *((name, rule.at("cases", place, "expect", "missing")) for name in missing if name not in (*series, *base)),
    )
    for name, at in given:
        bar = dictionary.readable(name)
        if bar:
            code, message = unreadable(name, dictionary.find(name), bar)
            yield Problem(at, code, f"case: {message}")


def _reads(rule: Rule) -> frozenset[str]:
    """Everything that the rule reads or shows."""
    replaced = (condition for _, condition in rule.fallback if condition)
    signs = (sign for check in rule.checks for sign in (check.confirms, check.refutes) if isinstance(sign, Condition))
    raised = (condition for _, condition in rule.escalate)
    conditions = (*rule.when, *rule.unless, *replaced, *raised, *signs)
    return frozenset(rule.evidence).union(*(names(condition.expression) for condition in conditions))


def _of_unread(rule: Rule, place: int, case: Case, reads: frozenset[str], dictionary: Dictionary) -> Iterator[Problem]:
    """Find series that decide nothing.

    A look-alike may show what another rule reads, and where values end something else must show that time goes on.
    """
    ends = case.state == "undecided" and any(None in samples for _, samples in case.series)
    if case.state in _QUIET or ends:
        return
    for name in dict.fromkeys(map(_name, case.series)):
        if name not in reads and dictionary.find(name) and not _feeds(name, reads, dictionary):
            message = f"case: {name} decides nothing, as the rule does not read it; take it out or read it"
            yield Problem(rule.at_key("cases", place, "series", name), "unread-series", message)


def _feeds(name: str, reads: frozenset[str], dictionary: Dictionary) -> bool:
    """Whether a derived indicator that the rule reads tells of this one in its definition."""
    words = [word for word in name.split(".")[1].split("_") if len(word) >= _TELLING]
    derived = (entry for entry in map(dictionary.find, reads) if entry and entry.sort is Sort.DERIVED)
    return any(word in entry.definition for entry in derived for word in words)


def _of_moment(rule: Rule, place: int, case: Case) -> Iterator[Problem]:
    """A case that is judged when its values have ended tests what a lost source does, and must say so."""
    longest = max((len(samples) for _, samples in case.series), default=0)
    last_s = (longest - 1) * case.interval_s
    if longest and case.at_s > last_s + _ROUNDING and case.state != "undecided":
        message = f"the series end at {last_s:g} s, so nothing is known at {case.at_s:g} s; lengthen them"
        yield Problem(rule.at("cases", place, "expect", "at"), "after-the-series", message)


def _of_expectation(rule: Rule, place: int, case: Case) -> Iterator[Problem]:
    """Expectations that no rule could meet together."""
    levels = {str(rule.severity), *(str(level) for level, _ in rule.escalate)}
    if case.state in _QUIET and (case.verdict or case.severity):
        key = "verdict" if case.verdict else "severity"
        yield _contradiction(rule, place, key, f"a case that is {case.state} has no {key}")
    elif case.severity and case.severity not in levels:
        yield _contradiction(rule, place, "severity", f"the rule never has the severity {case.severity!r}")
    if case.missing and case.verdict == "likely":
        yield _contradiction(
            rule, place, "missing", "a likely finding lacks nothing; it is possible, or has its values"
        )
    elif case.missing and _given(case, rule):
        yield _contradiction(rule, place, "missing", f"{case.missing} is given at that moment, so it cannot be missing")


def _contradiction(rule: Rule, place: int, key: str, message: str) -> Problem:
    return Problem(rule.at("cases", place, "expect", key), "contradicting-expectation", f"case: {message}")


def _given(case: Case, rule: Rule) -> bool:
    """Whether the value said to be missing is there, and no baseline or history of it could be meant."""
    samples = next((given for name, given in case.series if name == case.missing), ())  # the entity judged comes first
    moment = int(case.at_s / case.interval_s + _ROUNDING)
    known = len(samples) > moment and samples[: moment + 1].count(None) == 0
    plain = all(not has_base(c.expression) or case.missing not in _bases(c) for c in (*rule.when, *rule.unless))
    return known and plain and not any(case.missing in _windowed(c) for c in (*rule.when, *rule.unless))


def _bases(condition: Condition) -> frozenset[str]:
    return frozenset(node.name for node in walk(condition.expression) if isinstance(node, Base))


def _windowed(condition: Condition) -> frozenset[str]:
    return frozenset(node.name for node in walk(condition.expression) if isinstance(node, OverTime))
