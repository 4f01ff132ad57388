"""Finds what can never or must always hold: bounds outside an indicator's range, and parts that exclude each other.

Reports only what is proven; values are never read.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from perfconsole.diagnose.parse import names, render, walk
from perfconsole.diagnose.spans import Span, left_by, reach
from perfconsole.model.expression import And, Comparison, Held, Name, Not, Number, Or

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from perfconsole.diagnose.problem import Complaint, Dictionary
    from perfconsole.model.expression import Expression

Limits = dict[str, Span]
"""What is left of each reading, by how it is written; None in place of a table where nothing can hold."""

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def of_ranges(expression: Expression, dictionary: Dictionary) -> Iterator[Complaint]:
    """Comparisons that the range of an indicator decides, and parts of one condition that exclude each other."""
    for node in walk(expression):
        if isinstance(node, Comparison):
            yield from _of_comparison(node, dictionary)
        elif isinstance(node, And):
            clash = first_clash(node.parts)
            if clash is not None:
                yield "contradiction", _clash_message(clash), clash.column


def first_clash(parts: Iterable[Expression]) -> Expression | None:
    """First part that can never hold beside those before it."""
    limits: Limits = {}
    for part in conjuncts(parts):
        met = _met(limits, allowed(part))
        if met is None:
            return part
        limits = met
    return None


def conjuncts(parts: Iterable[Expression]) -> Iterator[Expression]:
    """Everything that must hold, without the `and` and the holds around it."""
    for part in parts:
        if isinstance(part, And):
            yield from conjuncts(part.parts)
        elif isinstance(part, Held):
            yield from conjuncts((part.part,))
        else:
            yield part


def implied(expression: Expression, given: Iterable[Expression]) -> bool:
    """Whether a condition holds wherever all of the given ones do."""
    known = tuple(given)
    match expression:
        case Or():
            return any(implied(part, known) for part in expression.parts)
        case And():
            return all(implied(part, known) for part in expression.parts)
        case Held():
            as_long = (h.part for h in _held(known) if h.hold_s >= expression.hold_s)
            return implied(expression.part, tuple(as_long))
    text = render(expression)
    if any(render(part) == text for part in conjuncts(known)):
        return True
    return bool(names(expression)) and first_clash((*known, Not(expression, expression.column))) is not None


def _held(parts: Iterable[Expression]) -> Iterator[Held]:
    for part in parts:
        if isinstance(part, And):
            yield from _held(part.parts)
        elif isinstance(part, Held):
            yield part


def _of_comparison(node: Comparison, dictionary: Dictionary) -> Iterator[Complaint]:
    place = (node.right if isinstance(node.right, Number) else node.left).column
    if not names(node):
        yield "no-indicator", f"{render(node)} reads no indicator; compare one with a number", place
        return
    odd = _odd_state(node, dictionary)
    if odd is not None:
        yield "state-value", f"{_read(node)} is a state, 0 or 1; {odd.text} is neither", odd.column
        return
    verdict = _decided(node, dictionary)
    if verdict is not None:
        yield f"{verdict}-true", f"{render(node)} {_why(verdict)}: {_range(node, dictionary)}", place


def _why(verdict: str) -> str:
    return "can never hold" if verdict == "never" else "always holds"


def _odd_state(node: Comparison, dictionary: Dictionary) -> Number | None:
    """The number that a state is compared with, where it is neither 0 nor 1."""
    for one, other in ((node.left, node.right), (node.right, node.left)):
        entry = dictionary.find(one.name) if isinstance(one, Name) else None
        if entry and entry.unit == "0/1" and isinstance(other, Number) and other.value not in (0.0, 1.0):
            return other
    return None


def _read(node: Comparison) -> str:
    return names(node)[0]


def _decided(node: Comparison, dictionary: Dictionary) -> str | None:
    """`never` or `always` where the ranges of both sides leave no doubt."""
    if render(node.left) == render(node.right):
        return "always" if node.operator in ("<=", ">=", "==") else "never"
    (low, high), (least, most) = reach(node.left, dictionary), reach(node.right, dictionary)
    if node.operator in ("==", "!="):
        apart = high < least or low > most
        return None if not apart else "never" if node.operator == "==" else "always"
    if node.operator in ("<", "<="):
        low, high, least, most = least, most, low, high  # a < b is b > a
    strict = node.operator in ("<", ">")
    if high <= least if strict else high < least:
        return "never"
    return "always" if (low > most if strict else low >= most) else None


def _range(node: Comparison, dictionary: Dictionary) -> str:
    if render(node.left) == render(node.right):
        return "both sides are the same"
    side = node.right if isinstance(node.left, Number) else node.left
    low, high = reach(side, dictionary)
    if high < inf and low > -inf:
        hint = "; write the number as a share, as in 90%" if _looks_like_percent(node) else ""
        return f"{render(side)} lies between {low:g} and {high:g}{hint}"
    return f"{render(side)} is never {f'below {low:g}' if low > -inf else f'above {high:g}'}"


def _looks_like_percent(node: Comparison) -> bool:
    numbers = (side for side in (node.left, node.right) if isinstance(side, Number))
    return any(1 < number.value <= 100 and not number.unit for number in numbers)


def _clash_message(part: Expression) -> str:
    return f"{render(part)} can never hold together with what stands before it"


def allowed(node: Expression) -> Limits | None:
    """What a condition leaves of each reading where it holds; None where it cannot."""
    match node:
        case Comparison():
            return _left(node)
        case Held():
            return allowed(node.part)
        case Not():
            return _denied(node.part)
        case And():
            return _all(allowed(part) for part in node.parts)
        case Or():
            return _any(allowed(part) for part in node.parts)


def _denied(node: Expression) -> Limits | None:
    """What is left where a condition does not hold; a hold that is broken says nothing about now."""
    match node:
        case Comparison():
            return _left(Comparison(_OPPOSITE[node.operator], node.left, node.right, node.column))
        case Held():
            return {}
        case Not():
            return allowed(node.part)
        case And():
            return _any(_denied(part) for part in node.parts)
        case Or():
            return _all(_denied(part) for part in node.parts)


def _left(node: Comparison) -> Limits | None:
    """One reading and the span that a comparison leaves of it; of two readings, of their difference."""
    if isinstance(node.right, Number):
        return {render(node.left): left_by(node.operator, node.right.value)}
    if isinstance(node.left, Number):
        return {render(node.right): left_by(_TURNED[node.operator], node.left.value)}
    one, other = render(node.left), render(node.right)
    operator = node.operator if one <= other else _TURNED[node.operator]
    return {" - ".join(sorted((one, other))): left_by(operator, 0.0)}


def _all(parts: Iterable[Limits | None]) -> Limits | None:
    limits: Limits | None = {}
    for part in parts:
        limits = None if limits is None else _met(limits, part)
    return limits


def _met(limits: Limits, more: Limits | None) -> Limits | None:
    """Both at once; None where nothing is left of a reading."""
    if more is None:
        return None
    met = {**limits, **{key: limits[key].both(span) if key in limits else span for key, span in more.items()}}
    return None if any(span.empty for span in met.values()) else met


def _any(parts: Iterable[Limits | None]) -> Limits | None:
    possible = [part for part in parts if part is not None]
    if not possible:
        return None
    widest = possible[0]
    for part in possible[1:]:
        widest = {key: widest[key].either(part[key]) for key in widest.keys() & part.keys()}
    return widest
