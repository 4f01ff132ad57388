"""The first look at a rule: whether it can have anything to say of an entity now, found out without keeping evidence.

Of 100 rules on 16 engines nearly all are quiet at nearly every tick, and one condition that is FALSE proves it. Each
condition becomes a closure over `Seen`, made once from the same tree that evaluate.py reads, with the same answers; a
rule that may speak is then judged in full. Parts with a `for` are asked at every tick, so that their holds see it;
of the others none is asked once the rule is known to be quiet.

A `Missing` is told from a number by being a `str`: to ask for the enum itself takes four times as long.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from perfconsole.diagnose.evaluate import COMPARE, calculated, hold_length
from perfconsole.diagnose.holds import Hold
from perfconsole.diagnose.parse import has_base, walk
from perfconsole.diagnose.seen import Operand, Seen, key_of, text_of
from perfconsole.model.expression import (
    And,
    Arithmetic,
    Base,
    Comparison,
    Held,
    Name,
    Not,
    Number,
    Or,
    OverEntities,
    OverTime,
)
from perfconsole.model.finding import Truth
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfconsole.model.expression import Expression, Value
    from perfconsole.model.rule import Condition, Rule

    Look = Callable[[Seen], Truth]
    Read = Callable[[Seen], float | Missing]
    Reads = tuple[tuple[str, Read], ...]

_COSTS = {Name: 1, Base: 4, OverEntities: 4, OverTime: 40}
_FALSE, _UNKNOWN, _TRUE = Truth.FALSE, Truth.UNKNOWN, Truth.TRUE


class Impression(Enum):
    """What a first look says of `when`, with every open hold taken to go on."""

    QUIET = "quiet"
    """Some condition is FALSE."""
    BLANK = "blank"
    """None is FALSE, and none is known to hold."""
    OPEN = "open"
    """None is FALSE, one holds, and one lacks data."""
    FULL = "full"
    """All hold."""


class Glance:
    """One rule, looked at on any entity."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        parts = [_part(condition, _stand_in(rule, i)) for i, condition in enumerate(rule.when)]
        self._watched = tuple(p.look for p in parts if p.holding)
        self._others = tuple(p.look for p in sorted(parts, key=lambda p: p.cost) if not p.holding)
        self._parts = parts
        self._unless = tuple(strict(c.expression) for c in rule.unless)

    def impression(self, seen: Seen) -> Impression:
        """How it stands. Its holds are updated, all at every call."""
        found = [look(seen) for look in self._watched]
        if _FALSE in found:
            return Impression.QUIET
        for look in self._others:
            one = look(seen)
            if one is _FALSE:
                return Impression.QUIET
            found.append(one)
        if _TRUE in found:
            return Impression.OPEN if _UNKNOWN in found else Impression.FULL
        return Impression.BLANK

    def excluded(self, seen: Seen) -> bool:
        """Some exclusion holds."""
        return any(look(seen) is _TRUE for look in self._unless)

    def missing(self, seen: Seen) -> tuple[tuple[str, Missing], ...]:
        """Operands without a value, each once, of the conditions that are UNKNOWN."""
        unknown = (part.judged(seen) for part in self._parts if part.look(seen) is _UNKNOWN)
        operands = ((text, read(seen)) for reads in unknown for text, read in reads)
        return tuple({text: value for text, value in operands if isinstance(value, str)}.items())


@dataclass(frozen=True, slots=True)
class _Part:
    """One condition of `when`, with its substitute."""

    look: Look
    holding: bool
    cost: int
    """Rough: the cheap ones are asked first, and mostly end it."""
    judged: Callable[[Seen], Reads]
    """What is read by the one of the two that counts now."""


def _part(condition: Condition, substitute: Condition | None) -> _Part:
    """The condition, or its substitute while it is open for lack of a baseline."""
    look, reads = hopeful(condition.expression), _reads(condition.expression)
    holding = has_hold(condition.expression)
    if substitute is None:
        return _Part(look, holding, _cost(condition), lambda _seen: reads)
    based = has_base(condition.expression)
    instead, its_reads = hopeful(substitute.expression), _reads(substitute.expression)

    def lacking(seen: Seen) -> bool:
        return based and Missing.NO_BASELINE in [read(seen) for _, read in reads]

    def truth(seen: Seen) -> Truth:
        found = look(seen)
        if found is not _UNKNOWN:
            if asked:
                instead(seen)
            return found
        other = instead(seen)
        return other if lacking(seen) else found

    asked = has_hold(substitute.expression)

    def judged(seen: Seen) -> Reads:
        return its_reads if look(seen) is _UNKNOWN and lacking(seen) else reads

    return _Part(truth, holding or asked, _cost(condition), judged)


