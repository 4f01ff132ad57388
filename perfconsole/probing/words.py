"""Numbers in the sentences of a result: lengths of time, shares, rates."""

from __future__ import annotations

_SCALES = (("us", 1e-6), ("ms", 1e-3))


def length(seconds: float | None) -> str:
    """`850 us`, `51.2 ms`, `2.11 s`; `?` for what is not known."""
    if seconds is None:
        return "?"
    for unit, scale in _SCALES:
        text = f"{seconds / scale:.3g}"
        if float(text) < 1000:
            return f"{text} {unit}"
    return f"{_three(seconds)} s"


def share(part: float) -> str:
    """`0.4%`, `96.6%`, `250%`."""
    return f"{_three(part * 100)}%"


def change(part: float) -> str:
    """A gain in whole percents with its sign: `+12%`, `-3%`; `+0%` for what rounds to nothing, from either side."""
    return f"{round(part * 100):+,d}%"


def amount(value: float) -> str:
    """A step's load, a number of tokens: `16`, `2.5`, `2,983`."""
    return _three(value)


def speed(per_s: float | None, unit: str) -> str:
    """`2,983 tokens/s`."""
    return f"{'?' if per_s is None else _three(per_s)} {unit}/s"


def _three(value: float) -> str:
    """Three digits, and all of them before the point."""
    text = f"{value:.3g}"
    return text if abs(float(text)) < 1000 else f"{value:,.0f}"
