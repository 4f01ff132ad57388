"""What the stacks of a recording say: whose threads they are, what blocks, where the time goes, what cannot be told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.stack import Frame


class Role(StrEnum):
    """What a thread is for."""

    EVENT_LOOP = "event-loop"
    WORKER = "worker"
    """It takes jobs from the queue of a pool."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ThreadReading:
    """One thread of the recording."""

    process: str
    """Number of its process; empty where the recorder did not say."""
    name: str
    """Its name, or its number where it has none."""
    samples: float
    role: Role
    idle: float
    """Share of its samples in which it waited for work: a selector, a queue."""
    main: bool


@dataclass(frozen=True, slots=True)
class Blocking:
    """Calls of one kind, made by one line, that keep a thread from its other work."""

    kind: str
    """socket ssl dns file lock sleep subprocess json tokenizer gc import other"""
    share: float
    """Of the samples of its thread, or of the threads of its pool."""
    call: str
    user: Frame | None
    """The innermost frame outside of libraries; None where there is none."""
    chain: tuple[Frame, ...]
    """From the loop's callback to the innermost frame; the longest of those seen."""
    waits: bool
    """It waits; the others keep a core busy."""
    where: str
    """Thread or pool, in words."""


@dataclass(frozen=True, slots=True)
class Hot:
    """A function by the samples in which it was the innermost."""

    function: str
    file: str
    share: float
    """Of all samples that count."""


@dataclass(frozen=True, slots=True)
class Change:
    """A function whose share is another than in an earlier recording."""

    function: str
    file: str
    before: float
    """Of all samples, in which it or what it called ran."""
    now: float


@dataclass(frozen=True, slots=True)
class Pool:
    """Threads that share one queue of jobs."""

    name: str
    threads: int
    busy: float
    """Mean share of the samples in which they had a job."""
    full: bool
    """None of them was ever free: what is handed in waits."""


@dataclass(frozen=True, slots=True)
class StackReading:
    """The whole of it."""

    samples: int
    seconds: float | None
    threads: tuple[ThreadReading, ...]
    shares: dict[str, float]
    """`profile.*` indicators that these samples can tell."""
    blocking: tuple[Blocking, ...]
    pools: tuple[Pool, ...]
    hot: tuple[Hot, ...]
    limits: tuple[str, ...]
    """What these samples cannot tell, in whole sentences."""
