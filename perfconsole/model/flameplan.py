"""What to record of a process, and how: decided before anything is started."""

from __future__ import annotations

from dataclasses import dataclass

SECONDS = 10.0
RATE = 50
"""Samples a second: 500 in 10 s tell shares to about 2 points, and py-spy keeps that pace on a busy host."""
MOST_SECONDS = 600.0
MOST_RATE = 200
"""Above that a sampler that stops a process with many threads may freeze it (py-spy's own reports)."""


@dataclass(frozen=True, slots=True)
class FlamePlan:
    """One recording."""

    pid: int
    seconds: float = SECONDS
    rate: int = RATE
    idle: bool = True
    """Take threads that wait too; without them a blocked loop cannot be seen."""
    native: bool = False
    """Take frames of compiled code, for which the process is stopped at each sample."""
    gil: bool = False
    """Take only threads that hold the interpreter lock."""
    subprocesses: bool = False
    blocking: bool = False
    """Stop the process at each sample: exact stacks, at its cost."""

    @property
    def stops(self) -> bool:
        """The process is stopped for each sample."""
        return self.native or self.blocking
