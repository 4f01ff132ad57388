"""What a probe is to send: decided, shown and confirmed before the first request."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

STEP_LOAD = "step-load"
REPEAT_PROMPT = "repeat-prompt"
COMPARE_VARIANTS = "compare-variants"
THROUGH_AND_AROUND = "through-and-around"
NEW_CONNECTIONS = "new-connections"
RECIPES = (STEP_LOAD, REPEAT_PROMPT, COMPARE_VARIANTS, THROUGH_AND_AROUND, NEW_CONNECTIONS)

SCENARIOS = ("short-chat", "long-prompt", "long-conversation", "agent-fan-out", "mixed", "shared-prefix")


FILLERS = 2
"""Tasks of a slot, or seconds of an open loop, that may follow what is counted until the next order comes."""


class Shape(StrEnum):
    """How the requests of a step are started."""

    CONCURRENCY = "concurrency"
    """Closed loop: so many at a time, a new one for each that ends."""
    RATE = "rate"
    """Open loop: so many a second, at random (Poisson) moments, however many are under way."""
    BURST = "burst"
    """So many at one moment."""
    REPLAY = "replay"
    """At the moments of a recorded sample, divided by a speed factor (the amount)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One stretch of steady load. It lasts until its requests have ended, or its seconds are over."""

    shape: Shape
    amount: float
    requests: int | None = None
    """How many are counted; None leaves it to the seconds."""
    seconds: float | None = None
    target: int = 0
    """Which of the plan's targets it loads."""
    extra: str = ""
    """JSON object of fields that are added to every request (sampling, a schema); empty for none."""
    prompt: str = "unique"
    """unique: no two prompts share a prefix; fixed: the same text in the whole step and in all steps of that name."""
    fresh: bool = False
    """A new connection for every request."""
    keep: bool = True
    """Keep the load up, with requests that are not counted, until the next step: nothing is drained in between."""
    label: str = ""
    """What tells this step from others of its recipe: first, repeat, plain, through ..."""


@dataclass(frozen=True, slots=True)
class Slo:
    """What users are promised."""

    ttft_p95_s: float = 1.5
    tpot_p90_s: float = 0.08


@dataclass(frozen=True, slots=True)
class Caps:
    """What a probe never passes, whatever happens."""

    requests: int = 5_000
    output_tokens: int = 1_000_000
    seconds: float = 300.0
    concurrency: int = 1_024
    error_ratio: float = 0.25
    """Of the last requests; above it the probe stops itself."""
    e2e_s: float = 60.0
    """A request that takes longer counts as a time-out and is broken off."""
    kv_usage: float = 0.98
    ttft_s: float = 30.0
    """Median of the last first tokens; where people wait longer, nothing is left to learn."""


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """One probe."""

    recipe: str
    urls: tuple[str, ...]
    """Base URLs, fit to be shown; the first is the target, a second one is what stands behind it."""
    steps: tuple[Step, ...]
    model: str = ""
    """Empty until the target was asked."""
    api: str = "chat"
    """chat or completions."""
    scenario: str = "short-chat"
    mix: tuple[int, ...] = (3, 4, 3)
    """Of mixed: parts of short-chat, long-prompt and long-conversation."""
    prompt_tokens: int = 128
    output_tokens: int = 128
    warmup: int = 2
    """Requests before the first step that are not counted; they measure how many tokens a word of the prompts has."""
    runs: int = 1
    adaptive: bool = True
    """Stop behind the knee instead of going through all steps."""
    shed_s: float | None = None
    """Pause so long after the last step and repeat the first."""
    vary: str = ""
    slo: Slo = Slo()
    caps: Caps = Caps()
    seed: int = 0
    why: str = ""
    """What the person or the finding wants to know by it; kept with the result."""
