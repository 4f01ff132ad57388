"""Evaluation of one condition on one entity: Kleene logic that keeps every operand it read."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite, nan
from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING, Protocol

from perfconsole.diagnose.holds import Hold, Outcome, cut_hold
from perfconsole.diagnose.seen import Seen, key_of, text_of
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
from perfconsole.model.finding import Operand, Truth
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.model.entity import Entity


class Reader(Protocol):
    """Where operands come from at one tick. Missing values carry their reason."""

    t: float
    run_s: float | None

    def known(self, entity: Entity) -> dict[str, float | Missing]:
        """Values that `read` would give at once, by name; what is not among them is asked for when it is needed."""

    def read(self, name: str, entity: Entity) -> float | Missing:
        """Plain reading; a name of a wider scope is read from what the entity belongs to."""

    def base(self, name: str, entity: Entity) -> float | Missing:
        """Healthy baseline, or NO_BASELINE."""

    def over_time(self, function: str, name: str, entity: Entity, window_s: float) -> float | Missing:
        """Function over a whole window; WARMING_UP while the window is not filled."""

    def over_entities(self, function: str, name: str, entity: Entity) -> float | Missing:
        """Function over the narrower entities that have a value."""

    def full_window_s(self, name: str) -> float:
        """History without which the indicator cannot speak."""


COMPARE: dict[str, Callable[[float, float], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}


@dataclass(slots=True)
class Trace:
    """What one evaluation read and how its holds stand."""

    operands: dict[str, float | Missing] = field(default_factory=dict)
    open_held_s: float | None = None
    open_hold_s: float | None = None
    cut: bool = False
    """A hold that is TRUE here was shortened."""

    def note(self, text: str, value: float | Missing) -> float | Missing:
        """Keep an operand under the name it is written with."""
        self.operands[text] = value
        return value

    def note_hold(self, held_s: float, hold_s: float) -> None:
        """Keep the hold that has the longest way to go."""
        left = hold_s - held_s
        if self.open_hold_s is None or left > self.open_hold_s - (self.open_held_s or 0.0):
            self.open_held_s, self.open_hold_s = held_s, hold_s

    def operand_list(self) -> tuple[Operand, ...]:
        """Operands in order of reading."""
        return tuple(self.operands.items())


Holds = dict["Entity", dict[int, Hold]]
"""Holds of each entity by the identity of their node."""


class Evaluator:
    """Evaluates conditions for one reader; owns nothing but the holds handed to it, which it updates once a tick."""

    def __init__(self, reader: Reader, holds: Holds) -> None:
        self._reader = reader
        self._holds = holds
        self._seen: dict[Entity, Seen] = {}

    def seen(self, entity: Entity) -> Seen:
        """What the entity shows at this tick."""
        found = self._seen.get(entity)
        if found is None:
            found = self._seen[entity] = Seen(self._reader, entity, self._holds.setdefault(entity, {}))
        return found

    def outcome(self, node: Expression, entity: Entity, trace: Trace) -> Outcome:
        """Truth of a condition. Every hold inside is updated, so no part is skipped."""
        match node:
            case Comparison():
                truth = self._compare(node, entity, trace)
                return Outcome(truth, truth)
            case Not():
                part = self.outcome(node.part, entity, trace)
                return Outcome(~part.strict, ~part.strict)
            case And() | Or():
                return self._combine(node, entity, trace)
            case Held():
                return self._held(node, entity, trace)

    def _combine(self, node: And | Or, entity: Entity, trace: Trace) -> Outcome:
        parts = [self.outcome(part, entity, trace) for part in node.parts]
        strict, hopeful = parts[0]
        for part in parts[1:]:
            if isinstance(node, And):
                strict, hopeful = strict & part.strict, hopeful & part.hopeful
            else:
                strict, hopeful = strict | part.strict, hopeful | part.hopeful
        return Outcome(strict, hopeful)

    def _held(self, node: Held, entity: Entity, trace: Trace) -> Outcome:
        inner = self.outcome(node.part, entity, trace)
        seen = self.seen(entity)
        hold_s = hold_length(node, seen)
        hold = seen.holds.setdefault(id(node), Hold())
        outcome = hold.update(seen.t, inner.strict, hold_s)
        if outcome.hopeful is Truth.TRUE:
            trace.cut = trace.cut or hold_s < node.hold_s
            trace.note_hold(hold.held_s(seen.t), hold_s)
        return outcome

    def _compare(self, node: Comparison, entity: Entity, trace: Trace) -> Truth:
        left = self._value(node.left, entity, trace)
        right = node.right.value if isinstance(node.right, Number) else self._value(node.right, entity, trace)
        if isinstance(left, Missing) or isinstance(right, Missing):
            return Truth.UNKNOWN
        return Truth.TRUE if COMPARE[node.operator](left, right) else Truth.FALSE

    def _value(self, node: Value, entity: Entity, trace: Trace) -> float | Missing:
        if isinstance(node, Number):
            return node.value
        if isinstance(node, Arithmetic):
            return self._arithmetic(node, entity, trace)
        return trace.note(text_of(node), self.seen(entity).operand(key_of(node), node))

    def _arithmetic(self, node: Arithmetic, entity: Entity, trace: Trace) -> float | Missing:
        left, right = self._value(node.left, entity, trace), self._value(node.right, entity, trace)
        if isinstance(left, Missing):
            return left
        if isinstance(right, Missing):
            return right
        return calculated(node.operator, left, right)


def calculated(operator: str, left: float, right: float) -> float | Missing:
    """Plain arithmetic; a division by 0 or a result beyond all numbers is not a number."""
    match operator:
        case "+":
            result = left + right
        case "-":
            result = left - right
        case "*":
            result = left * right
        case _:
            result = left / right if right else nan
    return result if isfinite(result) else Missing.NEVER


def hold_length(node: Held, seen: Seen) -> float:
    """Seconds it must be TRUE, cut to what a headless run allows."""
    return node.hold_s if seen.run_s is None else cut_hold(node.hold_s, seen.run_s, _window_s(node, seen))


def _window_s(node: Expression | Value, seen: Seen) -> float:
    """Longest history that any operand below needs before it can speak."""
    match node:
        case Number() | Base():
            return 0.0
        case Name() | OverEntities():
            return seen.full_window_s(node.name)
        case OverTime():
            return node.window_s
        case Not() | Held():
            return _window_s(node.part, seen)
        case And() | Or():
            return max(_window_s(p, seen) for p in node.parts)
        case Comparison() | Arithmetic():
            return max(_window_s(node.left, seen), _window_s(node.right, seen))
