"""Owns what a rule that parses may still get wrong: names, scopes, counters, folders, checks and cases.

Never changes a rule and never reads a value: a problem is said in one line and left to the author.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

from perfconsole.diagnose.checks import PLACEHOLDERS, unknown_placeholders
from perfconsole.diagnose.fullest import measured, parts
from perfconsole.diagnose.parse import nearest, walk
from perfconsole.diagnose.rulefile import LAYERS
from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.entity import Kind
from perfconsole.model.expression import Base, Comparison, Name, OverEntities, OverTime
from perfconsole.model.rule import Condition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from perfconsole.model.dictionary.entry import Entry
    from perfconsole.model.expression import Expression
    from perfconsole.model.rule import Case, Place, Rule

_Reading = Name | Base | OverTime | OverEntities

_PARTS = frozenset((Kind.ENGINE, Kind.RANK, Kind.PROCESS, Kind.GPU))
_NARROWER: dict[Kind, frozenset[Kind]] = {
    Kind.GATEWAY: _PARTS,
    Kind.ORCHESTRATOR: _PARTS,
    Kind.ENGINE: _PARTS - {Kind.ENGINE},
    Kind.HOST: _PARTS | {Kind.GATEWAY, Kind.ORCHESTRATOR},
}
"""What a scope has several of; read through a function over entities."""

_AROUND_ENGINE = frozenset((Kind.GATEWAY, Kind.ORCHESTRATOR, Kind.HOST))
_WIDER: dict[Kind, frozenset[Kind]] = {
    Kind.GATEWAY: frozenset((Kind.HOST,)),
    Kind.ORCHESTRATOR: frozenset((Kind.GATEWAY, Kind.HOST)),
    Kind.ENGINE: _AROUND_ENGINE,
    Kind.RANK: _AROUND_ENGINE | {Kind.ENGINE},
    Kind.PROCESS: _AROUND_ENGINE | {Kind.ENGINE},
    Kind.GPU: _AROUND_ENGINE | {Kind.ENGINE},
}
"""What a scope belongs to; read plainly."""

UNUSABLE = frozenset(("unknown-indicator", "unreadable-indicator", "wrong-scope", "mixed-scopes"))
"""Codes of problems that leave a rule without meaning; a rule that has one is not judged."""
_OF_COUNTERS = frozenset(("rate", "delta", "slope", "changes"))


class Dictionary(Protocol):
    """What lint asks of the dictionary of indicators."""

    def find(self, name: str) -> Entry | None:
        """Entry of a name, with or without a histogram suffix."""

    def readable(self, name: str) -> str | None:
        """None when a condition may read the name, else why it may not."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a rule, one line, and a code to search for."""

    place: Place
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message} [{self.code}]"


def lint(rules: Iterable[Rule], dictionary: Dictionary) -> list[Problem]:
    """Everything wrong with rules that loaded, in the order of the rules and then of each file."""
    found: list[Problem] = []
    first: dict[str, Rule] = {}
    for rule in rules:
        problems = [*_of_file(rule, first), *_of_conditions(rule, dictionary), *_of_names(rule, dictionary)]
        problems += _of_title(rule, dictionary)
        found += sorted((*problems, *_of_cases(rule)), key=lambda problem: (problem.place.line, problem.place.column))
    return found


def _of_file(rule: Rule, first: dict[str, Rule]) -> Iterator[Problem]:
    """Problems of the rule as a whole; `first` collects the rule that took each id."""
    other = first.setdefault(rule.id, rule)
    if other is not rule:
        yield Problem(rule.place, "duplicate-id", f"id {rule.id!r} is taken by {other.place.file}; rename one of them")
    folder = PurePath(rule.place.file).parent.name
    if folder in LAYERS and folder != rule.layer:
        yield Problem(
            rule.place,
            "wrong-folder",
            f"layer {rule.layer!r} stands in the folder {folder!r}; move the file or change the layer",
        )
    for check in rule.checks:
        for name in unknown_placeholders(check.text):
            near = nearest(name, PLACEHOLDERS)
            yield Problem(check.place, "unknown-placeholder", f"nothing fills {{{name}}}{near}")
    if not rule.checks:
        yield Problem(rule.place, "no-check", "no check; add one that can confirm or refute the finding")


def _of_conditions(rule: Rule, dictionary: Dictionary) -> Iterator[Problem]:
    for condition in _conditions(rule):
        found: dict[tuple[str, str], int] = {}
        for code, message, column in _of_expression(condition.expression, rule.scope, dictionary):
            found.setdefault((code, message), column)  # a name that is wrong twice is said once, where it first stands
        yield from (Problem(condition.at(column), code, message) for (code, message), column in found.items())


def _conditions(rule: Rule) -> Iterator[Condition]:
    yield from rule.when
    yield from rule.unless
    yield from (condition for _, condition in rule.fallback if condition)
    yield from (condition for _, condition in rule.escalate)
    for check in rule.checks:
        yield from (sign for sign in (check.confirms, check.refutes) if isinstance(sign, Condition))


