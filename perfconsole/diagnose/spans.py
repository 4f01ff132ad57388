"""Owns stretches of numbers: where a reading can lie at all, and where a comparison leaves it.

Every answer errs to the wide side: an empty stretch is proof, a stretch that is not empty proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.dictionary.ranges import range_of
from perfconsole.model.expression import Arithmetic, Base, Name, Number, OverEntities, OverTime

if TYPE_CHECKING:
    from perfconsole.diagnose.problem import Dictionary
    from perfconsole.model.dictionary.ranges import Range
    from perfconsole.model.expression import Value

_ANY: Range = (-inf, inf)
_NOT_BELOW_ZERO: Range = (0.0, inf)


@dataclass(frozen=True, slots=True)
class Span:
    """Numbers from `low` to `high`, each end included or not, but for `holes`."""

    low: float = -inf
    high: float = inf
    without_low: bool = False
    without_high: bool = False
    holes: frozenset[float] = frozenset()

    @property
    def empty(self) -> bool:
        """No number is left."""
        if self.low != self.high:
            return self.low > self.high
        return self.without_low or self.without_high or self.low in self.holes

    def both(self, other: Span) -> Span:
        """Numbers in this one and in the other."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Span(
            low,
            high,
            (self.low == low and self.without_low) or (other.low == low and other.without_low),
            (self.high == high and self.without_high) or (other.high == high and other.without_high),
            self.holes | other.holes,
        )

    def either(self, other: Span) -> Span:
        """Shortest span that holds this one and the other."""
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Span(
            low,
            high,
            not ((self.low == low and not self.without_low) or (other.low == low and not other.without_low)),
            not ((self.high == high and not self.without_high) or (other.high == high and not other.without_high)),
            self.holes & other.holes,
        )


def left_by(operator: str, bound: float) -> Span:
    """Numbers x for which `x operator bound` holds."""
    match operator:
        case ">" | ">=":
            return Span(low=bound, without_low=operator == ">")
        case "<" | "<=":
            return Span(high=bound, without_high=operator == "<")
        case "==":
            return Span(bound, bound)
        case _:
            return Span(holes=frozenset((bound,)))


def reach(node: Value, dictionary: Dictionary) -> Range:
    """Lowest and highest value that a reading or a calculation can have."""
    match node:
        case Number():
            return node.value, node.value
        case Name() | Base():
            return _of_name(node.name, dictionary)
        case OverTime():
            return _over_time(node, dictionary)
        case OverEntities():
            return _over_entities(node, _of_name(node.name, dictionary))
        case Arithmetic():
            return _calculated(node.operator, reach(node.left, dictionary), reach(node.right, dictionary))


def _of_name(name: str, dictionary: Dictionary) -> Range:
    entry = dictionary.find(name)
    return _ANY if entry is None else range_of(entry)


def _over_time(node: OverTime, dictionary: Dictionary) -> Range:
    if node.function in ("min", "max", "avg"):
        return _of_name(node.name, dictionary)
    entry = dictionary.find(node.name)
    rises = node.function == "changes" or (entry is not None and entry.sort is Sort.COUNTER)
    return _NOT_BELOW_ZERO if rises else _ANY


def _over_entities(node: OverEntities, one: Range) -> Range:
    if node.function in ("min", "max", "avg"):
        return one
    return _NOT_BELOW_ZERO if node.function in ("count", "spread") or one[0] >= 0 else _ANY


def _calculated(operator: str, left: Range, right: Range) -> Range:
    match operator:
        case "+":
            return left[0] + right[0], left[1] + right[1]
        case "-":
            return left[0] - right[1], left[1] - right[0]
        case "*":
            ends = [_product(a, b) for a in left for b in right]
            return min(ends), max(ends)
        case _:
            return _quotient(left, right)


def _product(one: float, other: float) -> float:
    """Zero times anything is zero here: an end that is never reached adds nothing."""
    return one * other if one and other else 0.0


def _quotient(left: Range, right: Range) -> Range:
    if right[0] > 0:
        ends = [_product(a, 1 / b) for a in left for b in right]
        return min(ends), max(ends)
    return _NOT_BELOW_ZERO if left[0] >= 0 and right[0] >= 0 else _ANY
