"""All stacks of some processes at one moment, and again a second later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.stack import Frame


@dataclass(frozen=True, slots=True)
class ThreadStack:
    """One thread as it was found."""

    number: int
    """The kernel's number of the thread; the recorder's own where it knows none."""
    name: str
    active: bool
    """It ran, or was ready to."""
    gil: bool
    """It held the interpreter lock."""
    frames: tuple[Frame, ...]
    """From the outermost to the innermost."""


@dataclass(frozen=True, slots=True)
class ThreadNow:
    """One thread, read."""

    stack: ThreadStack
    still: bool
    """Both looks found it at the very same place."""
    idle: bool
    """It waits for work."""
    words: str
    """What it does: `waits for a socket`, `inside a collective`."""
    collective: bool
    main: bool
    where: Frame | None
    """The innermost frame of the user's own code."""


@dataclass(frozen=True, slots=True)
class ProcessNow:
    """One process with its threads, the most telling first."""

    pid: int
    title: str
    role: str
    state: str
    """As the kernel has it: R S D T t Z."""
    threads: tuple[ThreadNow, ...]
    trouble: str
    """Why its stacks could not be read; empty where they could."""
    gathered: bool
    """At the first look a thread of it was inside a collective; `threads` are of the second."""
    odd: str
    """What sets it apart from its fellows; empty for nothing."""


@dataclass(frozen=True, slots=True)
class DumpReading:
    """All of them, the odd one out first."""

    processes: tuple[ProcessNow, ...]
    shares: dict[str, float]
    """`profile.*` indicators that a dump can tell."""
    limits: tuple[str, ...]
