"""What a person is asked before a probe sends anything: what, at which cost, and what runs there already."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.probeplan import ProbePlan


@dataclass(frozen=True, slots=True)
class Worst:
    """What a probe sends if nothing stops it before its caps do."""

    requests: int
    prompt_tokens: int
    output_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Traffic:
    """What others send to the target right now; None for a number that the engine does not say."""

    requests_per_s: float | None = None
    running: float | None = None
    waiting: float | None = None
    ttft_p95_s: float | None = None
    unknown: str = ""
    """Why nothing is known of it; empty where something is."""


@dataclass(frozen=True, slots=True)
class Change:
    """A part of the plan that a key changes before it starts."""

    key: str
    name: str
    """scenario, target, ladder."""
    value: str
    """What it is now."""


@dataclass(frozen=True, slots=True)
class ProbeAsk:
    """What the confirming page is drawn from."""

    plan: ProbePlan
    worst: Worst
    traffic: Traffic = field(default_factory=Traffic)
    refusals: tuple[str, ...] = ()
    """Why it cannot be started, and what helps; with one of them no key starts it."""
    warnings: tuple[str, ...] = ()
    """What to think of before it is started all the same."""
    start: str = "enter"
    """The key that starts it."""
    changes: tuple[Change, ...] = ()
    trouble: str = ""
    """How the last attempt failed."""
