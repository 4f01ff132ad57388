"""Sampled stacks of a process, as every recorder's file is read into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Frame(NamedTuple):
    """One function on a stack. A named tuple because it is the key of every tally: a tuple hashes in C."""

    function: str
    file: str
    """Empty where the recorder knows none."""
    line: int
    """Line that was running; 0 where it is not known."""


class ThreadKey(NamedTuple):
    """A thread of a process, in the recorder's words; empty where it did not say."""

    process: str
    thread: str


class Stack(NamedTuple):
    """Frames from the outermost to the innermost, and how often they were seen together."""

    thread: ThreadKey
    frames: tuple[Frame, ...]
    weight: float


@dataclass(frozen=True, slots=True)
class Profile:
    """All stacks of one recording."""

    stacks: tuple[Stack, ...]
    unit: str
    """What a weight of 1 is: `samples` or `s`."""
    samples: int
    """Stacks that were taken, as far as the file says."""
    idle: bool | None
    """Whether threads that waited were recorded too; None where nobody says."""
    unread: int
    """Lines that were none of the format."""
    seconds: float | None = None
    """Length of the recording; None where nobody says."""
    looks: int | None = None
    """How often it looked, where only threads that hold the interpreter lock were taken; None for any other."""
