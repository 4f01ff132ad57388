"""Orders and events as lines of JSON, both ways. A line is one object; `is` tells which, the other keys are its fields.

What is None or stands at its default is left out. Decoding is strict: what a field cannot hold is a ValueError.
Fields that are not known are passed over, so that both ends need not be of one version.
"""

from __future__ import annotations

import json
from dataclasses import MISSING, Field, fields, is_dataclass
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

from perfconsole.model.probeload import LoadEnd, LoadEvent, LoadTick, Part, RequestRecord, StepRecord, Trouble
from perfconsole.model.probeorders import Arrival, Finish, LoadOrder, Open, Run, Stop, Target, Warm
from perfconsole.model.probeplan import Caps, Shape

if TYPE_CHECKING:
    from collections.abc import Callable

_EVENTS: dict[str, type] = {"request": RequestRecord, "tick": LoadTick, "step": StepRecord, "end": LoadEnd}
_ORDERS: dict[str, type] = {"open": Open, "warm": Warm, "step": Run, "finish": Finish, "stop": Stop}
_NAMES = {kind: name for names in (_EVENTS, _ORDERS) for name, kind in names.items()}
_SHOWN = 80
"""Characters of a line that an error repeats."""


def encode_event(event: LoadEvent) -> bytes:
    """One line with its end; ValueError for a number that is none (nan, infinity)."""
    return _encode(event)


def decode_event(line: bytes) -> LoadEvent:
    """The event of one line; ValueError says what is wrong with it."""
    event: LoadEvent = _decode(line, _EVENTS)
    return event


def encode_order(order: LoadOrder) -> bytes:
    """One line with its end; ValueError for a number that is none."""
    return _encode(order)


def decode_order(line: bytes) -> LoadOrder:
    """The order of one line; ValueError says what is wrong with it, without the headers in it."""
    order: LoadOrder = _decode(line, _ORDERS)
    return order


def _encode(value: Any) -> bytes:  # noqa: ANN401 - one of two unions
    row = {"is": _NAMES[type(value)], **_row(value)}
    return json.dumps(row, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def _row(value: Any) -> dict[str, Any]:  # noqa: ANN401 - any of the frozen values
    found = {}
    for field in fields(value):
        held = getattr(value, field.name)
        if held is not None and held != field.default:
            found[field.name] = _PLAIN.get(field.type, _same)(held)
    return found


def _same(value: Any) -> Any:  # noqa: ANN401 - what JSON knows by itself
    return _row(value) if is_dataclass(value) else value


def _decode(line: bytes, kinds: dict[str, type]) -> Any:  # noqa: ANN401 - one of two unions
    try:
        row = json.loads(line)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - a line that is wrong, not a caller
    kind = kinds.get(name) if isinstance(name := row.get("is"), str) else None
    if kind is None:
        raise ValueError(f"is {_shown(name)}, none of {', '.join(kinds)}")
    return _value(kind, row)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + " ..."


def _value(kind: type, row: object) -> Any:  # noqa: ANN401 - an instance of kind
    if not isinstance(row, dict):
        raise ValueError(f"{kind.__name__} is no object")  # noqa: TRY004 - as above
    return kind(**{field.name: held for field in fields(kind) for held in _held(kind, field, row)})


def _held(kind: type, field: Field[Any], row: dict[str, Any]) -> list[Any]:
    """What a field is given: one value, or nothing where its default stands."""
    text = str(field.type)
    value = row.get(field.name)
    if value is not None:
        try:
            return [_READ[text.removesuffix(" | None")](value)]
        except (ValueError, TypeError, OverflowError):
            shown = "" if field.name in ("headers", "targets") else f": {_shown(value)}"
            raise ValueError(f"{kind.__name__}.{field.name} is no {text}{shown}") from None
    if text.endswith(" | None"):
        return [None]
    if field.default is MISSING:
        raise ValueError(f"{kind.__name__}.{field.name} is missing")
    return []


def _whole(value: object) -> int:
    if type(value) is not int:
        raise ValueError
    return value


def _number(value: object) -> float:
    if type(value) not in (int, float) or not isfinite(found := float(value)):  # type: ignore[arg-type]  # checked just before
        raise ValueError
    return found


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError  # noqa: TRY004 - as above
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError  # noqa: TRY004 - as above
    return value


def _listed(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError  # noqa: TRY004 - as above
    return value


def _flat(counts: tuple[tuple[int, int], ...]) -> list[int]:
    """A distribution without its inner brackets: a fifth of a long line."""
    return [number for pair in counts for number in pair]


def _counts(value: object) -> tuple[tuple[int, int], ...]:
    numbers = [_whole(item) for item in _listed(value)]
    pairs = tuple(zip(numbers[::2], numbers[1::2], strict=True))
    if any(n < 1 for _, n in pairs) or any(a >= b for (a, _), (b, _) in pairwise(pairs)):
        raise ValueError
    return pairs


def _pair(value: object) -> tuple[str, str]:
    name, text = map(_text, _listed(value))
    return name, text


def _arrival(value: object) -> Arrival:
    at, prompt, output = _listed(value)
    return Arrival(_number(at), _whole(prompt), _whole(output))


def _many(read: Callable[[object], Any]) -> Callable[[object], tuple[Any, ...]]:
    return lambda value: tuple(read(item) for item in _listed(value))


_READ: dict[str, Callable[[Any], Any]] = {
    "int": _whole,
    "float": _number,
    "str": _text,
    "bool": _flag,
    "Part": Part,
    "Trouble": Trouble,
    "Shape": Shape,
    "Counts": _counts,
    "Caps": lambda value: _value(Caps, value),
    "tuple[int, ...]": _many(_whole),
    "tuple[str, ...]": _many(_text),
    "tuple[tuple[str, str], ...]": _many(_pair),
    "tuple[Target, ...]": _many(lambda value: _value(Target, value)),
    "tuple[Arrival, ...]": _many(_arrival),
}
"""What each type of a field takes from JSON."""

_PLAIN: dict[Any, Callable[[Any], Any]] = {
    "Counts": _flat,
    "tuple[Target, ...]": lambda targets: [_row(target) for target in targets],
    "tuple[Arrival, ...]": lambda arrivals: [[a.at, a.prompt_tokens, a.output_tokens] for a in arrivals],
}
"""What becomes of the types that JSON does not know, or says at length."""
