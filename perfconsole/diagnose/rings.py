"""Owns what `explains` says of all rules together: names that nobody has, and causes that explain each other.

Two rules that explain each other leave open which is the cause. A longer ring is decided where one rule of it alone
has the foremost rank class, because a finding of that rule heads the others; it is a mistake where two share it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.diagnose.parse import nearest
from perfconsole.diagnose.problem import Problem
from perfconsole.model.rule import RANK_CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from perfconsole.model.rule import Rule

_Edges = dict[str, list[str]]


def of_explains(rule: Rule, known: Mapping[str, Rule]) -> Iterator[Problem]:
    """What one rule says of others: unknown, itself, twice, or a symptom that claims a cause."""
    seen: set[str] = set()
    for place, name in enumerate(rule.explains):
        wrong = _wrong(rule, name, known, seen)
        if wrong:
            yield Problem(rule.at("explains", place), *wrong)
        seen.add(name)


def _wrong(rule: Rule, name: str, known: Mapping[str, Rule], seen: set[str]) -> tuple[str, str] | None:
    if name == rule.id:
        return "explains-itself", f"{name} explains itself; take it out"
    if name in seen:
        return "repeated-word", f"{name} stands in 'explains' twice; keep one"
    if name not in known:
        return "unknown-rule", f"no rule is called {name!r}{nearest(name, known)}"
    if rule.rank_class == "symptom" and known[name].rank_class != "symptom":
        return "symptom-explains-cause", f"{rule.id} is a symptom and cannot explain {name}, which is a cause"
    return None


def of_rings(rules: Iterable[Rule], known: Mapping[str, Rule]) -> Iterator[Problem]:
    """One problem in each rule of a ring, at the word that leads on along it."""
    linted = {id(rule) for rule in rules}
    edges = {name: [e for e in rule.explains if e in known and e != name] for name, rule in known.items()}
    for ring in _rings(edges, known):
        around = " -> ".join((*ring, ring[0]))
        for name, following in zip(ring, (*ring[1:], ring[0]), strict=True):
            rule = known[name]
            if id(rule) in linted:
                place = rule.at("explains", rule.explains.index(following))
                yield Problem(place, "explains-ring", f"rules explain each other in a ring: {around}; break it at one")


def _rings(edges: _Edges, known: Mapping[str, Rule]) -> Iterator[tuple[str, ...]]:
    """Pairs that explain each other, then longer rings that no rank class decides."""
    pairs = [(a, b) for a, leads in edges.items() for b in leads if a < b and a in edges[b]]
    yield from pairs
    cut = {a: [b for b in leads if (a, b) not in pairs and (b, a) not in pairs] for a, leads in edges.items()}
    yield from _undecided(cut, known)


def _undecided(edges: _Edges, known: Mapping[str, Rule]) -> Iterator[tuple[str, ...]]:
    for knot in _knots(edges):
        ranks = sorted((RANK_CLASSES.index(known[name].rank_class), name) for name in knot)
        head = ranks[0][1]
        inner = {a: [b for b in edges[a] if b in knot] for a in sorted(knot)}
        if ranks[0][0] == ranks[1][0]:
            yield _shortest(head, inner)
        else:
            inner.pop(head)
            yield from _undecided({a: [b for b in leads if b != head] for a, leads in inner.items()}, known)


def _shortest(start: str, edges: _Edges) -> tuple[str, ...]:
    """Shortest way from a rule back to itself, inside a knot, where there is one."""
    paths: list[tuple[str, ...]] = [(start,)]
    for path in paths:
        for following in edges[path[-1]]:
            if following == start:
                return path
            if following not in path and not any(following == p[-1] for p in paths):
                paths.append((*path, following))
    raise ValueError(f"{start} is in no ring")


def _knots(edges: _Edges) -> list[set[str]]:
    """Groups of two or more rules each of which leads to every other."""
    reached = {name: _reached(name, edges) for name in edges}
    knots: list[set[str]] = []
    for name in edges:
        knot = {other for other in reached[name] if name in reached[other]}
        if len(knot) > 1 and knot not in knots:
            knots.append(knot)
    return knots


def _reached(start: str, edges: _Edges) -> set[str]:
    found: set[str] = set()
    front = list(edges[start])
    while front:
        name = front.pop()
        if name not in found:
            found.add(name)
            front += edges.get(name, ())
    return found