def _cost(condition: Condition) -> int:
    """A reading of its own 1, one of other entities or of a baseline 4, a window of ticks 40."""
    return sum(_COSTS.get(type(node), 0) for node in walk(condition.expression))


def has_hold(node: Expression) -> bool:
    """Whether some part of it must hold for a time."""
    return any(isinstance(part, Held) for part in walk(node))


def _stand_in(rule: Rule, index: int) -> Condition | None:
    return next((substitute for i, substitute in rule.fallback if i == index), None)


def hopeful(node: Expression) -> Look:
    """Truth if every open hold goes on as it began; the holds inside are updated."""
    if not isinstance(node, Held):
        return _joined(node, hopeful)
    part, key = strict(node.part), id(node)

    def truth(seen: Seen) -> Truth:
        found = part(seen)
        hold = seen.holds.get(key)
        if hold is None:
            hold = seen.holds[key] = Hold()
        hold.note(seen.t, found)
        return found

    return truth


def strict(node: Expression) -> Look:
    """Truth as the rules say it; the holds inside are updated."""
    if not isinstance(node, Held):
        return _joined(node, strict)
    part, key = strict(node.part), id(node)
    return lambda seen: seen.holds.setdefault(key, Hold()).update(seen.t, part(seen), hold_length(node, seen)).strict


def _joined(node: Comparison | Not | And | Or, look: Callable[[Expression], Look]) -> Look:
    """What is no hold itself: its parts by `look`; under a `not` there is no hope."""
    match node:
        case Comparison():
            return _compared(node)
        case Not():
            part = strict(node.part)
            return lambda seen: ~part(seen)
        case And():
            return _all([look(part) for part in node.parts], _FALSE, _TRUE, whole=has_hold(node))
        case Or():
            return _all([look(part) for part in node.parts], _TRUE, _FALSE, whole=has_hold(node))


def _all(parts: Iterable[Look], decides: Truth, otherwise: Truth, *, whole: bool) -> Look:
    """`and` decides by the first FALSE, `or` by the first TRUE; as a `whole` every part is asked all the same."""
    looks = tuple(parts)

    def every(seen: Seen) -> Truth:
        found = [look(seen) for look in looks]
        return decides if decides in found else _UNKNOWN if _UNKNOWN in found else otherwise

    def until_decided(seen: Seen) -> Truth:
        result = otherwise
        for look in looks:
            found = look(seen)
            if found is decides:
                return decides
            if found is _UNKNOWN:
                result = _UNKNOWN
        return result

    return every if whole else until_decided


def _compared(node: Comparison) -> Look:
    if isinstance(node.left, Name) and isinstance(node.right, Number):
        return _limited(node.left.name, node.operator, node.right.value)
    compare, left, right = COMPARE[node.operator], _value(node.left), _value(node.right)

    def truth(seen: Seen) -> Truth:
        one, other = left(seen), right(seen)
        if isinstance(one, str) or isinstance(other, str):
            return _UNKNOWN
        return _TRUE if compare(one, other) else _FALSE

    return truth


def _limited(name: str, operator: str, limit: float) -> Look:
    """An indicator against a number: what three of four comparisons are."""
    compare = COMPARE[operator]

    def truth(seen: Seen) -> Truth:
        value = seen[name]
        if isinstance(value, str):
            return _UNKNOWN
        return _TRUE if compare(value, limit) else _FALSE

    return truth


def _value(node: Value) -> Read:
    if isinstance(node, Number):
        number = node.value
        return lambda _seen: number
    return _arithmetic(node) if isinstance(node, Arithmetic) else _operand(node)


def _operand(node: Operand) -> Read:
    key = key_of(node)
    if isinstance(node, Name):
        return lambda seen: seen[key]
    return lambda seen: seen.operand(key, node)


def _arithmetic(node: Arithmetic) -> Read:
    operator, left, right = node.operator, _value(node.left), _value(node.right)

    def value(seen: Seen) -> float | Missing:
        one, other = left(seen), right(seen)
        if isinstance(one, str):
            return one
        return other if isinstance(other, str) else calculated(operator, one, other)

    return value


def _reads(node: Expression) -> Reads:
    """Every operand with its text, in order of reading."""
    return tuple((text_of(part), _operand(part)) for part in walk(node) if isinstance(part, Operand))
