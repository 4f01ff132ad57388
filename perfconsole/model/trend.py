"""What grows, and when it will be full or too slow: shown before any rule speaks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity


class Growing(StrEnum):
    """What grows."""

    QUEUE = "queue"
    """Requests that wait at an engine."""
    KV = "kv"
    HOST_MEMORY = "host-memory"
    PROCESS_MEMORY = "process-memory"
    GPU_MEMORY = "gpu-memory"
    DESCRIPTORS = "descriptors"


class Goal(StrEnum):
    """What it grows towards."""

    TTFT = "ttft"
    """The wait of a request that comes then passes the objective for the first token."""
    KNEE = "knee"
    """More requests wait than twice those that may run: no burst any more, but more than the engine can serve."""
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Trend:
    """One growth along a straight line."""

    growing: Growing
    entity: Entity
    value: float
    """Now, in base units: requests, ratio, bytes, descriptors; of host memory what is left."""
    rate: float
    """Growth a second, above 0."""
    goal: Goal
    limit: float
    """Value at which the goal is reached, in the unit of `value`; for TTFT the objective in seconds."""
    left_s: float
    """Seconds until then along the line; 0 where it is reached already."""
    span_s: float
    """Seconds over which the line was seen."""
    r2: float | None = None
    """Share of the variance that the line explains; None where only that it fits (R2 > 0.9) is known."""
