"""The upright axis of a picture: round values from the lowest to the highest, and where each of them stands."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROUND = (1.0, 2.0, 5.0)
_MOST_TICKS = 7
_STEPS = 5
_LEAST = 1e-9
"""What is below counts as 0: a nanosecond, a token in thirty years."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Values from `low` to `high` on pixels from `bottom` to `top`."""

    low: float
    high: float
    ticks: tuple[float, ...]
    bottom: float
    top: float
    log_axis: bool = False

    def y(self, value: float) -> float:
        """Where a value stands, within the plot; on a logarithmic axis what is 0 stands at its foot."""
        if self.log_axis:
            share = log10(value / self.low) / log10(self.high / self.low) if value >= _LEAST else 0.0
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.bottom - max(0.0, min(1.0, share)) * (self.bottom - self.top)

    def holds(self, value: float) -> bool:
        """Whether the axis reaches it."""
        return self.low <= value <= self.high


def scale_of(values: Sequence[float | None], pixels: tuple[float, float], *, log_axis: bool = False) -> Scale | None:
    """The axis for these values, `pixels` its bottom and top; None where nothing is known."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    positive = [value for value in known if value >= _LEAST]
    if log_axis and positive:
        return _logarithmic(min(positive), max(positive), pixels)
    return _straight(max([0.0, *positive]), pixels)


def _straight(highest: float, pixels: tuple[float, float]) -> Scale:
    """From 0: a bar or a line that begins elsewhere makes little of much, or much of little."""
    step = _round_up(highest / _STEPS) if highest > 0 else 1.0 / _STEPS
    count = max(1, ceil(highest / step - 1e-9)) if highest > 0 else _STEPS
    return Scale(0.0, step * count, tuple(step * place for place in range(count + 1)), *pixels)


def _round_up(value: float) -> float:
    """1, 2 or 5 times a power of ten, not below the value."""
    power = 10.0 ** floor(log10(value))
    return next((part * power for part in _ROUND if part * power >= value * (1 - 1e-9)), 10 * power)


def _round_down(value: float) -> float:
    power = 10.0 ** floor(log10(value))
    return next((part * power for part in reversed(_ROUND) if part * power <= value * (1 + 1e-9)), power)


def _logarithmic(lowest: float, highest: float, pixels: tuple[float, float]) -> Scale:
    low, high = _round_down(lowest), _round_up(highest)
    if high <= low:
        high = low * 10
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    ticks = [v for p in powers for part in _ROUND if low * 0.999 <= (v := part * 10.0**p) <= high * 1.001]
    if len(ticks) > _MOST_TICKS:
        ticks = [v for p in powers if low * 0.999 <= (v := 10.0**p) <= high * 1.001]
        ticks = ticks[:: ceil(len(ticks) / _MOST_TICKS)]
    return Scale(low, high, tuple(ticks), *pixels, log_axis=True)
