"""What the conductor tells the load process: one order at a time, each a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.probeplan import Caps, Shape


@dataclass(frozen=True, slots=True)
class Target:
    """Where requests go."""

    scheme: str
    """http or https."""
    host: str
    port: int
    unix: str = ""
    """Path of a Unix socket that is connected to instead of host and port; empty for none."""
    prefix: str = ""
    """Path in front of /v1, without a slash at its end."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Of every request; a key is one of them, so they are never shown."""
    verify: bool = True
    """Whether the certificate of an https server must be good."""


@dataclass(frozen=True, slots=True)
class Open:
    """The first order: to whom, of what kind, and what is never passed."""

    targets: tuple[Target, ...]
    api: str
    """chat or completions."""
    model: str
    scenario: str
    mix: tuple[int, ...]
    prompt_tokens: int
    output_tokens: int
    timeout_s: float
    """A request that takes longer is broken off."""
    caps: Caps
    seed: int


@dataclass(frozen=True, slots=True)
class Warm:
    """Requests that are not counted, one after the other."""

    requests: int


@dataclass(frozen=True, slots=True)
class Arrival:
    """One request of a recorded sample."""

    at: float
    """Seconds from the first request of the sample, as they were recorded."""
    prompt_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Run:
    """One step of the plan; for the meaning of the fields see Step."""

    index: int
    shape: Shape
    amount: float
    requests: int | None = None
    seconds: float | None = None
    target: int = 0
    extra: str = ""
    prompt: str = "unique"
    fresh: bool = False
    keep: bool = True
    arrivals: tuple[Arrival, ...] = ()


@dataclass(frozen=True, slots=True)
class Finish:
    """Start nothing more; what runs may end."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Drop every connection at once."""


LoadOrder = Open | Warm | Run | Finish | Stop
