"""One request inside the simulated engine: what it asks for, and how far it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Ending(StrEnum):
    """Why a request left, in vLLM's words."""

    STOP = "stop"
    LENGTH = "length"
    ABORT = "abort"


@dataclass(frozen=True, slots=True)
class Ask:
    """What a caller wants: lengths in tokens."""

    prompt: int
    output: int
    each: bool = False
    """Each of its tokens is told, and not only the first and the last."""

    def __post_init__(self) -> None:
        if self.prompt < 1 or self.output < 1:
            raise ValueError("a request has at least one token in and one out")


@dataclass(slots=True, eq=False)
class Request:
    """A request in the engine, equal only to itself; only the engine model writes it."""

    number: int
    ask: Ask
    arrived: float
    computed: int = 0
    """Tokens whose keys and values are in the cache."""
    generated: int = 0
    blocks: int = 0
    admitted: float | None = None
    first_token: float | None = None
    last_token: float = 0.0
    preemptions: int = 0

    @property
    def needed(self) -> int:
        """Tokens to compute before the next one comes out; after an eviction all of them again."""
        return self.ask.prompt + self.generated - self.computed

    def compute(self, tokens: int) -> bool:
        """So many more are in the cache; whether that gives a token. Not for a request that was aborted meanwhile."""
        if not self.blocks:
            return False
        self.computed += tokens
        return self.needed == 0

    @property
    def complete(self) -> bool:
        """All of its output is there."""
        return self.generated >= self.ask.output
