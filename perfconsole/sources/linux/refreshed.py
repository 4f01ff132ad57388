"""A value read seldom and handed out at every poll, so that it does not go stale. Never reads more often than told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Refreshed(Generic[T]):
    """The last result of `read`, not older than `period_s`; this object alone calls it."""

    def __init__(self, period_s: float, read: Callable[[], T]) -> None:
        self._period_s = period_s
        self._read = read
        self._held: tuple[float, T] | None = None

    @property
    def last(self) -> T | None:
        """What it holds, without reading; None before the first reading."""
        return self._held[1] if self._held else None

    def get(self, now: float) -> T:
        """Return the held result, read anew when it is `period_s` old."""
        if self._held is None or now - self._held[0] >= self._period_s:
            self._held = (now, self._read())
        return self._held[1]
