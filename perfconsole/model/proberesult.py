"""What a probe found. Times in seconds, rates a second, shares 0..1; a number that cannot be said is None."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.probeplan import ProbePlan, Step

ENDED = "the ladder ended early: "
"""A note that begins so says why the loads behind the last one were left out."""
P95_FROM, P99_FROM = 20, 100
"""Samples below which p95 and p99 are withheld: they would be little else than the maximum."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A distribution in the numbers that are shown of it."""

    n: int = 0
    mean: float | None = None
    p50: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    max: float | None = None


@dataclass(frozen=True, slots=True)
class ClientSide:
    """How far the client itself was in the way."""

    cpu: float
    """Share of one core."""
    loop_lag_p50: float | None
    loop_lag_p99: float | None
    """From the kernel's stamp until the client had the bytes."""
    send_lag_p99: float | None
    """From the intended start until the bytes were sent."""
    merged: float
    """Share of reads that held more than one event."""
    delivered: float | None
    """Mean of requests in flight / what was asked for; None for an open loop."""
    queued: int
    """Bytes unread at the end of the step."""
    stamps: str
    late: float | None = None
    """Share of requests, without those of the burst, that were sent later than 5 ms and a tenth of TTFT p50."""


@dataclass(frozen=True, slots=True)
class ServerSide:
    """The engine's own numbers between two polls inside the step, and the client's in the same stretch."""

    seconds: float
    output_tokens: float | None = None
    client_output_tokens: float | None = None
    prompt_tokens: float | None = None
    ttft: Spread = Spread()
    client_ttft: Spread = Spread()
    """Of the requests whose first token fell between the polls."""
    itl: Spread = Spread()
    queue: Spread = Spread()
    prefill: Spread = Spread()
    running: float | None = None
    waiting: float | None = None
    """Means over the polls."""
    waiting_max: float | None = None
    waiting_share: float | None = None
    """Share of the polls at which something waited."""
    client_inflight: float | None = None
    kv_usage: float | None = None
    """Highest."""
    preemptions: float | None = None
    prefix_hit_ratio: float | None = None
    max_num_seqs: float | None = None


@dataclass(frozen=True, slots=True)
class StepResult:
    """One step (or the median of several runs of it)."""

    index: int
    step: Step
    run: int
    requests: int
    errors: int
    """Time-outs too."""
    timeouts: int
    valid: bool
    """False where the client, not the server, was the limit, or too little came to say anything."""
    why: str
    """Why it is not valid, or what to keep in mind; empty where nothing."""
    ttft: Spread
    ttfo: Spread
    """To the first token of the answer itself, where reasoning comes before it."""
    itl: Spread
    tpot: Spread
    e2e: Spread
    burst: Spread
    """TTFT of those that started together at the beginning."""
    connect: Spread
    output_tokens_per_s: float | None
    total_tokens_per_s: float | None
    requests_per_s: float | None
    goodput_per_s: float | None
    """Requests a second that kept the SLO."""
    goodput_ratio: float | None
    tokens_per_event: float | None
    output_tokens: float | None
    """Mean of an answer."""
    prompt_tokens: float | None
    """Mean of a prompt, by the server's usage."""
    window_s: float
    client: ClientSide
    server: ServerSide | None
    error_kinds: tuple[tuple[str, int], ...] = ()
    outlier: bool = False
    """Of several runs: far from the median."""
    cut: bool = False
    """It was broken off before its end; then it is not valid, and not because of the client."""
    resolve: Spread = Spread()
    """Name look-up of each new connection."""
    itl_growth: float | None = None
    """Time per token in the last / in the first quarter of an answer: median."""
    close_ratio: float | None = None
    """Share of text events that came within 1 ms of the one before."""
    cached_ratio: float | None = None
    """Share of prompt tokens that came out of a prefix cache, by the server's usage."""
    runs: int = 1
    """Of how many runs it is the median; requests, errors and samples are then those of all of them."""
    run_spread: float | None = None
    """Furthest of these runs (without outliers) from the median of tokens/s, as a share of it."""

    @property
    def error_ratio(self) -> float:
        """Errors of all requests."""
        return self.errors / self.requests if self.requests else 0.0

    @property
    def client_limited(self) -> bool:
        """It is not valid because the client, not the server, was the limit."""
        return not self.valid and not self.cut and self.errors < self.requests


@dataclass(frozen=True, slots=True)
class Knee:
    """Where more load stops to pay."""

    concurrency: float | None
    """Last step before the bend; None where none was seen."""
    limit: str
    """queue, prefill, decode, client or none."""
    why: str


@dataclass(frozen=True, slots=True)
class Thresholds:
    """First steps at which something passes; None where it never did."""

    ttft_grown: float | None = None
    """TTFT p50 at 1.5 times that of a single request."""
    tpot_grown: float | None = None
    tail: float | None = None
    """p95/p50 of TTFT above 3."""
    waiting: float | None = None
    """Waiting above 2 x max_num_seqs."""


@dataclass(frozen=True, slots=True)
class Goodput:
    """The highest rate within the SLO."""

    requests_per_s: float | None
    concurrency: float | None
    low: float | None = None
    high: float | None = None
    """Share of requests within the SLO there: Wilson interval, 95 %."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Headroom:
    """What is left beside the traffic that was there before the probe."""

    traffic_per_s: float | None
    capacity_per_s: float | None
    ratio: float | None
    """Capacity / traffic."""
    takes: tuple[tuple[float, bool], ...] = ()
    """Whether it takes 1.3 and 1.5 times the traffic."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """Everything that is kept of a probe."""

    plan: ProbePlan
    environment: dict[str, str]
    """Name and value, in words: engine.version, gpu.0.name, host.cpus ..."""
    began: float
    """Epoch seconds."""
    took_s: float
    steps: tuple[StepResult, ...]
    knee: Knee
    thresholds: Thresholds
    goodput: Goodput
    headroom: Headroom
    stopped: str | None
    requests: int
    output_tokens: int
    prompt_tokens: int
    notes: tuple[str, ...] = ()
    indicators: dict[str, float] = field(default_factory=dict)
    """`probe.*` values that follow from it."""
    runs: tuple[StepResult, ...] = ()
    """Where each step was run several times: every run, while `steps` has the medians."""
