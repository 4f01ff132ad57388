"""The frozen tree of a condition. diagnose/parse.py builds it; evaluation, lint and exports only read it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Number:
    """A literal in base units (`80%` is 0.8, `5m` is 300); `text` keeps how it was written."""

    value: float
    text: str
    unit: str
    """The suffix: % ms s m h KiB MiB GiB k or empty."""
    column: int


@dataclass(frozen=True, slots=True)
class Name:
    """An indicator, with its histogram suffix if it has one."""

    name: str
    column: int


@dataclass(frozen=True, slots=True)
class Base:
    """The healthy baseline of an indicator."""

    name: str
    column: int


@dataclass(frozen=True, slots=True)
class OverTime:
    """A function of one indicator over a window: rate delta avg min max slope changes."""

    function: str
    name: str
    window_s: float
    column: int


@dataclass(frozen=True, slots=True)
class OverEntities:
    """A function of one indicator over narrower entities: min max avg sum count spread."""

    function: str
    name: str
    column: int


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`left operator right` with + - * /."""

    operator: str
    left: Value
    right: Value
    column: int


Value = Number | Name | Base | OverTime | OverEntities | Arithmetic


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left operator right` with < <= > >= == !=."""

    operator: str
    left: Value
    right: Value
    column: int


@dataclass(frozen=True, slots=True)
class Not:
    """Negation."""

    part: Truthful
    column: int


@dataclass(frozen=True, slots=True)
class And:
    """All parts."""

    parts: tuple[Truthful, ...]
    column: int


@dataclass(frozen=True, slots=True)
class Or:
    """Any part."""

    parts: tuple[Truthful, ...]
    column: int


@dataclass(frozen=True, slots=True)
class Held:
    """`part for hold_s`: TRUE when every tick of the whole window was."""

    part: Truthful
    hold_s: float
    column: int


Truthful = Comparison | Not | And | Or | Held

Expression = Truthful
"""A whole condition: something with a truth value."""
