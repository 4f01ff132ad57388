"""Owns numbers as people write them: one with a unit, a duration, and a row of samples in promtool's notation.

Never gives a value to a gap, and never guesses a unit.
"""

from __future__ import annotations

import math
import re

# Multiplier and divisor: dividing keeps 98% equal to 0.98, multiplying by 0.01 would not.
_UNITS: dict[str, tuple[float, float]] = {
    "": (1, 1),
    "%": (1, 100),
    "ms": (1, 1000),
    "s": (1, 1),
    "m": (60, 1),
    "h": (3600, 1),
    "KiB": (1024, 1),
    "MiB": (1024**2, 1),
    "GiB": (1024**3, 1),
    "k": (1000, 1),
}
_TIME_UNITS = ("ms", "s", "m", "h")

_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)(\S*)")
# The unit is lazy so that the x of a count never becomes part of it.
_ITEM = re.compile(
    r"""(?P<gap>_)(?:x(?P<gaps>[0-9]+))?
      | (?P<sign>-?)(?P<start>[0-9][^-+x\s]*)
        (?:(?P<way>[-+])(?P<step>[0-9][^-+x\s]*))?
        (?:x(?P<steps>[0-9]+))?""",
    re.VERBOSE,
)
# A day of samples at 5 s is 17 280; more is a slip of the finger.
_MOST_SAMPLES = 20_000


class SeriesError(ValueError):
    """A series that cannot be read: what is wrong, and the column (from 1) at which."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(f"{message} (column {column})")
        self.message = message
        self.column = column


def quantity(text: str) -> float:
    """Value of a number with its unit, in base units (`80%` is 0.8, `3k` is 3000); ValueError in words."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a number: write digits and a unit, as in 80%, 1.5s or 3k")
    scale = _UNITS.get(match[2])
    if scale is None:
        raise ValueError(f"unknown unit {match[2]!r}: use {' '.join(filter(None, _UNITS))} or none")
    value = float(match[1]) * scale[0] / scale[1]
    if value == math.inf:
        raise ValueError("this number is too large")
    return value


def duration(text: str) -> float:
    """Seconds of a duration, more than 0; ValueError in words."""
    seconds = quantity(text)
    if not text.endswith(_TIME_UNITS):
        raise ValueError(f"{text!r} is not a duration: it needs a unit of time, ms s m or h")
    if seconds <= 0:
        raise ValueError("a duration must be longer than 0")
    return seconds


def parse_series(text: str) -> tuple[float | None, ...]:
    """Read samples in base units, None for a gap: `axn` and `a+bxn` are n + 1 samples, `_xn` is n gaps.

    SeriesError (a ValueError) says what is wrong and at which column.
    """
    samples: list[float | None] = []
    for word in re.finditer(r"\S+", text):
        column = word.start() + 1
        item = _ITEM.fullmatch(word[0])
        if item is None:
            raise SeriesError(f"{word[0]!r} is none of 7, 1x20, 0+10x5, 9-1x5, _ and _x3", column)
        _check_count(len(samples) + _count(item), column)
        samples += _gaps(item) if item["gap"] else _values(item, column)
    if not samples:
        raise SeriesError("a series needs at least one sample or gap", 1)
    return tuple(samples)


def _count(item: re.Match[str]) -> int:
    # 9 digits decide it: int() of a longer text may refuse or take long.
    return int((item["gaps"] or item["steps"] or "0")[:9])


def _check_count(count: int, column: int) -> None:
    if count > _MOST_SAMPLES:
        raise SeriesError(f"more than {_MOST_SAMPLES} samples", column)


def _gaps(item: re.Match[str]) -> list[float | None]:
    return [None] * (1 if item["gaps"] is None else _count(item))


def _values(item: re.Match[str], column: int) -> list[float | None]:
    start = _number(item, "start", column) * (-1 if item["sign"] else 1)
    if item["step"] is None:
        return [start] * (_count(item) + 1)
    if item["steps"] is None:
        raise SeriesError(f"{item[0]!r} has a step and no count: write {item[0]}x5", column)
    step = _number(item, "step", column) * (-1 if item["way"] == "-" else 1)
    return [start + step * place for place in range(_count(item) + 1)]


def _number(item: re.Match[str], group: str, column: int) -> float:
    try:
        return quantity(item[group])
    except ValueError as error:
        raise SeriesError(str(error), column + item.start(group)) from None
