"""A condition in words: readings linked to the dictionary, thresholds with their units.

Pure: a tree in, Markdown out. It must never judge a condition or know a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.dictionary.ranges import FACTORS
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

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.expression import Expression, Value

DICTIONARY_PAGE = "../reference/indicators.md"

_COMPARISONS = {
    ">": "is above",
    ">=": "is at least",
    "<": "is below",
    "<=": "is at most",
    "==": "is",
    "!=": "is not",
}
_OPERATIONS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
_OVER_TIME = {
    "rate": "the rate of",
    "delta": "the growth of",
    "avg": "the mean of",
    "min": "the lowest of",
    "max": "the highest of",
    "slope": "the trend a second of",
    "changes": "the number of changes of",
}
_OVER_ENTITIES = {
    "min": "the lowest",
    "max": "the highest",
    "avg": "the mean",
    "sum": "the sum of",
    "count": "the number of",
    "spread": "the highest against the mean of",
}
_UNITS = {"m": "min", "k": "thousand"}
_SAID_UNITS = ("requests", "tokens", "bytes", "s", "W", "°C", "Hz", "cores")


def linked(name: str) -> str:
    """The name of an indicator, leading to the dictionary."""
    return f"[`{name}`]({DICTIONARY_PAGE})"


def branches(tree: Expression, dictionary: Dictionary) -> list[str]:
    """What an `or` joins, each in words; the whole condition alone where it joins nothing."""
    return [condition_words(part, dictionary) for part in (tree.parts if isinstance(tree, Or) else (tree,))]


def condition_words(tree: Expression, dictionary: Dictionary) -> str:
    """A condition in words, on one line."""
    match tree:
        case Comparison():
            return _compared(tree, dictionary)
        case Held():
            return f"{_grouped(tree.part, dictionary)} for {duration_words(tree.hold_s)}"
        case Not():
            return f"not: {_grouped(tree.part, dictionary)}"
        case And():
            return " and ".join(_grouped(part, dictionary) for part in tree.parts)
        case Or():
            return " or ".join(_grouped(part, dictionary) for part in tree.parts)


def duration_words(seconds: float) -> str:
    """A duration as people say it: `60 s`, `5 min`, `24 h`."""
    if seconds >= 3600 and seconds % 3600 == 0:
        return f"{seconds / 3600:g} h"
    return f"{seconds / 60:g} min" if seconds > 60 and seconds % 60 == 0 else f"{seconds:g} s"


def read_names(tree: Expression | Value) -> Iterator[str]:
    """Names of the indicators that a condition reads, in order, perhaps more than once."""
    match tree:
        case Name() | Base() | OverTime() | OverEntities():
            yield tree.name
        case Comparison() | Arithmetic():
            yield from read_names(tree.left)
            yield from read_names(tree.right)
        case Held() | Not():
            yield from read_names(tree.part)
        case And() | Or():
            for part in tree.parts:
                yield from read_names(part)


def _grouped(tree: Expression, dictionary: Dictionary) -> str:
    words = condition_words(tree, dictionary)
    return f"({words})" if isinstance(tree, And | Or) else words


def _compared(node: Comparison, dictionary: Dictionary) -> str:
    left = _value(node.left, dictionary, _unit(node.right, dictionary))
    right = _value(node.right, dictionary, _unit(node.left, dictionary))
    return f"{left} {_COMPARISONS[node.operator]} {right}"


def _value(node: Value, dictionary: Dictionary, unit: str = "") -> str:
    """A reading or number in words; `unit` is that of what it is compared with."""
    match node:
        case Number():
            return _number(node, unit)
        case Name():
            return linked(node.name)
        case Base():
            return f"the healthy baseline of {linked(node.name)}"
        case OverTime():
            return f"{_OVER_TIME[node.function]} {linked(node.name)} over {duration_words(node.window_s)}"
        case OverEntities():
            return f"{_OVER_ENTITIES[node.function]} {linked(node.name)}"
        case Arithmetic():
            left, right = _value(node.left, dictionary), _value(node.right, dictionary)
            return f"{left} {_OPERATIONS[node.operator]} {right}"


def _number(node: Number, unit: str) -> str:
    digits = node.text.removesuffix(node.unit)
    if node.unit == "%":
        return f"{digits}% of a core" if unit == "cores" else f"{digits}%"
    if node.unit and node.unit != "k":
        return f"{digits} {_UNITS.get(node.unit, node.unit)}"
    if unit == "share":
        return f"{node.value:.0%}" if node.value not in (0.0, 1.0) else f"{digits}00%" if node.value else "0"
    said = unit if unit in _SAID_UNITS or "/" in unit.replace("0/1", "") else ""
    return f"{node.value:g} {said}".rstrip()


def _unit(node: Value, dictionary: Dictionary) -> str:
    """Unit in which a plain number beside this value is meant; empty where it is none of one reading."""
    if not isinstance(node, Name | Base | OverTime | OverEntities):
        return ""
    entry = dictionary.find(node.name)
    if entry is None or (isinstance(node, OverEntities) and node.function in ("count", "spread")):
        return ""
    if isinstance(node, OverTime) and node.function in ("rate", "slope", "changes"):
        return "" if node.function == "changes" else f"{entry.unit}/s"
    return "share" if entry.unit == "ratio" and entry.name not in FACTORS else entry.unit
