"""Owns units in conditions: what may be added to or compared with what, and what a product or a rate is counted in.

Never judges a value: whether a bound can be reached is for reach.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.diagnose.parse import render, walk
from perfconsole.model.expression import Arithmetic, Base, Comparison, Name, Number, OverEntities, OverTime

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.diagnose.problem import Complaint, Dictionary
    from perfconsole.model.expression import Expression, Value

_Dimensions = tuple[tuple[str, int], ...]
"""What is multiplied, each with its power; () is a bare number such as a ratio."""

_BARE: _Dimensions = ()
_SECONDS: _Dimensions = (("s", 1),)
_COUNTED = ("count", "tokens")
# Cores are shares of one core. Events, attempts, links and the like are all counted one by one.
_BASES: dict[str, tuple[tuple[str, int], ...]] = {
    "ratio": (),
    "cores": (),
    "0/1": (),
    "s": _SECONDS,
    "bytes": (("bytes", 1),),
    "tokens": (("tokens", 1),),
    "W": (("J", 1), ("s", -1)),
    "J": (("J", 1),),
    "Hz": (("Hz", 1),),
    "FLOP": (("FLOP", 1),),
    "°C": (("°C", 1),),
}
_STATE = "state, 0 or 1"
_TIMES = frozenset(("ms", "s", "m", "h"))
_SIZES = frozenset(("KiB", "MiB", "GiB"))


@dataclass(frozen=True, slots=True)
class _Quantity:
    """Units that a value may have; None where anything goes, as for a number without a unit."""

    options: frozenset[_Dimensions] | None
    words: str
    """How a message names it."""
    factor: bool = False
    """A plain count, which may also multiply: 4 ranks of 256 requests are 1024 requests."""


def of_units(expression: Expression, dictionary: Dictionary) -> Iterator[Complaint]:
    """Sums and comparisons of what is counted in different units, each at the second of the two."""
    for node in walk(expression):
        if isinstance(node, Comparison) or (isinstance(node, Arithmetic) and node.operator in "+-"):
            left, right = _quantity(node.left, dictionary), _quantity(node.right, dictionary)
            if not _fit(node.left, left, node.right, right):
                yield "unit-mismatch", _message(node, left, right), _culprit(node).column


def _message(node: Comparison | Arithmetic, left: _Quantity, right: _Quantity) -> str:
    both = f"{_said(node.left, left)}, {_said(node.right, right)}"
    if isinstance(node, Arithmetic):
        return f"{both}; only like can be added to like"
    read, quantity = (node.right, right) if isinstance(node.left, Number) else (node.left, left)
    return f"{both}; compare {render(read)} with {_fitting(quantity.words)}"


def _said(node: Value, quantity: _Quantity) -> str:
    article = "" if isinstance(node, Number) else "a " if quantity.words in ("ratio", _STATE) else "in "
    return f"{render(node)} is {article}{quantity.words}"


def _fitting(words: str) -> str:
    examples = {"ratio": "a share, as in 80%", "seconds": "a time, as in 1.5s or 80ms", "bytes": "a size, as in 10MiB"}
    return examples.get(words, f"a number of {words}")


def _culprit(node: Comparison | Arithmetic) -> Value:
    """The number where one side is one, as it is the easier to have slipped; else the right side."""
    return node.left if isinstance(node.left, Number) and not isinstance(node.right, Number) else node.right


def _fit(one: Value, left: _Quantity, other: Value, right: _Quantity) -> bool:
    for number, quantity in ((one, right), (other, left)):
        if isinstance(number, Number) and number.unit == "k" and quantity.options is not None:
            return any(dimensions not in (_BARE, _SECONDS) for dimensions in quantity.options)
    if left.options is None or right.options is None:
        return True
    return any(a == b or _per_item(a, b) or _per_item(b, a) for a in left.options for b in right.options)


def _per_item(rate: _Dimensions, level: _Dimensions) -> bool:
    """A rate of one thing against a number of another: 20 tokens/s for each request that runs."""
    powers = dict(rate)
    if powers.pop("s", 0) != -1 or len(powers) != 1 or len(level) != 1:
        return False
    [(rated, _)], [(counted, power)] = powers.items(), level
    return rated in _COUNTED and counted in _COUNTED and rated != counted and power == 1


def _quantity(node: Value, dictionary: Dictionary) -> _Quantity:
    match node:
        case Number():
            return _of_number(node)
        case Name() | Base():
            return _of_name(node.name, dictionary)
        case OverTime():
            return _over_time(node, _of_name(node.name, dictionary))
        case OverEntities():
            return _over_entities(node, _of_name(node.name, dictionary))
        case Arithmetic():
            return _calculated(node, dictionary)


def _of_number(node: Number) -> _Quantity:
    if node.unit == "%":
        return _Quantity(frozenset((_BARE,)), "a share")
    if node.unit in _TIMES:
        return _Quantity(frozenset((_SECONDS,)), "a time")
    if node.unit in _SIZES:
        size: _Dimensions = (("bytes", 1),)
        return _Quantity(frozenset((size, _times(size, _SECONDS, -1))), "a size")
    return _Quantity(None, "a number in thousands" if node.unit == "k" else "a plain number")


def _of_name(name: str, dictionary: Dictionary) -> _Quantity:
    entry = dictionary.find(name)
    if entry is None or entry.unit in ("enum", "text"):
        return _Quantity(None, entry.unit if entry else "an unknown unit")
    above, _, below = (entry.unit, "", "") if entry.unit == "0/1" else entry.unit.partition("/")
    dimensions = _times(_base(above), _base(below), -1) if below else _base(above)
    words = {"0/1": _STATE, "s": "seconds"}.get(entry.unit, entry.unit)
    return _Quantity(frozenset((dimensions,)), words, entry.unit == "count")


def _base(word: str) -> _Dimensions:
    return _BASES.get(word, (("count", 1),))


def _over_time(node: OverTime, inner: _Quantity) -> _Quantity:
    if node.function == "changes":
        return _Quantity(frozenset(((("count", 1),),)), "count", factor=True)
    if node.function not in ("rate", "slope") or inner.options is None:
        return inner
    options = frozenset(_times(dimensions, _SECONDS, -1) for dimensions in inner.options)
    return _Quantity(options, f"{inner.words}/s")


def _over_entities(node: OverEntities, inner: _Quantity) -> _Quantity:
    if node.function == "count":
        return _Quantity(frozenset(((("count", 1),),)), "count", factor=True)
    return _Quantity(frozenset((_BARE,)), "ratio") if node.function == "spread" else inner


def _calculated(node: Arithmetic, dictionary: Dictionary) -> _Quantity:
    left, right = _quantity(node.left, dictionary), _quantity(node.right, dictionary)
    if node.operator in "+-":
        return right if left.options is None else left
    sign = 1 if node.operator == "*" else -1
    if left.options is None and right.options is None:
        return left
    options = frozenset(_times(a, b, sign) for a in _factors(left, right) for b in _factors(right, left))
    return _Quantity(options, _product(node, left, right, options))


def _product(node: Arithmetic, left: _Quantity, right: _Quantity, options: frozenset[_Dimensions]) -> str:
    if left.options is None or left.words == "a share":
        return right.words if node.operator == "*" else f"1/{right.words}"
    if right.options is None or right.words == "a share":
        return left.words
    return "ratio" if options == {_BARE} else f"{left.words} {'x' if node.operator == '*' else '/'} {right.words}"


def _factors(quantity: _Quantity, beside: _Quantity) -> frozenset[_Dimensions]:
    """Units with which a value takes part in a product.

    A plain number beside a rate may be the seconds that it is meant for, as in slope(x[1m]) * 60.
    """
    if quantity.options is not None:
        return quantity.options | {_BARE} if quantity.factor else quantity.options
    rated = any(dict(dimensions).get("s", 0) < 0 for dimensions in beside.options or ())
    return frozenset((_BARE, _SECONDS)) if rated else frozenset((_BARE,))


def _times(one: _Dimensions, other: _Dimensions, sign: int) -> _Dimensions:
    """Product, or with a sign of -1 the quotient, of two units."""
    powers = dict(one)
    for name, power in other:
        powers[name] = powers.get(name, 0) + sign * power
    return tuple(sorted((name, power) for name, power in powers.items() if power))
