"""Owns what a rule that parses may still get wrong, and puts it into the order of its file.

Never changes a rule and never reads a value: a problem is said in one line and left to the author.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from perfconsole.diagnose.casewords import of_cases
from perfconsole.diagnose.checkwords import of_checks
from perfconsole.diagnose.fullest import measured, parts
from perfconsole.diagnose.parse import has_base, render, walk
from perfconsole.diagnose.problem import Dictionary, Problem
from perfconsole.diagnose.reach import first_clash, implied, of_ranges
from perfconsole.diagnose.rings import of_explains, of_rings
from perfconsole.diagnose.rulefile import LAYERS
from perfconsole.diagnose.scopes import of_names, unreadable
from perfconsole.diagnose.units import of_units
from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.expression import Base, Held, OverTime

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from perfconsole.diagnose.problem import Complaint
    from perfconsole.model.expression import Expression
    from perfconsole.model.rule import Condition, Rule

__all__ = ["UNUSABLE", "Dictionary", "Problem", "lint"]

UNUSABLE = frozenset(
    ("unknown-indicator", "unreadable-indicator", "wrong-scope", "mixed-scopes", "unit-mismatch", "not-read-only")
)
"""Codes of problems that leave a rule without meaning, or a check that would do harm; such a rule is not judged."""

_KEPT_S = 24 * 3600.0
"""A day: what is older has left the history."""
_SHORTEST_S = 10.0
"""Two polls at the slowest cadence."""


def lint(rules: Iterable[Rule], dictionary: Dictionary, others: Iterable[Rule] = ()) -> list[Problem]:
    """Everything wrong with rules that loaded, in the order of the rules and then of each file.

    `others` are rules that are there too and are not looked at: `explains` may name them.
    """
    linted, others = list(rules), list(others)
    known = {rule.id: rule for rule in (*reversed(others), *reversed(linted))}
    found: dict[str, list[Problem]] = {rule.place.file: [] for rule in linted}
    names = {rule.id for rule in linted}
    taken = {("row", rule.row): rule for rule in others if rule.row and rule.id not in names}
    for rule in linted:
        found[rule.place.file] += [*_of_file(rule, taken), *_of_rule(rule, dictionary), *of_explains(rule, known)]
    for problem in of_rings(linted, known):
        found[problem.place.file].append(problem)
    return [problem for problems in found.values() for problem in sorted(problems, key=_by_place)]


def unusable(rule: Rule, dictionary: Dictionary) -> Problem | None:
    """First problem for which the rule is not to be judged; less work than lint, as a console starts with it."""
    for condition in rule.conditions:
        tree = condition.expression
        for code, message, column in (*of_names(tree, rule.scope, dictionary), *of_units(tree, dictionary)):
            if code in UNUSABLE:
                return Problem(condition.at(column), code, message)
    harmful = (p for p in (*of_checks(rule), *_of_evidence(rule, dictionary)) if p.code in UNUSABLE)
    return next(harmful, None)


def _by_place(problem: Problem) -> tuple[int, int]:
    return problem.place.line, problem.place.column


def _of_rule(rule: Rule, dictionary: Dictionary) -> Iterator[Problem]:
    """Problems that the rule has whatever other rules there are."""
    yield from of_checks(rule)
    for condition in rule.conditions:
        yield from _of_condition(condition, rule, dictionary)
    yield from _of_when(rule)
    yield from _of_unless(rule)
    yield from _of_fallback(rule)
    yield from _of_escalate(rule)
    yield from _of_title(rule, dictionary)
    yield from _of_evidence(rule, dictionary)
    yield from of_cases(rule, dictionary)


def _of_file(rule: Rule, taken: dict[tuple[str, str], Rule]) -> Iterator[Problem]:
    """Problems of the rule as a file; `taken` collects the rule that took each id and each row."""
    for key, value in (("id", rule.id), ("row", rule.row)):
        other = taken.setdefault((key, value), rule)
        if value and other is not rule:
            message = f"{key} {value!r} is taken by {other.place.file}; rename one of them"
            yield Problem(rule.at(key), f"duplicate-{key}", message)
    folder = PurePath(rule.place.file).parent.name
    if folder in LAYERS and folder != rule.layer:
        message = f"layer {rule.layer!r} stands in the folder {folder!r}; move the file or change the layer"
        yield Problem(rule.at("layer"), "wrong-folder", message)


def _of_condition(condition: Condition, rule: Rule, dictionary: Dictionary) -> Iterator[Problem]:
    tree = condition.expression
    found: dict[tuple[str, str], int] = {}
    for code, message, column in _complaints(tree, rule, dictionary):
        found.setdefault((code, message), column)  # a name that is wrong twice is said once, where it first stands
    yield from (Problem(condition.at(column), code, message) for (code, message), column in found.items())


def _complaints(tree: Expression, rule: Rule, dictionary: Dictionary) -> Iterator[Complaint]:
    named = tuple(of_names(tree, rule.scope, dictionary))
    mixed = tuple(of_units(tree, dictionary))
    yield from named
    yield from mixed
    yield from _of_windows(tree)
    if not named and not mixed:  # of what cannot be read or compared no range says anything
        yield from of_ranges(tree, dictionary)


def _of_windows(tree: Expression) -> Iterator[Complaint]:
    """Holds and windows that the history cannot answer."""
    for node in walk(tree):
        if isinstance(node, Held) and node.hold_s > _KEPT_S:
            yield "too-long", f"a hold of {node.hold_s / 3600:g} h is longer than the day that is kept", node.column
        elif isinstance(node, OverTime) and node.window_s > _KEPT_S:
            message = f"a window of {node.window_s / 3600:g} h is longer than the day that is kept"
            yield "too-long", message, node.column
        elif isinstance(node, OverTime) and node.window_s < _SHORTEST_S:
            message = f"a window of {node.window_s:g} s may hold a single poll; use {_SHORTEST_S:g}s or more"
            yield "too-short", message, node.column


def _of_when(rule: Rule) -> Iterator[Problem]:
    """Conditions that repeat one before them, and the first that cannot hold beside those before it."""
    seen: set[str] = set()
    for condition in rule.when:
        text = render(condition.expression)
        if text in seen:
            yield Problem(condition.at(1), "repeated-condition", "this condition stands in 'when' twice; keep one")
        seen.add(text)
    for count in range(2, len(rule.when) + 1):
        clash = first_clash(c.expression for c in rule.when[:count])
        if clash is not None and first_clash((rule.when[count - 1].expression,)) is None:
            message = f"{render(clash)} can never hold together with the conditions above, so the rule never fires"
            yield Problem(rule.when[count - 1].at(clash.column), "contradiction", message)
            return


def _of_unless(rule: Rule) -> Iterator[Problem]:
    given = [condition.expression for condition in rule.when]
    if first_clash(given) is not None:
        return
    for condition in rule.unless:
        if implied(condition.expression, given):
            message = "this holds whenever 'when' does, so the rule never fires; take it out of one of them"
            yield Problem(condition.at(1), "unless-repeats-when", message)
        elif first_clash((*given, condition.expression)) is not None:
            message = "this can never hold together with 'when', so it rules nothing out; take it out"
            yield Problem(condition.at(1), "idle-unless", message)


def _of_fallback(rule: Rule) -> Iterator[Problem]:
    """Fall-backs stand for conditions that need a baseline, need none themselves, and are never forgotten."""
    given = dict(rule.fallback)
    for place, condition in enumerate(rule.when):
        needs, number = has_base(condition.expression), place + 1
        if needs and place not in given:
            message = f"condition {number} needs a baseline; add 'fallback: {{{number}: ...}}', or none to wait for one"
            yield Problem(condition.at(1), "no-fallback", message)
        if place in given and not needs:
            message = f"condition {number} needs no baseline, so nothing falls back; take the entry out"
            yield Problem(rule.at_key("fallback", number), "idle-fallback", message)
    for instead in given.values():
        base = None if instead is None else _first_base(instead)
        if instead is not None and base is not None:
            message = "a fall-back is used when the baseline is missing and cannot read one; write a number"
            yield Problem(instead.at(base), "base-in-fallback", message)


def _first_base(condition: Condition) -> int | None:
    return next((node.column for node in walk(condition.expression) if isinstance(node, Base)), None)


def _of_escalate(rule: Rule) -> Iterator[Problem]:
    given = [condition.expression for condition in rule.when]
    for level, condition in rule.escalate:
        if level.rank <= rule.severity.rank:
            message = f"the rule is {rule.severity} already, so {level} raises nothing; take it out"
            yield Problem(rule.at_key("escalate", level), "idle-escalation", message)
        elif first_clash(given) is None and implied(condition.expression, given):
            message = f"this holds whenever 'when' does, so the rule is always {level}; make that its severity"
            yield Problem(condition.at(1), "constant-escalation", message)


def _of_title(rule: Rule, dictionary: Dictionary) -> Iterator[Problem]:
    """Find what cannot complete a title: of shares the fullest can be told, of seconds and counts it cannot."""
    if rule.names is None:
        return
    condition = rule.when[rule.names]
    for part in parts(condition.expression):
        node = measured(part)
        entry = dictionary.find(node.name) if node else None
        if entry is None or entry.unit != "ratio":
            place = condition.at(part.column)
            what = f"{node.name} is no ratio" if node else "a part compares no indicator"
            yield Problem(place, "no-share", f"'names' needs shares: {what}; start each part with one")


def _of_evidence(rule: Rule, dictionary: Dictionary) -> Iterator[Problem]:
    seen: set[str] = set()
    for place, name in enumerate(rule.evidence):
        entry, bar = dictionary.find(name), dictionary.readable(name)
        # Evidence is shown, so a text such as the version is welcome there.
        if bar and not (entry and entry.sort is Sort.TEXT):
            code, message = unreadable(name, entry, bar)
            yield Problem(rule.at("evidence", place), code, f"evidence: {message}")
        elif name in seen:
            message = f"{name} stands in 'evidence' twice; keep one"
            yield Problem(rule.at("evidence", place), "repeated-word", message)
        seen.add(name)
