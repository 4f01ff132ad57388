"""How many tokens a delivery has, by a server that says with every event how many there were so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.load.delta import Usage


class RunningCount:
    """The server's count up to the last delivery."""

    __slots__ = ("_used", "runs")

    def __init__(self) -> None:
        self._used = 0
        self.runs = False
        """The count comes with every event; a usage that comes only at the end is that of the whole answer."""

    def tokens(self, usage: Usage | None, seen: int, *, first: bool) -> int:
        """Tokens of a delivery in which so many were seen: by the count where it runs from the `first` one on."""
        if usage is None:
            return seen
        self.runs = self.runs or first
        grown, self._used = usage.output - self._used, usage.output
        return grown if self.runs and grown > 0 else seen
