"""Frozen values as tables of JSON, and back, by the types of their fields.

A field with a default may be absent from a table: files outlive the fields that they were written with. What is no
number (NaN, infinite) is written as null.
"""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Value = TypeVar("_Value", bound="DataclassInstance")
_SHOWN = 40
_NAMES: dict[type, str] = {int: "whole number", str: "text", bool: "true or false"}


class TableError(ValueError):
    """A table does not hold such a value; says where."""


def to_json(value: object) -> Any:  # noqa: ANN401 - what json.dumps takes has no narrower name
    """Dataclasses as tables, tuples as lists."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {str(name): to_json(item) for name, item in value.items()}
    return None if isinstance(value, float) and not isfinite(value) else value


def from_json(kind: type[_Value], table: object, where: str, known: tuple[type, ...] = ()) -> _Value:
    """The dataclass of a table. `known` are types that its module names without importing them.

    TableError names the place, as `steps[3].ttft.p50`.
    """
    return cast("_Value", _dataclass(kind, table, where, known))


@cache
def _hints(kind: type, known: tuple[type, ...]) -> dict[str, Any]:
    return get_type_hints(kind, localns={one.__name__: one for one in known})


def _dataclass(kind: Any, table: object, where: str, known: tuple[type, ...]) -> object:  # noqa: ANN401 - a type
    if not isinstance(table, dict):
        raise TableError(f"{where} is no table")
    hints = _hints(kind, known)
    found: dict[str, object] = {}
    for field in fields(kind):
        if field.name in table:
            found[field.name] = _read(hints[field.name], table[field.name], _inside(where, field.name), known)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise TableError(f"{_inside(where, field.name)} is missing")
    return kind(**found)


def _inside(where: str, name: str) -> str:
    shown = name if name.isprintable() else repr(name)
    return f"{where}.{shown}" if where else shown


def _read(kind: Any, value: object, where: str, known: tuple[type, ...]) -> object:  # noqa: ANN401 - a type
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        inner = next(arg for arg in get_args(kind) if arg is not NoneType)
        return None if value is None else _read(inner, value, where, known)
    if origin is tuple:
        return _tuple(get_args(kind), value, where, known)
    if origin is dict:
        return _dict(get_args(kind)[1], value, where, known)
    if is_dataclass(kind):
        return _dataclass(kind, value, where, known)
    return _plain(kind, value, where)


def _tuple(kinds: tuple[Any, ...], value: object, where: str, known: tuple[type, ...]) -> tuple[object, ...]:
    if not isinstance(value, list):
        raise TableError(f"{where} is no list")
    every = [kinds[0]] * len(value) if kinds[-1] is Ellipsis else list(kinds)
    if len(every) != len(value):
        raise TableError(f"{where} has {len(value)} parts where there are {len(every)}")
    pairs = zip(every, value, strict=True)
    return tuple(_read(kind, item, f"{where}[{i}]", known) for i, (kind, item) in enumerate(pairs))


def _dict(kind: Any, value: object, where: str, known: tuple[type, ...]) -> dict[str, object]:  # noqa: ANN401 - a type
    if not isinstance(value, dict):
        raise TableError(f"{where} is no table")
    return {str(name): _read(kind, item, _inside(where, str(name)), known) for name, item in value.items()}


def _plain(kind: Any, value: object, where: str) -> object:  # noqa: ANN401 - a type
    if kind is float:
        return _number(value, where)
    if isinstance(kind, type) and issubclass(kind, Enum):
        try:
            return kind(value)
        except ValueError:
            names = ", ".join(str(one.value) for one in kind)
            raise TableError(f"{where} is {repr(value)[:_SHOWN]}, none of {names}") from None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TableError(f"{where} is no {_NAMES[kind]}")
    return value


def _number(value: object, where: str) -> float:
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    except OverflowError:
        number = None
    if number is None or not isfinite(number):
        raise TableError(f"{where} is no number")
    return number
