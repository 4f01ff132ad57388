"""Owns which indicators a rule of one scope may read, and how: plainly, over entities, or not at all.

Never looks at values, units or thresholds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.diagnose.parse import walk
from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.entity import Kind
from perfconsole.model.expression import Base, Comparison, Name, OverEntities, OverTime

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.diagnose.problem import Complaint, Dictionary
    from perfconsole.model.dictionary.entry import Entry
    from perfconsole.model.expression import Expression

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

_OF_COUNTERS = frozenset(("rate", "delta", "slope", "changes"))


def belongs(kind: Kind, scope: Kind) -> bool:
    """Whether things of a kind belong to one of that scope, or it to them."""
    return kind is scope or kind in _NARROWER.get(scope, ()) or kind in _WIDER.get(scope, ())


def of_names(expression: Expression, scope: Kind, dictionary: Dictionary) -> Iterator[Complaint]:
    """Names that do not exist or cannot be read like this from a rule of that scope."""
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
        yield unreadable(node.name, entry, bar)
        return
    wrong = _wrong_scope(node, entry.scope, scope)
    if wrong:
        yield "wrong-scope", wrong
    if entry.sort is Sort.COUNTER and not (isinstance(node, OverTime) and node.function in _OF_COUNTERS):
        yield (
            "plain-counter",
            f"counter read plainly: {node.name} only rises; read rate({node.name}[1m]) or delta({node.name}[5m])",
        )


def unreadable(name: str, entry: Entry | None, bar: str | None) -> tuple[str, str]:
    """Code and message for a name that no condition may read."""
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
