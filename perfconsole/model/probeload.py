"""What the load process tells: one record a request, one a step, and a sign of life twice a second.

Moments are epoch seconds as the kernel stamps packets; lengths of time are seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Counts = tuple[tuple[int, int], ...]
"""A distribution: microseconds and how many of them, ascending."""


class Trouble(StrEnum):
    """Why a request did not end well."""

    TIMEOUT = "timeout"
    """It was broken off after the plan's limit."""
    REFUSED = "refused"
    """No connection could be made."""
    RESET = "reset"
    """The connection ended before the answer did."""
    STATUS = "status"
    """An HTTP status other than 200."""
    IN_BAND = "in-band"
    """An error inside a stream that began with 200."""
    GARBLED = "garbled"
    """The answer is not HTTP, or not what was asked for."""
    EMPTY = "empty"
    """The answer ended without any text."""


class Part(StrEnum):
    """What a request was for."""

    WARM_UP = "warm-up"
    COUNTED = "counted"
    FILLER = "filler"
    """Keeps the concurrency up while counted requests end; not in any statistics but the token totals."""


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """One request from its intended start to its end."""

    step: int
    part: Part
    burst: bool
    """It was one of several that started together at the beginning of the step."""
    kind: str
    """Scenario of the call, `short-chat` ..."""
    task: int
    """Calls of one task share a number."""
    intended: float
    """When it should have been sent: its slot was free, or its moment had come."""
    sent: float
    """When its bytes were handed to the kernel."""
    connect_s: float | None
    """Time to connect (and the TLS handshake) where it needed a new connection."""
    resolve_s: float | None
    first: float | None
    """First text in any channel; None for an answer without."""
    first_answer: float | None
    """First text of the answer itself where reasoning came before."""
    last: float | None
    """Last text."""
    ended: float
    tokens: int | None
    """Output tokens by the server's usage, else the number of text events."""
    events: int
    """Text events."""
    usage: bool
    """The server said how many tokens there were."""
    prompt_tokens: int | None
    cached_tokens: int | None
    close_behind: int
    """Text events that came within 1 ms of the one before."""
    itl_first: float | None
    itl_last: float | None
    """Mean time per token in the first and in the last quarter of the answer."""
    trouble: Trouble | None
    detail: str
    """The status, or the words of the error, at most 200 characters."""

    @property
    def ttft(self) -> float | None:
        """Time to first token, from the intended start on an open connection."""
        return None if self.first is None else max(0.0, self.first - self.start)

    @property
    def start(self) -> float:
        """Where its latency begins: the intended start; the end of its own connecting where that came later."""
        return self.intended if self.connect_s is None else max(self.intended, self.sent)

    @property
    def e2e(self) -> float | None:
        """Until the last text."""
        return None if self.last is None else max(0.0, self.last - self.start)

    @property
    def tpot(self) -> float | None:
        """(e2e - TTFT) / (tokens - 1); None for a single token."""
        if self.first is None or self.last is None or not self.tokens or self.tokens < 2:
            return None
        return (self.last - self.first) / (self.tokens - 1)


@dataclass(frozen=True, slots=True)
class LoadTick:
    """What happened since the tick before; deltas but for `t`, `inflight` and `step`."""

    t: float
    step: int
    inflight: int
    """Requests sent and not ended."""
    busy_s: float
    """Integral of the requests in flight over time: divided by the time between ticks it is what was delivered."""
    tokens: int
    """Tokens received by arrival (text events until the usage of a request corrects them)."""
    prompt_tokens: int
    gaps: Counts
    """Time per token between deliveries, of requests that ended and are counted."""
    lag: Counts
    """From the kernel's stamp of a read until this process had it."""
    reads: int
    merged: int
    """Reads that held more than one event."""
    cpu_s: float
    """CPU time of this process."""


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step, when its last counted request has ended. A tick with the rest of its numbers comes right before."""

    step: int
    began: float
    full: float | None
    """When all requests of the first burst had their first token, or had failed; None where that never came."""
    closed: float
    """When the last counted request was started."""
    ended: float
    asked: float
    """Concurrency, or rate, that was asked for."""
    stamps: str
    """kernel or user: who took the arrival times; `moved` where the clock was set in between and user times count."""
    queued: int
    """Bytes that lay unread in the sockets at the end."""
    connect: Counts
    """Time to open each connection of the step."""


@dataclass(frozen=True, slots=True)
class LoadEnd:
    """The load process has nothing open any more."""

    t: float
    stopped: str | None
    """Why it ended before its time; None where it did what was asked."""
    requests: int
    """Everything that was ever sent, also what is not counted."""
    output_tokens: int
    prompt_tokens: int
    notes: tuple[str, ...]
    """What the server did not take (`ignore_eos`), and the like."""


LoadEvent = RequestRecord | LoadTick | StepRecord | LoadEnd
