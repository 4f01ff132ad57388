"""The machine form of a mark, `[SUFFIX] CMP NUMBER[UNIT]`: reading it and holding a value against it.

Owns the suffixes of histograms and the number units of marks; it must never know an indicator or decide a finding.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SUFFIXES = ("p50", "p90", "p95", "p99", "mean")
"""What a histogram is read with, after a dot in names and before the comparison in marks."""

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}

# Number unit: multiply by the first, divide by the second. Dividing keeps 5% at the double nearest to 0.05.
_SCALES = {
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
_TIMES = ("s",)
_SIZES = ("bytes", "bytes/s")
_SHARES = ("ratio", "cores")
_FITS = {"%": _SHARES, "ms": _TIMES, "s": _TIMES, "m": _TIMES, "h": _TIMES, "KiB": _SIZES, "MiB": _SIZES, "GiB": _SIZES}
_UNITLESS = ("0/1", "enum", "text")


@dataclass(frozen=True, slots=True)
class Mark:
    """A bound on one indicator, in its base unit; `suffix` names the quantile or mean of a histogram, else empty."""

    suffix: str
    operator: str
    bound: float

    def holds(self, value: float) -> bool:
        """Tell whether the value (base unit) passes the bound and is to be marked. NaN passes none but `!=`."""
        return _COMPARISONS[self.operator](value, self.bound)


def parse_mark(text: str, unit: str) -> Mark:
    """Read a mark such as `p95 > 100ms` for an indicator of that base unit; ValueError says what is wrong."""
    suffix, sign, literal = _pieces(text)
    digits = literal.rstrip("%abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    if not _is_number(digits):
        raise ValueError(f"mark {text!r}: {literal!r} is not a number with one of the units {_known_units()}")
    up, down = _scale(text, literal[len(digits) :], unit)
    return Mark(suffix, sign, float(digits) * up / down)


def _pieces(text: str) -> tuple[str, str, str]:
    """Suffix, comparison and number of a mark, as written."""
    for sign in _COMPARISONS:
        before, found, after = text.partition(sign)
        if found:
            return _known_suffix(text, before.strip()), sign, after.strip()
    raise ValueError(f"mark {text!r}: no comparison in it; write [SUFFIX] CMP NUMBER[UNIT], e.g. '> 1s'")


def _known_suffix(text: str, suffix: str) -> str:
    if suffix and suffix not in SUFFIXES:
        raise ValueError(f"mark {text!r}: {suffix!r} before the comparison is none of {', '.join(SUFFIXES)}")
    return suffix


def _is_number(digits: str) -> bool:
    """Digits with at most one point between them; `float` would also take inf, nan, signs and underscores."""
    whole, point, part = digits.partition(".")
    return all(piece.isascii() and piece.isdigit() for piece in ((whole, part) if point else (whole,)))


def _scale(text: str, suffix: str, unit: str) -> tuple[int, int]:
    """Factor and divisor of a number unit, which must fit the base unit."""
    if suffix not in _SCALES:
        raise ValueError(f"mark {text!r}: unknown unit {suffix!r}; one of {_known_units()} or none")
    fits = unit in _FITS[suffix] if suffix in _FITS else not suffix or unit not in _UNITLESS
    if not fits:
        raise ValueError(f"mark {text!r}: {suffix!r} does not fit an indicator in {unit}")
    return _SCALES[suffix]


def _known_units() -> str:
    return " ".join(name for name in _SCALES if name)
