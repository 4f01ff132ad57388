"""The first look at a rule: whether it can have anything to say of an entity now, found out without keeping evidence.

Of 100 rules on 16 engines nearly all are quiet at nearly every tick, and one condition that is FALSE proves it. Each
condition becomes a closure over `Seen`, made once from the same tree that evaluate.py reads, with the same answers; a
rule that may speak is then judged in full. Parts with a `for` are asked at every tick, so that their holds see it;
of the others none is asked once the rule is known to be quiet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.diagnose.evaluate import COMPARE, calculated, hold_length
from perfconsole.diagnose.holds import Hold
from perfconsole.diagnose.parse import has_base, walk
from perfconsole.diagnose.seen import Operand, Seen, key_of
from perfconsole.model.expression import And, Arithmetic, Comparison, Held, Name, Not, Number, Or
from perfconsole.model.finding import Truth
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfconsole.model.expression import Expression, Value
    from perfconsole.model.rule import Condition, Rule

    Look = Callable[[Seen], Truth]
    Read = Callable[[Seen], float | Missing]

_FALSE, _UNKNOWN, _TRUE = Truth.FALSE, Truth.UNKNOWN, Truth.TRUE
_OPPOSITE = {truth: ~truth for truth in Truth}


def glance(rule: Rule) -> Look:
    """FALSE where some condition of `when` is, UNKNOWN where none is known to hold, TRUE where a closer look is due."""
    pairs = [(condition, _stand_in(rule, i)) for i, condition in enumerate(rule.when)]
    looks = [(_with_fallback(c, s), any(has_hold(x.expression) for x in (c, s) if x)) for c, s in pairs]
    watched = tuple(look for look, holding in looks if holding)
    others = tuple(look for look, holding in looks if not holding)

    def truth(seen: Seen) -> Truth:
        found = [look(seen) for look in watched]
        if _FALSE in found:
            return _FALSE
        some = _TRUE in found
        for look in others:
            one = look(seen)
            if one is _FALSE:
                return _FALSE
            some = some or one is _TRUE
        return _TRUE if some else _UNKNOWN

    return truth


def has_hold(node: Expression) -> bool:
    """Whether some part of it must hold for a time."""
    return any(isinstance(part, Held) for part in walk(node))


def _stand_in(rule: Rule, index: int) -> Condition | None:
    return next((substitute for i, substitute in rule.fallback if i == index), None)


def _with_fallback(condition: Condition, substitute: Condition | None) -> Look:
    """The condition, or its substitute while it is open for lack of a baseline."""
    look = hopeful(condition.expression)
    if substitute is None:
        return look
    instead, reads = hopeful(substitute.expression), _reads(condition.expression)
    holding, based = has_hold(substitute.expression), has_base(condition.expression)

    def truth(seen: Seen) -> Truth:
        found = look(seen)
        other = instead(seen) if holding else None
        if found is _UNKNOWN and based and any(read(seen) is Missing.NO_BASELINE for read in reads):
            return instead(seen) if other is None else other
        return found

    return truth


def hopeful(node: Expression) -> Look:
    """Truth if every open hold goes on as it began; the holds inside are updated."""
    if not isinstance(node, Held):
        return _joined(node, hopeful)
    part = strict(node.part)

    def truth(seen: Seen) -> Truth:
        found = part(seen)
        _update(node, seen, found)
        return found

    return truth


def strict(node: Expression) -> Look:
    """Truth as the rules say it; the holds inside are updated."""
    if not isinstance(node, Held):
        return _joined(node, strict)
    part = strict(node.part)
    return lambda seen: _update(node, seen, part(seen))


def _update(node: Held, seen: Seen, truth: Truth) -> Truth:
    hold = seen.holds.get(id(node))
    if hold is None:
        hold = seen.holds[id(node)] = Hold()
    return hold.update(seen.t, truth, hold_length(node, seen)).strict


def _joined(node: Comparison | Not | And | Or, look: Callable[[Expression], Look]) -> Look:
    """What is no hold itself: its parts by `look`; under a `not` there is no hope."""
    match node:
        case Comparison():
            return _compared(node)
        case Not():
            part = strict(node.part)
            return lambda seen: _OPPOSITE[part(seen)]
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
        if isinstance(one, Missing) or isinstance(other, Missing):
            return _UNKNOWN
        return _TRUE if compare(one, other) else _FALSE

    return truth


def _limited(name: str, operator: str, limit: float) -> Look:
    """An indicator against a number: what three of four comparisons are."""
    compare = COMPARE[operator]

    def truth(seen: Seen) -> Truth:
        value = seen[name]
        if isinstance(value, Missing):
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
    return lambda seen: seen.operand(key, node)


def _arithmetic(node: Arithmetic) -> Read:
    operator, left, right = node.operator, _value(node.left), _value(node.right)

    def value(seen: Seen) -> float | Missing:
        one, other = left(seen), right(seen)
        if isinstance(one, Missing):
            return one
        return other if isinstance(other, Missing) else calculated(operator, one, other)

    return value


def _reads(node: Expression) -> tuple[Read, ...]:
    return tuple(_operand(part) for part in walk(node) if isinstance(part, Operand))
