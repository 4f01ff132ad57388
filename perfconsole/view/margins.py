"""How far the values of a condition are from its thresholds, worked out from its text and what was read.

A page has the text of a condition and its operands, not its tree. Comparisons of sums and products are enough for
nearly all conditions; what has parentheses inside its arithmetic is left to its bare operands.
"""

from __future__ import annotations

import re
from math import isfinite, isnan
from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.model.sample import Missing
from perfconsole.view.units import number, operand_text, shown, unit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from perfconsole.model.finding import Operand

_CALL = r"[a-z]+\(\s*[\w.]+\s*(?:\[[^\]]*\]\s*)?\)"
_FACTOR = rf"(?:{_CALL}|[A-Za-z_]\w*(?:\.\w+)+|[0-9]+(?:\.[0-9]+)?(?:%|[A-Za-z]+)?)"
_SIDE = rf"{_FACTOR}(?:\s*[-+*/]\s*{_FACTOR})*"
_COMPARISON = re.compile(rf"({_SIDE})\s*(<=|>=|==|!=|<|>)\s*({_SIDE})")
_PART = re.compile(rf"{_FACTOR}|[-+*/]")
_JOINT = re.compile(r"(?<![\w.])(?:and|or|not)(?![\w.(])|(?<![\w.])(?:and|or|not)(?=\()|(?<![\w.])for\s+[\w.]+")
_LITERAL = re.compile(r"([0-9]+(?:\.[0-9]+)?)(\D*)")
_WINDOW = re.compile(r"\[\s*([0-9.]+)\s*(ms|s|m|h)\s*\]")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_SCALE = {"": 1.0, "%": 0.01, **_SECONDS, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "k": 1000.0}
_COMPARE: dict[str, Callable[[float, float], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}


class Measured(NamedTuple):
    """One comparison of a condition with its values."""

    text: str
    operands: tuple[str, ...]
    """Which operands it reads, as they are written."""
    met: bool = False
    """It holds, by its values."""


class _Side(NamedTuple):
    text: str
    value: float | Missing
    operands: tuple[str, ...]
    plain: bool
    """It is one factor, not a sum or a product."""


def measured(condition: str, operands: Sequence[Operand], *, holds: bool = False) -> list[Measured]:
    """Comparisons of a condition in order, with values and margin; those that are not simple are left out.

    In a condition that holds, one that is not met lacks nothing: another branch of an `or` is enough.
    """
    values = {_canonical(name): value for name, value in operands}
    names = {_canonical(name): name for name, _ in operands}
    found = [_measured(part, values, names, holds=holds) for part in _JOINT.split(condition)]
    return [m for m in found if m]


def _canonical(operand: str) -> str:
    """`slope(x[1m])` and `slope(x[60s])` are the same operand."""
    seconds = _WINDOW.sub(lambda m: f"[{_decimal(m[1]) * _SECONDS[m[2]]:g}s]", operand)
    return re.sub(r"\s+", "", seconds)


def _decimal(digits: str) -> float:
    try:
        return float(digits)
    except ValueError:
        return 0.0


def _measured(
    part: str, values: Mapping[str, float | Missing], names: Mapping[str, str], *, holds: bool
) -> Measured | None:
    """One part between and, or, not and for; None when it is no simple comparison or reads something unheard of."""
    match = _COMPARISON.fullmatch(_bare(part))
    if match is None or not all(_known(p, values) for p in _PART.findall(match[1] + " " + match[3])):
        return None
    left, right = _side(match[1], values, names), _side(match[3], values, names)
    read = left.operands + right.operands
    unknown = isinstance(left.value, Missing) or isinstance(right.value, Missing)
    met = not unknown and _COMPARE[match[2]](float(left.value), float(right.value))
    return Measured(_words(left, match[2], right, holds=holds), read, met) if read else None


def _bare(part: str) -> str:
    """Without the parentheses that group comparisons."""
    part = part.strip().lstrip("( ")
    while part.endswith(")") and part.count(")") > part.count("("):
        part = part[:-1].rstrip()
    return part


def _known(part: str, values: Mapping[str, float | Missing]) -> bool:
    if part in "+-*/":
        return True
    literal = _LITERAL.fullmatch(part)
    return literal[2] in _SCALE if literal else _canonical(part) in values


def _side(text: str, values: Mapping[str, float | Missing], names: Mapping[str, str]) -> _Side:
    parts = _PART.findall(text)
    read = tuple(dict.fromkeys(names[_canonical(p)] for p in parts if _canonical(p) in names))
    words = " ".join(_factor_words(p, values, names) for p in parts)
    return _Side(words, _total(parts, values), read, len(parts) == 1)


def _factor_words(part: str, values: Mapping[str, float | Missing], names: Mapping[str, str]) -> str:
    key = _canonical(part)
    return operand_text((names[key], values[key])) if key in values else part


def _total(parts: Sequence[str], values: Mapping[str, float | Missing]) -> float | Missing:
    """Sum of products; the first reason when something is missing, NEVER when it divides by 0."""
    numbers = [_value(p, values) for p in parts[::2]]
    reasons = [n for n in numbers if isinstance(n, Missing)]
    if reasons:
        return reasons[0]
    known = [n for n in numbers if not isinstance(n, Missing)]
    terms = [known[0]]
    for operator, value in zip(parts[1::2], known[1:], strict=True):
        if operator in "+-":
            terms.append(value if operator == "+" else -value)
        elif operator == "*":
            terms[-1] *= value
        elif value == 0:
            return Missing.NEVER
        else:
            terms[-1] /= value
    return sum(terms)


def _value(part: str, values: Mapping[str, float | Missing]) -> float | Missing:
    literal = _LITERAL.fullmatch(part)
    return float(literal[1]) * _SCALE[literal[2]] if literal else values[_canonical(part)]


def _words(left: _Side, operator: str, right: _Side, *, holds: bool) -> str:
    """`requests_waiting 24 > 0, margin 24`; what is not met says by how much."""
    unit = _unit(left, right)
    head, tail = _said(left, unit), _said(right, unit)
    if isinstance(left.value, Missing) or isinstance(right.value, Missing):
        return f"{head} {operator} {tail}: cannot be told"
    met = _COMPARE[operator](left.value, right.value)
    if not met and (holds or left.value == right.value):
        return f"{head} {operator} {tail}: not met"
    distance = _distance(left.value, operator, right.value, unit, met=met)
    return f"{head} {'' if met else 'is not '}{operator} {tail}{', ' if distance else ''}{distance}"


def _said(side: _Side, unit: str) -> str:
    """What is calculated shows its result as well."""
    if side.plain or isinstance(side.value, Missing):
        return side.text
    return f"{side.text} = {_amount(side.value, unit)}"


def _unit(left: _Side, right: _Side) -> str:
    """That of a side that is one operand; a product may have any, and against a plain number a ratio has none.

    0 is no such number: it is the same in every unit.
    """
    single = [s for s in (left, right) if s.plain and s.operands]
    unit = unit_of(single[0].operands[0]) if single else ""
    bare = any(s.plain and not s.operands and "%" not in s.text and s.value != 0 for s in (left, right))
    return "" if unit == "ratio" and bare else unit


def _amount(value: float, unit: str) -> str:
    return number(value) if isnan(value) or not unit else shown(value, unit).strip()


def _distance(left: float, operator: str, right: float, unit: str, *, met: bool) -> str:
    gap = abs(left - right)
    if not isfinite(gap) or operator == "!=" or (operator == "==" and met):
        return ""
    said = f"{number(round(gap * 100, 6))} points" if unit == "ratio" else _amount(gap, unit)
    if met:
        return f"margin {said}"
    return f"{'over' if operator[0] == '<' else 'short' if operator[0] == '>' else 'off'} by {said}"
