"""Owns the grammar of conditions: text to the frozen trees of model/expression.py, and back.

Never reads a value, a dictionary or a file: whether a name exists is for lint, whether it has a value for evaluation.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from perfconsole.diagnose.series import duration, quantity
from perfconsole.errors import UsageError
from perfconsole.model.expression import (
    And,
    Arithmetic,
    Base,
    Comparison,
    Expression,
    Held,
    Name,
    Not,
    Number,
    Or,
    OverEntities,
    OverTime,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Node = Expression | Value

OVER_TIME = ("rate", "delta", "avg", "min", "max", "slope", "changes")
OVER_ENTITIES = ("min", "max", "avg", "sum", "count", "spread")

_FUNCTIONS = frozenset((*OVER_TIME, *OVER_ENTITIES, "base"))

_TOKEN = re.compile(
    r"""(?P<number>[0-9]+(?:\.[0-9]+)?(?:%|[A-Za-z_]\w*)?)
      | (?P<word>[A-Za-z_]\w*(?:\.\w+)*)
      | (?P<mark><=|>=|==|!=|[-<>+*/()\[\]])
      | (?P<other>\S)""",
    re.ASCII | re.VERBOSE,
)
_KEYWORDS = frozenset(("and", "or", "not", "for"))

# How strongly an operator holds its neighbours together.
_OR, _AND, _FOR, _NOT, _COMPARE, _ADD, _MULTIPLY, _ATOM = range(1, 9)
_POWERS: dict[str, int] = {
    "or": _OR,
    "and": _AND,
    "for": _FOR,
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), _COMPARE),
    **dict.fromkeys("+-", _ADD),
    **dict.fromkeys("*/", _MULTIPLY),
}
# Python gives up at about 1000 frames; one level of nesting costs four of them.
_DEEPEST = 50

# A chain of sums is as deep as it is long; the longest shipped condition has 60 words.
_MOST_WORDS = 300

_HINTS = {
    "=": "a comparison is written '=='",
    "&": "write 'and'",
    "|": "write 'or'",
    "!": "write 'not', or '!=' between two numbers",
    "%": "a unit stands directly behind its number, as in 80%",
    ".": "a number starts with a digit, a name with its layer",
    ",": "a function takes one indicator",
}

_Token = tuple[str, str, int]
"""What it is (number, name, end, or the operator itself), how it is written, its column from 1."""


class ExpressionError(UsageError):
    """A condition that does not parse: what is wrong, and the column (from 1) at which."""

    def __init__(self, message: str, column: int, text: str = "") -> None:
        super().__init__(f"{message} (column {column})")
        self.message = message
        self.column = column
        self.text = text

    def caret(self) -> str:
        """Text on one line, and below it a mark under the column."""
        return f"{re.sub(r'[^ -~]', ' ', self.text)}\n{' ' * (self.column - 1)}^"


def parse(text: str) -> Expression:
    """Tree of a condition, numbers in base units; ExpressionError says in words what is wrong and at which column."""
    try:
        return _Parser(_tokens(text)).whole()
    except ExpressionError as error:
        raise ExpressionError(error.message, error.column, text) from None


def walk(node: Node) -> Iterator[Node]:
    """Every part of a tree, the tree itself first, then from left to right."""
    yield node
    for child in _children(node):
        yield from walk(child)


def names(expression: Node) -> tuple[str, ...]:
    """Names of the indicators it reads, in order of appearance, each once."""
    return tuple(
        dict.fromkeys(node.name for node in walk(expression) if isinstance(node, Name | Base | OverTime | OverEntities))
    )


def has_base(expression: Node) -> bool:
    """Whether a baseline is needed."""
    return any(isinstance(node, Base) for node in walk(expression))


def render(node: Node) -> str:
    """Text that parses to the same tree, with no more parentheses than that takes."""
    match node:
        case Comparison() | Arithmetic():
            power = _power(node)
            return f"{_inside(node.left, power)} {node.operator} {_inside(node.right, power + 1)}"
        case Not():
            return f"not {_inside(node.part, _NOT)}"
        case Held():
            return f"{_inside(node.part, _NOT)} for {_written(node.hold_s)}"
        case And():
            return " and ".join(_inside(part, _FOR) for part in node.parts)
        case Or():
            return " or ".join(_inside(part, _AND) for part in node.parts)
        case _:
            return _leaf(node)


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` with the closest known word, or an empty text when none is close."""
    import difflib  # noqa: PLC0415 - 3 ms that only a mistake needs

    close = difflib.get_close_matches(word, list(map(str, known)), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


class _Parser:
    """One pass over the tokens of one text, by binding powers; `at` is the token at hand."""

    __slots__ = ("at", "depth", "tokens")

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    def whole(self) -> Expression:
        node = self.node(0)
        kind, word, column = self.tokens[self.at]
        if kind != "end":
            raise ExpressionError(_leftover(kind, word), column)
        if len(self.tokens) > _MOST_WORDS:
            place = self.tokens[_MOST_WORDS][2]
            raise ExpressionError(f"longer than {_MOST_WORDS} words: split the condition", place)
        return _truth(node)

    def node(self, floor: int) -> Node:
        """Everything that hangs together more strongly than `floor`."""
        left = self.prefix()
        while (power := _POWERS.get(self.tokens[self.at][0], 0)) > floor:
            left = self.joined(left, power)
        return left

    def prefix(self) -> Node:
        kind, word, column = self.tokens[self.at]
        self.at += 1
        if kind == "name":
            return self.call(word, column) if self.tokens[self.at][0] == "(" else Name(_dotted(word, column), column)
        if kind == "number":
            return _literal(word, column)
        if kind == "(":
            inner = self.nested(0, column)
            self.close(column)
            return inner
        if kind == "not":
            return Not(_truth(self.nested(_NOT, column)), column)
        raise ExpressionError(_misplaced(kind, word), column)

    def joined(self, left: Node, power: int) -> Node:
        """`left` with the operator at hand and what belongs to its right."""
        kind = self.tokens[self.at][0]
        self.at += 1
        if power >= _ADD:
            return Arithmetic(kind, _value(left), _value(self.node(power)), left.column)
        if power == _COMPARE:
            return self.alone(Comparison(kind, _value(left), _value(self.node(power)), left.column), power)
        if power == _FOR:
            return self.alone(Held(_truth(left), self.span("'for'"), left.column), power)
        parts = [_truth(left), _truth(self.node(power))]
        while self.tokens[self.at][0] == kind:
            self.at += 1
            parts.append(_truth(self.node(power)))
        return And(tuple(parts), left.column) if power == _AND else Or(tuple(parts), left.column)

    def alone(self, node: Node, power: int) -> Node:
        """`node`, unless a second operator of its kind follows, which would have no meaning."""
        kind, _, column = self.tokens[self.at]
        if _POWERS.get(kind) != power:
            return node
        if power == _COMPARE:
            raise ExpressionError("comparisons do not chain: write 'a < b and b < c'", column)
        raise ExpressionError("a condition is held once: write one 'for', or parentheses around the first", column)

    def nested(self, floor: int, column: int) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ExpressionError(f"nested more than {_DEEPEST} deep: split the condition", column)
        inner = self.node(floor)
        self.depth -= 1
        return inner

    def call(self, function: str, column: int) -> Value:
        """Read a function of one indicator; the token at hand is its opening parenthesis."""
        if function not in _FUNCTIONS:
            known = sorted(_FUNCTIONS)
            hint = nearest(function, known) or f"; there are {' '.join(known)}"
            raise ExpressionError(f"unknown function {function!r}{hint}", column)
        opened = self.tokens[self.at][2]
        kind, word, place = self.tokens[self.at + 1]
        if kind != "name":
            raise ExpressionError(f"{function}() takes the name of one indicator", place)
        name = _dotted(word, place)
        self.at += 2
        if self.tokens[self.at][0] == "[":
            return self.over_time(function, name, column, opened)
        self.close(opened)
        if function == "base":
            return Base(name, column)
        if function not in OVER_ENTITIES:
            raise ExpressionError(f"{function}() needs a window: write {function}({name}[1m])", column)
        return OverEntities(function, name, column)

    def over_time(self, function: str, name: str, column: int, opened: int) -> OverTime:
        """Read the rest of a call from its window on."""
        bracket = self.tokens[self.at][2]
        if function not in OVER_TIME:
            raise ExpressionError(f"{function}() takes no window: write {function}({name})", bracket)
        self.at += 1
        window_s = self.span("the window")
        if self.tokens[self.at][0] != "]":
            raise ExpressionError("this window is never closed: write ']' behind its duration", bracket)
        self.at += 1
        self.close(opened)
        return OverTime(function, name, window_s, column)

    def span(self, owner: str) -> float:
        """Seconds of the duration at hand."""
        kind, word, column = self.tokens[self.at]
        if kind != "number":
            raise ExpressionError(f"{owner} needs a duration, as in 30s or 5m", column)
        self.at += 1
        try:
            return duration(word)
        except ValueError as error:
            raise ExpressionError(str(error), column) from None

    def close(self, opened: int) -> None:
        kind, word, column = self.tokens[self.at]
        if kind == "end":
            raise ExpressionError("this parenthesis is never closed", opened)
        if kind != ")":
            raise ExpressionError(f"expected ')' before {word!r}", column)
        self.at += 1


def _literal(word: str, column: int) -> Number:
    try:
        value = quantity(word)
    except ValueError as error:
        raise ExpressionError(str(error), column) from None
    return Number(value, word, word.lstrip("0123456789."), column)


def _dotted(word: str, column: int) -> str:
    if "." not in word:
        raise ExpressionError(f"{word!r} is not an indicator: write its layer too, as in engine.{word}", column)
    return word


def _truth(node: Node) -> Expression:
    if isinstance(node, Comparison | Not | And | Or | Held):
        return node
    raise ExpressionError("a number is not a condition: compare it with something", node.column)


def _value(node: Node) -> Value:
    if isinstance(node, Comparison | Not | And | Or | Held):
        raise ExpressionError("a condition stands where a number is needed", node.column)
    return node


def _tokens(text: str) -> list[_Token]:
    """Words of a condition, then one token of kind `end`."""
    found: list[_Token] = []
    for match in _TOKEN.finditer(text):
        kind, word, column = match.lastgroup or "", match[0], match.start() + 1
        if kind == "other":
            raise ExpressionError(_unexpected(word), column)
        if kind == "mark" or word in _KEYWORDS:
            kind = word
        elif kind == "word":
            kind = "name"
        found.append((kind, word, column))
    found.append(("end", "", len(text) + 1))
    return found


def _unexpected(character: str) -> str:
    hint = _HINTS.get(character)
    return f"unexpected character {character!r}" + (f": {hint}" if hint else "")


def _misplaced(kind: str, word: str) -> str:
    if kind == "end":
        return "the condition ends where a number or an indicator should stand"
    if kind == "-":
        return "a number has no sign here: write 0 - 5 for -5"
    return f"{word!r} stands where a number or an indicator should"


def _leftover(kind: str, word: str) -> str:
    if kind == ")":
        return "no parenthesis is open here"
    if kind in "[]":
        return "a window stands inside a function, as in rate(engine.preemptions[1m])"
    return f"expected 'and', 'or' or the end before {word!r}"


def _leaf(node: Number | Name | Base | OverTime | OverEntities) -> str:
    match node:
        case Number():
            return node.text
        case Name():
            return node.name
        case Base():
            return f"base({node.name})"
        case OverTime():
            return f"{node.function}({node.name}[{_written(node.window_s)}])"
        case OverEntities():
            return f"{node.function}({node.name})"


def _children(node: Node) -> tuple[Node, ...]:
    match node:
        case Comparison() | Arithmetic():
            return node.left, node.right
        case And() | Or():
            return node.parts
        case Not() | Held():
            return (node.part,)
        case _:
            return ()


def _power(node: Node) -> int:
    match node:
        case Comparison() | Arithmetic():
            return _POWERS[node.operator]
        case Or():
            return _OR
        case And():
            return _AND
        case Held():
            return _FOR
        case Not():
            return _NOT
        case _:
            return _ATOM


def _inside(node: Node, least: int) -> str:
    text = render(node)
    return text if _power(node) >= least else f"({text})"


def _written(seconds: float) -> str:
    """Duration in its largest whole unit, without an exponent."""
    for size, unit in ((3600, "h"), (60, "m"), (1, "s")):
        if seconds % size == 0:
            return f"{seconds / size:.0f}{unit}"
    return f"{Decimal(repr(seconds)):f}s"