def _of_expression(expression: Expression, scope: Kind, dictionary: Dictionary) -> Iterator[tuple[str, str, int]]:
    """Code, message and column in the condition of each problem."""
    for node in walk(expression):
        if isinstance(node, _Reading):
            column = node.column + len(_in_front(node))
            yield from ((code, message, column) for code, message in _of_reading(node, scope, dictionary))
        elif isinstance(node, Comparison):
            yield from ((code, message, node.left.column) for code, message in _of_comparison(node, dictionary))


def _in_front(node: _Reading) -> str:
    """What stands between the column of a reading and its name."""
    if isinstance(node, OverTime | OverEntities):
        return f"{node.function}("
    return "base(" if isinstance(node, Base) else ""


def _of_reading(node: _Reading, scope: Kind, dictionary: Dictionary) -> Iterator[tuple[str, str]]:
    entry = dictionary.find(node.name)
    bar = dictionary.readable(node.name)
    if entry is None or bar is not None:
        yield _unreadable(node.name, entry, bar)
        return
    wrong = _wrong_scope(node, entry.scope, scope)
    if wrong:
        yield "wrong-scope", wrong
    if entry.sort is Sort.COUNTER and not (isinstance(node, OverTime) and node.function in _OF_COUNTERS):
        yield (
            "plain-counter",
            f"counter read plainly: {node.name} only rises; read rate({node.name}[1m]) or delta({node.name}[5m])",
        )


def _unreadable(name: str, entry: Entry | None, bar: str | None) -> tuple[str, str]:
    if entry is None:
        return "unknown-indicator", bar or f"unknown indicator {name!r}; see the dictionary"
    return "unreadable-indicator", bar or f"{name} cannot be read"


def _wrong_scope(node: _Reading, read: Kind, scope: Kind) -> str | None:
    """Say why a rule of this scope may not read an indicator of that one in this way; None when it may."""
    narrower = read in _NARROWER.get(scope, ())
    if isinstance(node, OverEntities):
        return None if narrower else _no_several(node, read, scope)
    if narrower:
        return f"{node.name} has one value for each {read} of the {scope}; aggregate it, as in max({node.name})"
    if read in {scope, Kind.TARGET} or read in _WIDER.get(scope, ()):
        return None
    return f"no {read} belongs to a {scope}, so {node.name} cannot be read here; change the scope of the rule"


def _no_several(node: OverEntities, read: Kind, scope: Kind) -> str:
    wrong = f"{node.function}({node.name}) runs over nothing: {read} is not narrower than {scope}"
    alone = read in {scope, Kind.TARGET} or read in _WIDER.get(scope, ())
    return f"{wrong}; read {node.name} plainly" if alone else f"{wrong}; change the scope of the rule"


def _of_comparison(node: Comparison, dictionary: Dictionary) -> Iterator[tuple[str, str]]:
    """Find two scopes read plainly in one comparison: their entities need not belong to each other one to one."""
    plain = [part.name for part in walk(node) if isinstance(part, Name | Base | OverTime)]
    entries = [entry for entry in map(dictionary.find, plain) if entry and entry.scope is not Kind.TARGET]
    scopes = tuple(dict.fromkeys(str(entry.scope) for entry in entries))
    if len(scopes) > 1:
        read = ", ".join(dict.fromkeys(plain))
        yield "mixed-scopes", f"one comparison mixes {' and '.join(scopes)} ({read}); compare each with its own number"


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


def _of_names(rule: Rule, dictionary: Dictionary) -> Iterator[Problem]:
    """Problems of names outside conditions: evidence, and the values and expectations of cases."""
    for name in rule.evidence:
        entry, bar = dictionary.find(name), dictionary.readable(name)
        # Evidence is shown, so a text such as the version is welcome there.
        if bar and not (entry and entry.sort is Sort.TEXT):
            code, message = _unreadable(name, entry, bar)
            yield Problem(rule.place, code, f"evidence: {message}")
    for case in rule.cases:
        for name in _names_of(case):
            bar = dictionary.readable(name)
            if bar:
                code, message = _unreadable(name, dictionary.find(name), bar)
                yield Problem(case.place, code, f"case: {message}")


def _names_of(case: Case) -> tuple[str, ...]:
    given = (*(name for name, _ in case.series), *(name for name, _ in case.base), case.missing)
    return tuple(dict.fromkeys(name for name in given if name))


def _of_cases(rule: Rule) -> Iterator[Problem]:
    states = {case.state for case in rule.cases}
    if "firing" not in states:
        yield Problem(rule.place, "no-firing-case", "no case that fires; add one with 'state: firing'")
    if not states & {"silent", "ruled-out"}:
        yield Problem(
            rule.place,
            "no-silent-case",
            "no case that stays silent; add the closest look-alike with 'state: silent' or 'state: ruled-out'",
        )
    if "undecided" not in states:
        yield Problem(rule.place, "no-undecided-case", "no case with missing data; add one with 'state: undecided'")
