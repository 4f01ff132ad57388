"""What the simulated engine counts, under vLLM's names and bounds. Written by the engine model, read by the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from perfconsole.demo.model.histogram import Histogram
from perfconsole.demo.model.request import Ending

if TYPE_CHECKING:
    from perfconsole.demo.model.request import Request

FIRST_TOKEN = (
    *(0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0),
    *(80.0, 160.0, 640.0, 2560.0),
)
TOKEN_GAP = (
    *(0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0),
)
PHASE = (
    *(0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0),
    *(960.0, 1920.0, 7680.0),
)
LENGTH = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0)
"""vLLM makes these bounds up to max_model_len, here 8192."""
STEP_TOKENS = (1.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0, 16384.0)
TIMES_PREEMPTED = (1.0, 2.0, 3.0, 4.0, 5.0, 10.0, 20.0)
CHOICES = (1.0, 2.0, 5.0, 10.0, 20.0)
_first_token = partial(Histogram, FIRST_TOKEN)
_token_gap = partial(Histogram, TOKEN_GAP)
_phase = partial(Histogram, PHASE)
_length = partial(Histogram, LENGTH)
_step_tokens = partial(Histogram, STEP_TOKENS)
_times_preempted = partial(Histogram, TIMES_PREEMPTED)
_choices = partial(Histogram, CHOICES)


@dataclass(slots=True)
class EngineStats:
    """Counters and histograms since the start of the engine."""

    prompt_tokens: int = 0
    generation_tokens: int = 0
    preemptions: int = 0
    ended: dict[Ending, int] = field(default_factory=lambda: dict.fromkeys(Ending, 0))
    ttft: Histogram = field(default_factory=_first_token)
    itl: Histogram = field(default_factory=_token_gap)
    tpot: Histogram = field(default_factory=_token_gap)
    e2e: Histogram = field(default_factory=_phase)
    queue: Histogram = field(default_factory=_phase)
    inference: Histogram = field(default_factory=_phase)
    prefill: Histogram = field(default_factory=_phase)
    decode: Histogram = field(default_factory=_phase)
    prompt_length: Histogram = field(default_factory=_length)
    output_length: Histogram = field(default_factory=_length)
    step_tokens: Histogram = field(default_factory=_step_tokens)
    times_preempted: Histogram = field(default_factory=_times_preempted)
    choices: Histogram = field(default_factory=_choices)

    def finish(self, request: Request, t: float, ending: Ending) -> None:
        """A request left with all that it asked for."""
        assert request.admitted is not None  # noqa: S101 - only what ran can finish
        assert request.first_token is not None  # noqa: S101 - as above
        self.ended[ending] += 1
        decode = t - request.first_token
        self.e2e.observe(t - request.arrived)
        self.queue.observe(request.admitted - request.arrived)
        self.inference.observe(t - request.admitted)
        self.prefill.observe(request.first_token - request.admitted)
        self.decode.observe(decode)
        self.prompt_length.observe(request.ask.prompt)
        self.output_length.observe(request.generated)
        self.times_preempted.observe(request.preemptions)
        self.choices.observe(1)
        if request.generated > 1:
            self.tpot.observe(decode / (request.generated - 1))
